package interleave

import (
	"bytes"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/racebench/racebench/interleave/backend"
	"github.com/racebench/racebench/interleave/command"
	"github.com/racebench/racebench/interleave/wire"
)

// session is the scheduler's side of one client connection: the mirror connection to the backend and the protocol state
// that the scheduler has to know.
type session struct {
	eng    *engine
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

func (e *engine) newSession(a *Actor, c *conn) (*session, error) {
	m, err := e.server.Open()
	if err != nil {
		return nil, err
	}
	return &session{eng: e, actor: a, conn: c, mirror: m, proto: 2}, nil
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
		return nil, &backend.RefusedError{Backend: s.eng.server.Name(), Command: shorten(args), Reason: why}
	}
	if err := s.eng.syncClock(); err != nil {
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
	if err := s.eng.syncClock(); err != nil {
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
			s.watched = append(s.watched, dbKey{s.db, k}.String())
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

// op is an operation: one Redis command, or one transaction at its EXEC, that an actor has sent and that waits at the
// gate.
type op struct {
	s       *session
	seq     int // arrival, in the fixed order; 0 until the scheduler has numbered it
	args    []string
	name    string // upper case, with the subcommand where there is one
	flags   command.Flags
	exec    [][]string // what a transaction has queued, once it is executed
	found   bool       // the command is in the table
	named   bool       // touched and told are filled in
	touched []touch    // keys that it names
	names   []string   // of touched, each once
	told    bool       // all its keys are known
	caller  *site
	at      time.Time // when it came, on the world's clock
	block   *blocking // not nil for a command that would wait on the server
	since   int       // step after which it came
}

func newOp(s *session, args []string, caller *site) *op {
	args[0] = strings.ToUpper(args[0]) // as the server spells it, once
	o := &op{s: s, args: args, caller: caller, name: args[0]}
	if info, ok := command.Lookup(args); ok {
		o.name, o.flags, o.found = info.Name, info.Flags, true
	}
	return o
}

// word is the first word of the command's name.
func (o *op) word() string {
	w, _, _ := strings.Cut(o.name, " ")
	return w
}

// script reports whether o runs a script.
func (o *op) script() bool { return isScript(o.args) }

func isScript(args []string) bool {
	if args[0] == "" || args[0][0]|0x20 != 'e' && args[0][0]|0x20 != 'f' {
		return false // most commands, at no cost
	}
	switch strings.ToUpper(args[0]) {
	case "EVAL", "EVALSHA", "EVAL_RO", "EVALSHA_RO", "FCALL", "FCALL_RO":
		return true
	}
	return false
}

// commands are the commands that o executes: the queued ones of a transaction, or itself.
func (o *op) commands() [][]string {
	if o.name == "EXEC" {
		return o.s.queued
	}
	return [][]string{o.args}
}

// touch is a key that an operation names, with what is done to it.
type touch struct {
	dbKey
	access command.Access
}

// touches are the keys of o; known is false when they can't be told. A transaction may change the database on its way.
func (o *op) touches() (list []touch, known bool) {
	if o.named && o.name != "EXEC" {
		return o.touched, o.told
	}
	known = true
	db := o.s.db
	for _, args := range o.commands() {
		keys, ok := command.Keys(args)
		for _, k := range keys {
			list = append(list, touch{dbKey{db, k.Name}, k.Access})
		}
		known = known && ok
		db = selected(args, db)
	}
	o.touched, o.told, o.named = list, known, true
	return list, known
}

// selected is the database after a command.
func selected(args []string, db int) int {
	if len(args) == 2 && strings.EqualFold(args[0], "SELECT") {
		if n, err := strconv.Atoi(args[1]); err == nil {
			return n
		}
	}
	return db
}

// keyNames are the names of the keys, each once.
func (o *op) keyNames() []string {
	if o.names != nil {
		return o.names
	}
	list, _ := o.touches()
	names := make([]string, 0, len(list))
	for _, t := range list {
		if !slices.Contains(names, t.key) {
			names = append(names, t.key)
		}
	}
	if o.name != "EXEC" {
		o.names = names
	}
	return names
}

// mayWrite reports whether o can change the data set.
func (o *op) mayWrite() bool {
	if o.name != "EXEC" {
		return !o.found || o.flags.Has(command.Write) || o.script() && !o.flags.Has(command.ReadOnly)
	}
	for _, args := range o.commands() {
		info, ok := command.Lookup(args)
		if !ok || info.Flags.Has(command.Write) || isScript(args) && !info.Flags.Has(command.ReadOnly) {
			return true
		}
	}
	return false
}

// mayPublish reports whether o can make the server push something.
func (o *op) mayPublish() bool { return o.flags&command.ReadOnly == 0 || o.name == "EXEC" }

// display is the command as the trace shows it.
func (o *op) display() []string { return displayed(o.args) }

// displayed spells a command as the server does. A script is named by its digest, whichever way it was sent, because
// the way depends on what the server had cached.
func displayed(args []string) []string {
	word := strings.ToUpper(args[0])
	if word == args[0] && !isScript(args) {
		return args
	}
	out := slices.Clone(args)
	out[0] = word
	if len(args) < 2 {
		return out
	}
	switch word {
	case "EVALSHA", "EVALSHA_RO":
		out[0] = strings.Replace(word, "EVALSHA", "EVAL", 1)
		out[1] = digestName(strings.ToLower(args[1]))
	case "EVAL", "EVAL_RO":
		out[1] = digestName(digest(args[1]))
	}
	return out
}

func digest(script string) string {
	sum := sha1.Sum([]byte(script))
	return hex.EncodeToString(sum[:])
}

func digestName(sha string) string {
	if len(sha) > 8 {
		sha = sha[:8]
	}
	return "sha:" + sha
}

func shorten(args []string) string {
	parts := make([]string, 0, 4)
	for i, a := range args {
		if i == 4 {
			parts = append(parts, "…")
			break
		}
		parts = append(parts, wire.Quote(clip(a, 40)))
	}
	return strings.Join(parts, " ")
}

// clip shortens s in the middle to at most n runes.
func clip(s string, n int) string {
	r := []rune(s)
	if len(r) <= n || n < 3 {
		return s
	}
	head := (n - 1) / 2
	return string(r[:head]) + "…" + string(r[len(r)-(n-1-head):])
}
