package embedded

import (
	"fmt"
	"slices"
	"strings"

	"github.com/racebench/racebench/interleave/backend"
	"github.com/racebench/racebench/interleave/command"
)

// Conn is the server's side of one connection: its protocol version, database, transaction and subscriptions.
type Conn struct {
	s      *Server
	id     int64
	closed bool
	name   string
	proto  int
	db     int

	multi    bool
	queue    []queued
	spoiled  bool // a command was rejected while queueing, so EXEC must fail
	watching []watchKey
	dirty    bool // a watched key was changed, so EXEC must do nothing

	channels []string // in order of subscription
	patterns []string
	pushes   []byte
}

var _ backend.Conn = (*Conn)(nil)

type queued struct {
	run  handler
	args []string
}

// handler executes one command, whose number of words was checked.
type handler func(x *call, args []string)

// call is one command that is being executed.
type call struct {
	reply
	s        *Server
	c        *Conn
	num      int // the database
	peer     *peer
	inMulti  bool   // within EXEC or a script: nothing blocks
	inScript bool   // within a script
	refused  string // why the result would differ from a real server's
}

// refuse ends a command that can't be done exactly. Whatever it answered is dropped.
func (x *call) refuse(format string, args ...any) {
	if x.refused == "" {
		x.refused = fmt.Sprintf(format, args...)
	}
}

// touch tells those who watch the key that it was changed, where the server calls signalModifiedKey.
func (x *call) touch(key string) {
	if len(x.s.watched) > 0 {
		x.s.touch(x.num, key)
	}
}

// Do executes one command.
func (c *Conn) Do(args []string) (raw []byte, err error) {
	switch {
	case c.closed:
		return nil, errClosed("the connection is closed")
	case c.s.broken != "":
		return nil, errClosed("miniredis panicked before: " + c.s.broken)
	case len(args) == 0:
		return nil, errClosed("a command without words")
	}
	defer func() {
		if p := recover(); p != nil {
			c.s.broken, c.s.script, c.s.passing = fmt.Sprint(p), nil, false
			raw, err = nil, refused(args, "miniredis panics: "+c.s.broken)
		}
	}()
	x := call{s: c.s, c: c, reply: reply{proto: c.proto, out: make([]byte, 0, 64)}}
	x.selectDB(c.db)
	c.process(&x, args)
	if x.refused != "" {
		return nil, refused(args, x.refused)
	}
	return x.out, nil
}

func refused(args []string, reason string) error {
	return &backend.RefusedError{Backend: "embedded", Command: shorten(args), Reason: reason,
		Hint: "a real server does it: redis-server as process"}
}

func (x *call) selectDB(num int) { x.num, x.peer = num, x.s.peers[num] }

// process does what the server's processCommand does: rejects, queues or executes.
func (c *Conn) process(x *call, args []string) {
	info, known := command.Lookup(args)
	if !known && c.s.m.Server().IsRegisteredCommand(args[0]) {
		x.refuse("redis %s, which embedded is like, does not have this command", redisVersion)
		return
	}
	if problem := checkCommand(info, args); problem != "" {
		c.reject(x, info, problem)
		return
	}
	if c.proto == 2 && c.subscriptions() > 0 && !allowedSubscribed[info.Name] {
		c.reject(x, info, "ERR Can't execute '"+fullName(info)+"': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context")
		return
	}
	run, ok := handlers[info.Name]
	if !ok {
		x.refuse("not proven equal to a real server")
		return
	}
	if !c.multi || controlsMulti[info.Name] {
		run(x, args)
		return
	}
	switch {
	case info.Flags.Has(command.NoMulti):
		c.reject(x, info, "ERR Command not allowed inside a transaction")
	case info.Flags.Has(command.PubSub) && info.Name != "PUBLISH" || info.Name == "HELLO":
		x.refuse("within a transaction")
	default:
		c.queue = append(c.queue, queued{run, slices.Clone(args)})
		x.simple("QUEUED")
	}
}

// controlsMulti are the commands that a transaction doesn't queue.
var controlsMulti = map[string]bool{"EXEC": true, "DISCARD": true, "MULTI": true, "WATCH": true, "QUIT": true, "RESET": true}

// allowedSubscribed are the commands that a RESP2 connection with subscriptions may use.
var allowedSubscribed = map[string]bool{"PING": true, "SUBSCRIBE": true, "SSUBSCRIBE": true, "PSUBSCRIBE": true,
	"UNSUBSCRIBE": true, "SUNSUBSCRIBE": true, "PUNSUBSCRIBE": true, "QUIT": true, "RESET": true}

// checkCommand is the error for a command that is unknown or has a wrong number of words; "" when neither.
func checkCommand(info *command.Info, args []string) string {
	switch {
	case info == nil:
		var list strings.Builder
		for _, a := range args[1:] {
			if list.Len() >= 128 {
				break
			}
			fmt.Fprintf(&list, "'%s' ", truncate(a, 128-list.Len()))
		}
		return "ERR unknown command '" + truncate(args[0], 128) + "', with args beginning with: " + list.String()
	case info.Container() && len(args) > 1:
		return "ERR unknown subcommand '" + truncate(args[1], 128) + "'. Try " + strings.ToUpper(args[0]) + " HELP."
	case !info.ArityOK(len(args)):
		return errArity(fullName(info))
	}
	return ""
}

// fullName is the name as the server has it in messages: xgroup|create.
func fullName(info *command.Info) string {
	return strings.ReplaceAll(strings.ToLower(info.Name), " ", "|")
}

func truncate(s string, n int) string { return s[:min(n, len(s))] }

// reject answers an error to a command that was not executed, which spoils a transaction.
func (c *Conn) reject(x *call, info *command.Info, text string) {
	if info != nil && info.Name == "EXEC" {
		c.endMulti()
		x.err("EXECABORT Transaction discarded because of: " + strings.TrimPrefix(text, "ERR "))
		return
	}
	if c.multi {
		c.spoiled = true
	}
	x.err(text)
}

// Pushes returns what came by pub/sub.
func (c *Conn) Pushes() ([]byte, error) {
	if c.closed {
		return nil, errClosed("the connection is closed")
	}
	p := c.pushes
	c.pushes = nil
	return p, nil
}

// Close drops the connection, its subscriptions and what it watches.
func (c *Conn) Close() error {
	if c.closed {
		return nil
	}
	c.endMulti()
	c.unsubscribeAll()
	c.closed = true
	delete(c.s.conns, c)
	return nil
}

// shorten is a command line for an error message.
func shorten(args []string) string {
	var b strings.Builder
	for i, a := range args {
		if i > 0 {
			b.WriteByte(' ')
		}
		if b.Len() > 60 {
			b.WriteString("…")
			break
		}
		b.WriteString(truncate(oneLine(a), 40))
	}
	return b.String()
}
