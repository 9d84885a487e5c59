package interleave

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/racebench/racebench/interleave/backend"
	"github.com/racebench/racebench/interleave/wire"
)

// session is the scheduler's side of one client connection: the mirror connection to the backend and the protocol state
// that the scheduler has to know.
type session struct {
	eng    *engine
	on     *server
	actor  *Actor // nil for a connection that does not pass the gate
	conn   *conn  // nil likewise
	mirror backend.Conn

	proto     int // 2 or 3
	db        int
	multi     bool
	queued    [][]string // commands of the open transaction
	watched   []string   // keys that this connection watches
	listening bool       // pushes may come: subscribed, or client tracking
	closed    bool

	unread []byte // bytes of an unfinished command
	marks  []mark
	ops    []*op  // read and not yet executed, first come first
	pushes []push // come from the server and not yet delivered, oldest first

	delivered int // pushes so far
}

// push is a frame that the server sent beside replies.
type push struct {
	raw   []byte
	value wire.Value
}

// channel is the channel of a message, or empty.
func (p push) channel() string {
	e := p.value.Elems
	if len(e) < 2 {
		return ""
	}
	if e[0].Str == "pmessage" && len(e) > 2 {
		return e[2].Str
	}
	return e[1].Text()
}

func (v *server) newSession(a *Actor, c *conn) (*session, error) {
	m, err := v.Open()
	if err != nil {
		return nil, err
	}
	v.used = true
	return &session{eng: v.eng, on: v, actor: a, conn: c, mirror: m, proto: 2}, nil
}

// close drops the connection as the server sees it.
func (s *session) close() {
	if s.closed {
		return
	}
	s.closed = true
	s.ops, s.pushes = nil, nil
	s.mirror.Close()
}

// do executes one command on the mirror connection and keeps track of what it did to the connection. The error is the
// backend's, or of a command that nobody can be allowed.
func (s *session) do(args []string) ([]byte, error) {
	name := strings.ToUpper(args[0])
	if why, no := forbidden[name]; no {
		return nil, &backend.RefusedError{Backend: s.on.Name(), Command: shorten(args), Reason: why}
	}
	if err := s.on.syncClock(); err != nil {
		return nil, err
	}
	if !s.multi {
		if b := parseBlocking(args); b != nil {
			return s.doBlocking(b)
		}
	}
	raw, err := s.mirror.Do(args)
	if err != nil {
		return nil, err
	}
	s.follow(name, args, raw)
	return raw, nil
}

// doOp executes an operation. One that would wait on the server has been prepared since it came.
func (s *session) doOp(o *op) ([]byte, error) {
	if o.block == nil {
		return s.do(o.args)
	}
	if err := s.on.syncClock(); err != nil {
		return nil, err
	}
	return s.doBlocking(o.block)
}

// forbidden are commands that would take the server away from its world, whatever the backend.
var forbidden = map[string]string{
	"SHUTDOWN":  "it would end the server",
	"MONITOR":   "it would see the scheduler's own commands",
	"SYNC":      "a world has no replicas",
	"PSYNC":     "a world has no replicas",
	"REPLICAOF": "a world has no replicas",
	"SLAVEOF":   "a world has no replicas",
	"FAILOVER":  "a world has no replicas; a schedule can say !failover",
	"DEBUG":     "it may stop or crash the server",
}

// follow updates what the session knows from a command and its reply.
func (s *session) follow(name string, args []string, raw []byte) {
	failed := len(raw) > 0 && (raw[0] == '-' || raw[0] == '!')
	if s.multi {
		switch {
		case name == "EXEC" || name == "DISCARD" || name == "RESET":
			if name == "EXEC" && len(raw) > 0 && raw[0] == '*' && !bytes.HasPrefix(raw, []byte("*-1")) {
				for _, q := range s.queued {
					s.db = selected(q, s.db)
				}
			}
			s.multi, s.queued, s.watched = false, nil, nil
		case !failed && name != "WATCH":
			s.queued = append(s.queued, args)
		}
		if name != "RESET" && name != "EXEC" {
			return
		}
	}
	if failed {
		return
	}
	switch name {
	case "MULTI":
		s.multi = true
	case "HELLO":
		if len(args) > 1 {
			if p, err := strconv.Atoi(args[1]); err == nil {
				s.proto = p
			}
		}
	case "SELECT":
		if len(args) > 1 {
			s.db, _ = strconv.Atoi(args[1])
		}
	case "WATCH":
		for _, k := range args[1:] {
			s.watched = append(s.watched, dbKey{s.on.name, s.db, k}.String())
		}
	case "UNWATCH":
		s.watched = nil
	case "RESET":
		s.proto, s.db, s.listening = 2, 0, false
	case "SUBSCRIBE", "PSUBSCRIBE", "SSUBSCRIBE":
		s.listening = true
	case "CLIENT":
		if len(args) > 1 && strings.EqualFold(args[1], "TRACKING") {
			s.listening = true
		}
	}
}

// passes reports whether a command goes through the gate without being an operation: it concerns its own connection
// alone, or is only queued by an open transaction.
func (s *session) passes(name string, args []string) bool {
	if s.multi {
		return name != "EXEC"
	}
	switch name {
	case "HELLO", "AUTH", "CLIENT", "SELECT", "RESET", "PING", "ECHO", "QUIT", "READONLY", "READWRITE", "ASKING",
		"COMMAND", "CLUSTER", "MULTI", "DISCARD", "UNWATCH", "LOLWUT":
		return true
	}
	return false
}

// pass executes a command that is no operation and answers it at once.
func (s *session) pass(o *op) error {
	if o.name == "QUIT" {
		s.conn.answer(wire.AppendSimple(nil, "OK"))
		s.conn.fail(errEOF)
		s.close()
		return nil
	}
	raw, err := s.do(o.args)
	if errors.Is(err, backend.ErrDropped) {
		s.eng.breakConn(s, errEOF)
		s.close()
		return nil
	}
	if err != nil {
		return err
	}
	s.conn.answer(raw)
	return nil
}

// read takes what the client has written and turns it into operations waiting in s.ops.
func (s *session) read() (closed bool, err error) {
	had := len(s.unread)
	s.unread, s.marks, closed = s.conn.take(s.unread, s.marks)
	if len(s.unread) == had {
		return closed, nil
	}
	pos := 0
	for {
		args, n, err := wire.ReadCommand(s.unread[pos:])
		if err != nil {
			return closed, fmt.Errorf("actor %s, connection %d: %w", s.actor.name, s.conn.id, err)
		}
		if n == 0 {
			break
		}
		if len(args) > 0 {
			s.ops = append(s.ops, newOp(s, args, s.callerAt(pos)))
		}
		pos += n
	}
	s.unread = append(s.unread[:0], s.unread[pos:]...)
	if len(s.unread) == 0 {
		s.marks = s.marks[:0]
	} else {
		for i := range s.marks {
			s.marks[i].offset -= pos
		}
	}
	return closed, nil
}

func (s *session) callerAt(pos int) *site {
	caller := &site{}
	for _, m := range s.marks {
		if m.offset > pos {
			break
		}
		caller = m.caller
	}
	return caller
}
