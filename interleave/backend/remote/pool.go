package remote

import (
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
	"time"
)

// maxIdle bounds the connections kept between worlds.
const maxIdle = 256

// dial makes a new connection.
func (s *Server) dial() (*link, error) {
	sock, err := s.connect()
	if err != nil {
		return nil, err
	}
	s.links++
	return &link{sock: sock, seq: s.links, have: fresh}, nil
}

func (s *Server) connect() (socket, error) {
	if s.dog == nil {
		return dialRaw(s.opts.Addr, s.opts.ReplyTimeout)
	}
	addr, config, timeout := s.opts.Addr, s.opts.TLS, s.opts.ReplyTimeout
	s.dog.dials <- func() (net.Conn, error) {
		d := net.Dialer{Timeout: timeout}
		if config != nil {
			return tls.DialWithDialer(&d, addr.Network(), addr.String(), config)
		}
		return d.Dial(addr.Network(), addr.String())
	}
	got := <-s.dog.made
	if err := got.err; err != nil {
		var late net.Error
		switch {
		case errors.As(err, &late) && late.Timeout() && config != nil:
			err = fmt.Errorf("connect %s: no connection with TLS within %s: %w", addr, short(timeout), err)
		case errors.As(err, &late) && late.Timeout():
			err = fmt.Errorf("connect %s: no answer within %s: %w", addr, short(timeout), err)
		case config != nil:
			err = fmt.Errorf("connect %s with TLS: %w", addr, err)
		}
		return nil, err
	}
	return &netSocket{c: got.c, dog: s.dog}, nil
}

// take returns the oldest free connection, or a new one.
func (s *Server) take() (*link, error) {
	if len(s.idle) > 0 {
		l := s.idle[0]
		s.idle = s.idle[:copy(s.idle, s.idle[1:])]
		return l, nil
	}
	return s.dial()
}

// trimIdle closes the connections beyond the bound.
func (s *Server) trimIdle() {
	for len(s.idle) > maxIdle {
		last := len(s.idle) - 1
		s.idle[last].sock.Close()
		s.idle = s.idle[:last]
	}
}

// closeIdle closes every free connection, so that CLIENT LIST shows those of the world alone (and the control
// connection).
func (s *Server) closeIdle() {
	for _, l := range s.idle {
		l.sock.Close()
	}
	s.idle = s.idle[:0]
}

// dropLinks closes every connection.
func (s *Server) dropLinks() {
	for _, c := range s.conns {
		if c.l != nil {
			c.l.sock.Close()
			c.l = nil
		}
	}
	s.closeIdle()
	if s.ctl != nil {
		s.ctl.sock.Close()
		s.ctl = nil
	}
}

// control executes a command that no client asked for. The reply is valid until the next command.
func (s *Server) control(args ...string) ([]byte, error) {
	if s.err != nil {
		return nil, s.err
	}
	l := s.ctl
	s.frontFlush(l)
	raw, err := l.exchange(args)
	if err != nil {
		return nil, s.failed(args, err)
	}
	return raw, nil
}

// frontFlush queues the flush that Reset has put off.
func (s *Server) frontFlush(l *link) {
	if !s.flush {
		return
	}
	s.flush = false
	l.queue("FLUSHALL")
	for _, name := range slices.Sorted(maps.Keys(s.settings)) {
		l.queue("CONFIG", "SET", name, s.settings[name])
	}
	clear(s.settings)
	if s.functions {
		l.queue("FUNCTION", "FLUSH")
		s.functions = false
	}
	if s.scripts.full() {
		l.queue("SCRIPT", "FLUSH")
		s.scripts.forget()
	}
}

// failed turns the failure of one exchange into what the caller gets.
func (s *Server) failed(args []string, err error) error {
	if err == errTimeout {
		err = fmt.Errorf("the server did not answer %s within %s: %w", strings.ToUpper(args[0]),
			short(s.opts.ReplyTimeout), err)
	}
	return s.gone(err)
}

// short prints 10 s rather than 10s.
func short(d time.Duration) string {
	if d%time.Second == 0 {
		return fmt.Sprintf("%d s", d/time.Second)
	}
	return d.String()
}
