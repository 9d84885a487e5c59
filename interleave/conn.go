package interleave

import (
	"io"
	"net"
	"os"
	"sync"
	"time"
)

// conn is the client's end of an in-memory connection. What the client writes waits in in until the scheduler takes it;
// what the scheduler answers waits in out until the client reads it. Both sides block on a sync.Cond only, which a
// synctest bubble counts as durably blocked.
type conn struct {
	actor *Actor
	on    *server
	id    int // in order of dialling within the actor

	mu     sync.Mutex
	cond   *sync.Cond
	in     []byte
	marks  []mark // who wrote which part of in
	out    []byte
	broken error // what a read gives once out is empty: the scheduler broke the connection
	closed bool  // the client closed it

	read, write deadline
}

// mark says that the bytes of in from offset on were written from this call stack.
type mark struct {
	offset int
	caller *site
}

// deadline is one of the two deadlines of a connection, on the world's clock.
type deadline struct {
	timer  *time.Timer
	passed bool
}

func newConn(a *Actor, on *server, id int) *conn {
	c := &conn{actor: a, on: on, id: id}
	c.cond = sync.NewCond(&c.mu)
	return c
}

func (c *conn) Read(p []byte) (int, error) {
	c.mu.Lock()
	for {
		if err := c.dead(); err != nil {
			return 0, err
		}
		switch {
		case len(c.out) > 0:
			n := copy(p, c.out)
			c.out = c.out[n:]
			if len(c.out) == 0 {
				c.out = nil
			}
			c.mu.Unlock()
			return n, nil
		case c.closed:
			c.mu.Unlock()
			return 0, net.ErrClosed
		case c.broken != nil:
			err := c.broken
			c.mu.Unlock()
			return 0, err
		case c.read.passed:
			c.mu.Unlock()
			return 0, os.ErrDeadlineExceeded
		}
		c.cond.Wait()
	}
}

func (c *conn) Write(p []byte) (int, error) {
	caller := callerSite()
	c.mu.Lock()
	if err := c.dead(); err != nil {
		return 0, err
	}
	var err error
	switch {
	case c.closed:
		err = net.ErrClosed
	case c.broken != nil:
		// A peer that is gone is noticed at the next write, as a reset.
		err = &net.OpError{Op: "write", Net: "interleave", Err: io.ErrClosedPipe}
	case c.write.passed:
		err = os.ErrDeadlineExceeded
	}
	if err != nil {
		c.mu.Unlock()
		return 0, err
	}
	c.marks = append(c.marks, mark{len(c.in), caller})
	c.in = append(c.in, p...)
	c.mu.Unlock()
	c.actor.world.ring()
	return len(p), nil
}

// dead ends the calling goroutine, or returns an error to it, when its actor is dead. It is called with c.mu held and
// releases it before it does either.
func (c *conn) dead() error {
	if c.actor.life.Load() == alive {
		return nil
	}
	c.mu.Unlock()
	return c.actor.contact()
}

// Close is called by the client. Bytes that the scheduler has not taken yet are still on their way to the server.
func (c *conn) Close() error {
	c.mu.Lock()
	first := !c.closed
	c.closed = true
	c.read.stop()
	c.write.stop()
	c.cond.Broadcast()
	c.mu.Unlock()
	if first {
		c.actor.world.ring()
	}
	return nil
}

// fail breaks the connection from the server's side: reads give err once what was answered has been read.
func (c *conn) fail(err error) {
	c.mu.Lock()
	if c.broken == nil {
		c.broken = err
	}
	c.cond.Broadcast()
	c.mu.Unlock()
}

// wake lets blocked reads look at the actor's life again.
func (c *conn) wake() {
	c.mu.Lock()
	c.cond.Broadcast()
	c.mu.Unlock()
}

// answer hands bytes to the client.
func (c *conn) answer(raw []byte) {
	c.mu.Lock()
	c.out = append(c.out, raw...)
	c.cond.Broadcast()
	c.mu.Unlock()
}

// take appends all that the client has written to in and marks, and says whether it has closed the connection.
func (c *conn) take(in []byte, marks []mark) ([]byte, []mark, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.marks {
		marks = append(marks, mark{m.offset + len(in), m.caller})
	}
	in = append(in, c.in...)
	c.in, c.marks = c.in[:0], c.marks[:0]
	return in, marks, c.closed
}

func (c *conn) SetDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.read.set(c, t)
	c.write.set(c, t)
	return nil
}

func (c *conn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.read.set(c, t)
	return nil
}

func (c *conn) SetWriteDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.write.set(c, t)
	return nil
}

func (d *deadline) stop() {
	if d.timer != nil {
		d.timer.Stop()
		d.timer = nil
	}
}

// set is called with c.mu held.
func (d *deadline) set(c *conn, t time.Time) {
	d.stop()
	d.passed = false
	if t.IsZero() {
		return
	}
	wait := time.Until(t)
	if wait <= 0 {
		d.passed = true
		c.cond.Broadcast()
		return
	}
	var timer *time.Timer
	timer = time.AfterFunc(wait, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if d.timer == timer {
			d.passed = true
			c.cond.Broadcast()
		}
	})
	d.timer = timer
}

func (c *conn) LocalAddr() net.Addr  { return addr(c.actor.name) }
func (c *conn) RemoteAddr() net.Addr { return addr("interleave") }

// addr is the address of an in-memory connection.
type addr string

func (addr) Network() string  { return "interleave" }
func (a addr) String() string { return string(a) }
