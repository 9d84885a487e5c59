package remote

import (
	"errors"
	"net"
	"sync/atomic"
	"time"
)

// socket is a stream to the server. Read and Write fail with errTimeout when the reply timeout has passed in real time.
type socket interface {
	// Write sends all of b.
	Write(b []byte) error
	Read(b []byte) (int, error)
	Close() error
}

var (
	errTimeout = errors.New("timed out")
	errEOF     = errors.New("connection closed by the server")
)

// netSocket is a net.Conn whose limit is kept by a watchdog, for TLS and for systems without raw sockets.
type netSocket struct {
	c    net.Conn
	dog  *watchdog
	late atomic.Bool
}

func (s *netSocket) Write(b []byte) error {
	s.dog.enter(s)
	_, err := s.c.Write(b)
	return s.leave(err)
}

func (s *netSocket) Read(b []byte) (int, error) {
	s.dog.enter(s)
	n, err := s.c.Read(b)
	return n, s.leave(err)
}

func (s *netSocket) leave(err error) error {
	s.dog.leave()
	if err != nil && s.late.Load() {
		return errTimeout
	}
	return err
}

func (s *netSocket) Close() error { return s.c.Close() }

// watchdog closes the socket that has been in one call for too long. Its goroutine must be started outside of any
// bubble, where time is real.
type watchdog struct {
	calls atomic.Uint64 // odd while a call is on
	busy  atomic.Pointer[netSocket]
	dials chan func() (net.Conn, error)
	made  chan dialReply // not one a request: a channel made in a bubble can't be used outside
	done  chan struct{}
}

type dialReply struct {
	c   net.Conn
	err error
}

// ticks is how finely the watchdog measures the timeout.
const ticks = 20

func newWatchdog(timeout time.Duration) *watchdog {
	d := &watchdog{dials: make(chan func() (net.Conn, error)), made: make(chan dialReply), done: make(chan struct{})}
	go d.watch(timeout / ticks)
	go d.dialer()
	return d
}

func (d *watchdog) watch(tick time.Duration) {
	t := time.NewTicker(tick)
	defer t.Stop()
	var seen uint64
	same := 0
	for {
		select {
		case <-d.done:
			return
		case <-t.C:
		}
		now := d.calls.Load()
		if now%2 == 0 || now != seen {
			seen, same = now, 0
			continue
		}
		if same++; same < ticks {
			continue
		}
		if s := d.busy.Load(); s != nil && d.calls.Load() == now {
			s.late.Store(true)
			s.c.Close()
		}
	}
}

// dialer dials outside of bubbles: package net and crypto/tls use timers, the calendar and channels of their own.
func (d *watchdog) dialer() {
	for {
		select {
		case <-d.done:
			return
		case dial := <-d.dials:
			c, err := dial()
			d.made <- dialReply{c, err}
		}
	}
}

func (d *watchdog) enter(s *netSocket) {
	d.busy.Store(s)
	d.calls.Add(1)
}

func (d *watchdog) leave() { d.calls.Add(1) }

// stop ends the goroutines.
func (d *watchdog) stop() { close(d.done) }
