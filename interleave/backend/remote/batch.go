package remote

import (
	"bytes"
	"strings"

	"github.com/racebench/racebench/interleave/backend"
	"github.com/racebench/racebench/interleave/wire"
)

var _ backend.Batcher = (*conn)(nil)

// DoAll implements backend.Batcher. Only commands that concern data alone, on a connection without a transaction, can
// share a round trip; on a server that keeps its own clock none can, because each may need its keys prepared.
func (c *conn) DoAll(cmds [][]string) (raw [][]byte, ok bool, err error) {
	s := c.s
	if s.err != nil || c.closed || c.err != nil || c.multi || s.shift != nil || s.opts.Guard != nil && s.opts.Guard(cmds[0]) != "" {
		return nil, false, nil
	}
	for _, args := range cmds {
		if len(args) == 0 || !c.shares(args) {
			return nil, false, nil
		}
	}
	// Only the first may write.
	s.mayExpire = s.mayExpire || kindOf(cmds[0][0]) != plain
	if err := c.prepare(); err != nil {
		return nil, false, err
	}
	l := c.l
	for _, args := range cmds {
		l.out = wire.AppendCommand(l.out, args...)
	}
	if err := l.send(); err != nil {
		return nil, true, c.broken(cmds[0], err)
	}
	raw = make([][]byte, len(cmds))
	for i := range raw {
		f, err := l.reply()
		if err != nil {
			return nil, true, c.broken(cmds[i], err)
		}
		raw[i] = bytes.Clone(f)
	}
	return raw, true, nil
}

// shares reports whether a command needs nothing done before or after it. An absolute deadline may have passed, and then
// the key has to be swept. A script that the world has not loaded is sent in another way.
func (c *conn) shares(args []string) bool {
	switch kindOf(args[0]) {
	case plain:
		return true
	case expiring:
		for _, a := range args {
			if strings.EqualFold(a, "PXAT") || strings.EqualFold(a, "EXAT") {
				return false
			}
		}
		return true
	case evalsha:
		return len(args) > 2 && c.loaded(args[1])
	}
	return false
}
