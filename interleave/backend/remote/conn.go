package remote

import (
	"bytes"
	"errors"
	"strings"

	"github.com/racebench/racebench/interleave/backend"
	"github.com/racebench/racebench/interleave/wire"
)

// conn mirrors one client connection. What the client has asked its connection to be is kept in want; the link follows
// when a command needs it.
type conn struct {
	s      *Server
	l      *link // nil until a command needs one
	want   state
	multi  bool // a transaction is open
	begun  bool // … but its MULTI is not sent yet
	late   bool // … and may set deadlines that have passed
	pushes []byte
	tx     []string       // scripts that the open transaction loads
	after  []func(*state) // what it does to the connection
	err    error
	closed bool
}

var _ backend.Conn = (*conn)(nil)

var errClosed = errors.New("this connection is closed")

// Do implements backend.Conn.
func (c *conn) Do(args []string) ([]byte, error) {
	s := c.s
	switch {
	case s.err != nil:
		return nil, s.err
	case c.closed:
		return nil, s.unavailable(errClosed, "")
	case c.err != nil:
		return nil, c.err
	case len(args) == 0:
		return nil, s.refuse(args, "it is empty")
	}
	if s.shift == nil {
		if err := s.guard(args); err != nil {
			return nil, err
		}
	}
	if k := kindOf(args[0]); k != plain {
		return c.special(k, args)
	}
	raw, err := c.roundTrip(args)
	return bytes.Clone(raw), err
}

// roundTrip executes a command on the link. The reply is valid until the next one.
func (c *conn) roundTrip(args []string) ([]byte, error) {
	if err := c.prepare(); err != nil {
		return nil, err
	}
	raw, err := c.l.exchange(args)
	if err != nil {
		return nil, c.broken(args, err)
	}
	return raw, nil
}

// prepare sees to it that the link is there and that the next command meets the server as it must be.
func (c *conn) prepare() error {
	s := c.s
	if s.moved {
		if err := s.sweep(); err != nil {
			return err
		}
	}
	if err := c.attach(); err != nil {
		return err
	}
	s.touched = true
	l := c.l
	if l.stale || !l.authed || l.have != c.want {
		l.reconcile(&c.want, s.opts.Auth)
	}
	s.frontFlush(l)
	if c.begun {
		c.begun = false
		l.dirty = true
		l.queue("MULTI")
	}
	return nil
}

func (c *conn) attach() error {
	if c.l != nil {
		return nil
	}
	l, err := c.s.take()
	if err != nil {
		return c.s.gone(err)
	}
	c.l = l
	return nil
}

// exchange sends what is queued and a command, and returns its reply.
func (l *link) exchange(args []string) ([]byte, error) {
	l.out = wire.AppendCommand(l.out, args...)
	if err := l.send(); err != nil {
		return nil, err
	}
	return l.reply()
}

// broken handles the failure of a link: of this connection alone if the server still answers, else of the server.
func (c *conn) broken(args []string, err error) error {
	s := c.s
	c.l.sock.Close()
	c.l = nil
	if err == errTimeout {
		return s.failed(args, err)
	}
	if _, alive := s.control("PING"); alive == nil {
		c.err = s.unavailable(errors.Join(backend.ErrDropped, err), "")
		return c.err
	}
	return s.err
}

// guard asks who owns the server about a command as the client sent it.
func (s *Server) guard(args []string) error {
	if s.opts.Guard == nil {
		return nil
	}
	if reason := s.opts.Guard(args); reason != "" {
		return s.refuse(args, reason)
	}
	return nil
}

func (s *Server) refuse(args []string, reason string) error {
	return &backend.RefusedError{Backend: s.opts.Name, Command: clipCommand(args), Reason: reason}
}

// clipCommand is a command for a message.
func clipCommand(args []string) string {
	const words, long = 4, 40
	var b strings.Builder
	for i, a := range args {
		if i > 0 {
			b.WriteByte(' ')
		}
		if i == words {
			b.WriteString("…")
			break
		}
		if len(a) > long {
			a = a[:long] + "…"
		}
		b.WriteString(wire.Quote(a))
	}
	return b.String()
}

// Pushes implements backend.Conn.
func (c *conn) Pushes() ([]byte, error) {
	s := c.s
	switch {
	case s.err != nil:
		return nil, s.err
	case c.closed || c.err != nil || c.l == nil:
		return c.takePushes(), nil
	}
	if c.l.listening && !c.multi { // inside MULTI a PING would be queued
		if err := c.prepare(); err != nil {
			return nil, err
		}
		c.l.ping()
		err := c.l.send()
		if err == nil {
			_, err = c.l.untilPong()
		}
		if err != nil {
			return nil, c.broken([]string{"PING"}, err)
		}
	}
	return c.takePushes(), nil
}

func (c *conn) takePushes() []byte {
	if c.l != nil && len(c.l.held) > 0 {
		c.pushes = append(c.pushes, c.l.held...)
		c.l.held = c.l.held[:0]
	}
	p := c.pushes
	c.pushes = nil
	return p
}

// Close implements backend.Conn.
func (c *conn) Close() error {
	if c.closed {
		return nil
	}
	c.closed = true
	s := c.s
	for i, other := range s.conns {
		if other == c {
			s.conns = append(s.conns[:i], s.conns[i+1:]...)
			break
		}
	}
	c.release()
	return nil
}

// release gives the link back, in a state in which nobody else can notice it.
func (c *conn) release() {
	l := c.l
	if l == nil {
		return
	}
	c.l = nil
	s := c.s
	if s.err != nil {
		l.sock.Close()
		return
	}
	l.out, l.skip = l.out[:0], l.skip[:0]
	l.stale, l.dirty = l.stale || l.dirty, false
	if l.listening {
		// Publishers count subscribers, so it must be gone now and not at the next use.
		state := fresh
		state.lib, state.version = l.have.lib, l.have.version
		l.stale = true
		l.reconcile(&state, s.opts.Auth)
		l.ping()
		err := l.send()
		if err == nil {
			_, err = l.untilPong()
		}
		if err != nil {
			l.sock.Close()
			return
		}
	}
	l.held = l.held[:0]
	s.idle = append(s.idle, l)
}
