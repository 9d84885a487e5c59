package interleave

import (
	"crypto/sha1"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/racebench/racebench/interleave/command"
	"github.com/racebench/racebench/interleave/schedule"
	"github.com/racebench/racebench/interleave/wire"
)

// op is an operation: one Redis command, or one transaction at its EXEC, that an actor has sent and that waits at the
// gate. Other kinds of operations are calls: a goroutine of the actor waits in each.
type op struct {
	kind    kind
	actor   *Actor
	s       *session      // of a command
	sql     *sent         // of a statement
	wake    chan struct{} // of a call, closed when it has been performed
	seq     int           // arrival, in the fixed order; 0 until the scheduler has numbered it
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
	went    bool      // it has become a step
}

func newOp(s *session, args []string, caller *site) *op {
	args[0] = strings.ToUpper(args[0]) // as the server spells it, once
	o := &op{kind: redisCommand{}, actor: s.actor, s: s, args: args, caller: caller, name: args[0]}
	if info, ok := command.Lookup(args); ok {
		o.name, o.flags, o.found = info.Name, info.Flags, true
	}
	return o
}

// server is the name of the server that o is sent to, and conn the number of its connection; of a call there are none.
func (o *op) server() string {
	if o.s == nil {
		return ""
	}
	return o.s.on.name
}

func (o *op) conn() int {
	if o.s == nil {
		return 0
	}
	return o.s.conn.id
}

// is reports whether a pattern of a schedule means o; it does not look at Nth.
func (o *op) is(m schedule.Match) bool { return m.Matches(o.server(), o.name, o.keyNames()) }

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
			list = append(list, touch{dbKey{o.s.on.name, db, k.Name}, k.Access})
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

// keyNames are the names of the keys, each once; of a point its label.
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

// fullNames are the names of the keys as traces show them, each once.
func (o *op) fullNames() []string {
	list, _ := o.touches()
	if !slices.ContainsFunc(list, func(t touch) bool { return t.server != "" || t.db != 0 }) {
		return o.keyNames()
	}
	var names []string
	for _, t := range list {
		if n := t.String(); !slices.Contains(names, n) {
			names = append(names, n)
		}
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
