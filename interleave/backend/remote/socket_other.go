//go:build !unix

package remote

import (
	"errors"
	"net"
	"time"
)

// rawSockets says that dialRaw works on this system.
const rawSockets = false

func dialRaw(net.Addr, time.Duration) (socket, error) {
	return nil, errors.New("no raw sockets on this system")
}
