// Package embedded is the backend "embedded": miniredis in this process, with nothing to install.
//
// miniredis executes the commands. This layer keeps what it has no exact notion of: the state of a connection,
// transactions and WATCH, pub/sub, expiry to the millisecond, RESP3, and the errors that a server finds before it
// executes anything. Commands that the differential test has not shown to be equal to redis-server are refused with a
// [backend.RefusedError], never answered approximately. See docs/embedded.md.
//
// No goroutine and no channel outlives a call, so one server can serve worlds of different synctest bubbles, one after
// the other.
package embedded

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/alicebob/miniredis/v2"

	"github.com/racebench/racebench/interleave/backend"
)

// libraryVersion is the version of miniredis that the differential test was run with; a test compares it with go.mod.
const libraryVersion = "2.40.0"

// redisVersion is the server that embedded is proven equal to, and what it answers to HELLO.
const redisVersion = "7.0.15"

// databases is how many databases there are, as redis.conf has it by default.
const databases = 16

func init() {
	backend.Register("embedded", func(_ string, cfg backend.Config) (backend.Server, error) { return Open(cfg) })
}

// Server is an embedded Redis.
type Server struct {
	m     *miniredis.Miniredis
	peers [databases]*peer
	now   time.Time
	nowMs int64 // the same in whole milliseconds since 1970, which is all that expiry knows

	conns    map[*Conn]struct{}
	nextID   int64
	watched  map[watchKey][]*Conn
	channels map[string][]*Conn
	patterns []patternSub
	fields   map[watchKey][]string // the fields of each hash in the order in which they were added
	script   *scriptRun            // while a script runs
	sources  map[string]*source    // what is known of scripts by their text
	passing  bool                  // a command goes to miniredis as it is, though a script runs
	scanned  []string              // the last keys that SCANs returned; a cursor is a place here, from 1 on
	notes    map[string]struct{}
	broken   string // miniredis panicked
	closed   bool
}

var (
	_ backend.Server    = (*Server)(nil)
	_ backend.Abandoner = (*Server)(nil)
)

// Open makes an embedded Redis. Nothing in cfg matters to it.
func Open(backend.Config) (backend.Server, error) {
	s := &Server{}
	if err := s.start(); err != nil {
		return nil, &backend.UnavailableError{Backend: "embedded", Err: err}
	}
	s.clear()
	s.setNow(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC))
	return s, nil
}

// start makes a new miniredis without a listener: dialling is the one way to have it so, and the connection is dropped.
func (s *Server) start() error {
	s.m = miniredis.NewMiniRedis()
	conn, err := s.m.Dial()
	if err != nil {
		return err
	}
	conn.Close()
	for s.m.CurrentConnectionCount() > 0 {
		runtime.Gosched() // its goroutine must be gone before a bubble could count it
	}
	for db := range s.peers {
		s.peers[db] = newPeer(s.m.Server(), db)
	}
	s.m.Server().SetPreHook(s.beforeCommand)
	return nil
}

// Name is "embedded".
func (s *Server) Name() string { return "embedded" }

// Version names the library.
func (s *Server) Version() string { return "miniredis " + libraryVersion }

// Open makes a connection.
func (s *Server) Open() (backend.Conn, error) {
	if s.closed {
		return nil, errClosed("it was closed")
	}
	s.nextID++
	c := &Conn{s: s, id: s.nextID, proto: 2}
	s.conns[c] = struct{}{}
	return c, nil
}

// SetClock moves the clock. Keys that are due go, and whoever watches one of them will see EXEC fail.
func (s *Server) SetClock(now time.Time) error {
	if s.closed {
		return errClosed("it was closed")
	}
	if now.Before(s.now) {
		return fmt.Errorf("embedded: the clock can't go back from %v to %v", s.now, now)
	}
	passed := now.UnixMilli() - s.nowMs
	s.setNow(now)
	if passed == 0 {
		return nil
	}
	var alive []watchKey
	for w := range s.watched { // any order: each is touched or not on its own
		if s.m.DB(w.db).Exists(w.key) {
			alive = append(alive, w)
		}
	}
	// A server has a key until its last millisecond has passed, miniredis until nothing is left of it. A nanosecond
	// less makes that the same, and all such nanoseconds of a world are less than a millisecond.
	s.m.FastForward(time.Duration(passed)*time.Millisecond - 1)
	for _, w := range alive {
		if !s.m.DB(w.db).Exists(w.key) {
			s.touch(w.db, w.key)
		}
	}
	return nil
}

func (s *Server) setNow(now time.Time) {
	s.now, s.nowMs = now, now.UnixMilli()
	s.m.SetTime(time.UnixMilli(s.nowMs))
}

// Reset empties the server and drops all connections.
func (s *Server) Reset(now time.Time) error {
	if s.closed {
		return errClosed("it was closed")
	}
	for c := range s.conns { // any order: all are closed, and that tells nobody anything
		c.closed = true
	}
	if s.broken != "" {
		if err := s.start(); err != nil {
			return &backend.UnavailableError{Backend: "embedded", Err: err}
		}
		s.broken = ""
	}
	s.m.FlushAll()
	s.peers[0].do("SCRIPT", "FLUSH")
	s.clear()
	s.setNow(now)
	return nil
}

// clear forgets what is kept beside miniredis.
func (s *Server) clear() {
	s.conns, s.nextID = map[*Conn]struct{}{}, 0
	s.watched = map[watchKey][]*Conn{}
	s.channels, s.patterns = map[string][]*Conn{}, nil
	s.scanned = nil
	s.fields = map[watchKey][]string{}
	s.notes = map[string]struct{}{}
	s.script = nil
}

// Notes lists where embedded made a choice that a real server may make otherwise.
func (s *Server) Notes() []string {
	notes := make([]string, 0, len(s.notes))
	for n := range s.notes { // any order: sorted below
		notes = append(notes, n)
	}
	slices.Sort(notes)
	return notes
}

func (s *Server) note(text string) { s.notes[text] = struct{}{} }

// Close ends the server. It may be called twice.
func (s *Server) Close() error {
	if s.closed {
		return nil
	}
	for c := range s.conns { // any order: all are closed, and that tells nobody anything
		c.closed = true
	}
	s.closed = true
	if s.broken == "" { // else its lock may be held for ever
		s.m.Close()
	}
	return nil
}

// Abandon implements backend.Abandoner. There is nothing to free but memory, and locks may be held for ever.
func (s *Server) Abandon() error { return nil }

func errClosed(what string) error {
	return &backend.UnavailableError{Backend: "embedded", Err: errors.New(what)}
}
