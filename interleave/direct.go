package interleave

import (
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"github.com/racebench/racebench/interleave/wire"
)

// directConn is a connection that does not pass the gate: a write executes its commands on the spot, on the scheduler's
// goroutine, and a read finds the replies waiting. World functions and invariants use it while every actor waits.
type directConn struct {
	mu  sync.Mutex
	on  *server
	s   *session
	in  []byte
	out []byte
	err error
}

// errDirect is what an actor gets from a client that is not its own: while actors run, the scheduler waits.
var errDirect = errors.New("interleave: World.Redis and State.Redis do not pass the gate and are not for actors: use Actor.Redis")

func newDirectConn(v *server) *directConn { return &directConn{on: v} }

func (c *directConn) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return 0, c.err
	}
	if c.on.eng.phase.Load() != working {
		return 0, errDirect
	}
	if c.s == nil {
		if c.s, c.err = c.on.newSession(nil, nil); c.err != nil {
			return 0, c.err
		}
	}
	c.in = append(c.in, p...)
	for {
		args, n, err := wire.ReadCommand(c.in)
		if err != nil {
			c.err = err
			return 0, err
		}
		if n == 0 {
			return len(p), nil
		}
		c.in = c.in[n:]
		if len(args) == 0 {
			continue
		}
		raw, err := c.s.do(args)
		if err != nil {
			c.err = err
			return 0, err
		}
		c.out = append(c.out, raw...)
	}
}

func (c *directConn) Read(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.out) == 0 {
		if c.err == nil {
			c.err = io.EOF // nothing will ever come: whoever reads here waits for a message
		}
		return 0, c.err
	}
	n := copy(p, c.out)
	c.out = c.out[n:]
	return n, nil
}

func (c *directConn) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.err = net.ErrClosed
	}
	if c.s != nil {
		c.s.close()
	}
	return nil
}

func (c *directConn) LocalAddr() net.Addr              { return addr("world") }
func (c *directConn) RemoteAddr() net.Addr             { return addr("interleave") }
func (c *directConn) SetDeadline(time.Time) error      { return nil }
func (c *directConn) SetReadDeadline(time.Time) error  { return nil }
func (c *directConn) SetWriteDeadline(time.Time) error { return nil }
