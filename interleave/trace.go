package interleave

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/racebench/racebench/interleave/schedule"
	"github.com/racebench/racebench/interleave/wire"
)

// StepKind is the kind of thing that happened.
type StepKind string

// The kinds of steps.
const (
	StepOperation StepKind = "operation" // a command was executed, or lost on its way
	StepPoint     StepKind = "point"     // a goroutine went on from a point of its actor
	StepArrive    StepKind = "arrive"    // a command came after its client had given up
	StepDeliver   StepKind = "deliver"   // a message reached its client, or was lost
	StepClock     StepKind = "clock"     // the clock moved
	StepCrash     StepKind = "crash"     // an actor died between commands
	StepServer    StepKind = "server"    // a fault of the server
)

// Step is one thing that happened, with what was observed.
type Step struct {
	N       int           // from 1
	Kind    StepKind      // what happened
	Actor   string        // whose; empty for the clock and a fault of a server
	Server  string        // which of several servers; empty for the one without a name, and where no server is concerned
	SQL     bool          // a statement to the SQL database
	Name    string        // the command, upper case, with its subcommand
	Command []string      // as sent; a script by its digest; of SQL the statement, then its arguments
	Queued  [][]string    // the commands of a transaction, for EXEC
	Keys    []string      // keys that it names, as changes name them; the channel of a message
	Fault   string        // crash, lost, unsent, late, drop; restart, failover(2), flushscripts, evict
	Reply   string        // as for wire.Value.String; empty when nothing was executed
	IsErr   bool          // the reply is an error
	Advance time.Duration // of the clock
	At      time.Duration // virtual time since the world began, after the step
	Changes []Change      // what the step did to keys
	Wrote   bool          // it executed a command that may write
	Since   int           // the step after which the operation had come to the gate, where it waited; 0 for before the first
	Caller  string        // file:line inside the subject
	Events  []string      // what became of actors by the next step: notes, ends

	names  []string // of Keys, without server and database
	foot   footprint
	noted  bool // an actor made a note after it
	forced bool // a schedule asked for exactly this
	apart  bool // a move of the clock that must not be joined with the next
	idle   bool // the clock moved until something came, and nobody had said how far
	nth    int  // place among the waiting operations that the token would match
}

// Trace is a schedule with what was observed.
type Trace struct {
	Before     []KeyState // what was there before the first step
	Events     []string   // what became of actors before the first step
	Steps      []*Step    // in the order in which they happened
	After      []KeyState // what was there after the last step
	Undeclared []Change   // changes that no step named, found at the end
	Notes      []Note     // of all actors, in order
	Bound      string     // the bound that ended the trace too early, or empty
	Waited     []Waited   // operations that came to the gate and never went through: their actor died, or gave up

	spans []namedSpan // of the windows that the world declares
	lives []life      // of the actors, by name
}

// Waited is an operation that waited at the gate and became no step. It is noted where a whole trace is kept, not while
// searching.
type Waited struct {
	Actor string `json:"actor"`           // whose
	Text  string `json:"text"`            // "GET job:1 (start.go:41)"
	Since int    `json:"since"`           // the step after which it had come
	Until int    `json:"until,omitempty"` // the step after which it was gone; 0 for still there at the end
}

// KeyState is a key with its value.
type KeyState struct {
	Key   string `json:"key"`   // its name
	Value *Entry `json:"value"` // nil for none
}

func (m image) list() []KeyState {
	list := make([]KeyState, 0, len(m))
	for _, k := range m.sorted() {
		list = append(list, KeyState{k.String(), m[k]})
	}
	return list
}

func (t *Trace) last() *Step {
	if len(t.Steps) == 0 {
		return nil
	}
	return t.Steps[len(t.Steps)-1]
}

// lastActor is the actor of the last step that had one.
func (t *Trace) lastActor() string {
	for _, s := range slices.Backward(t.Steps) {
		if s.Actor != "" {
			return s.Actor
		}
	}
	return ""
}

// touched reports whether the last step can have changed data, in a way that its changes show or not.
func (t *Trace) touched() bool {
	s := t.last()
	return s == nil || s.Wrote || len(s.Changes) > 0
}

// Schedule is the schedule that makes exactly these steps happen again.
func (t *Trace) Schedule() schedule.Schedule {
	out := make(schedule.Schedule, 0, len(t.Steps))
	for _, s := range t.Steps {
		out = append(out, s.Token())
	}
	return out
}

// matches reports whether m means the operation of the step; it does not look at Nth.
func (s *Step) matches(m schedule.Match) bool {
	names := s.names
	if names == nil {
		names = s.Keys // of a step that no world has made
	}
	return m.Matches(s.Server, s.Name, names)
}

// Token is the token that makes this step happen.
func (s *Step) Token() schedule.Token {
	t := schedule.Token{Actor: s.Actor}
	word, _, _ := strings.Cut(s.Name, " ")
	switch s.Kind {
	case StepOperation:
		t.Kind = schedule.Op
		t.Match = schedule.Match{Command: word, Server: s.Server, Nth: max(s.nth, 1)}
		t.Fault = map[string]schedule.Fault{"crash": schedule.CrashAfter, "lost": schedule.Lost, "unsent": schedule.Unsent, "late": schedule.Late}[s.Fault]
	case StepPoint:
		t.Kind = schedule.Op
		t.Match = schedule.Match{Command: schedule.Point, Keys: s.Command[1:], Nth: max(s.nth, 1)}
		if s.Fault == "crash" {
			t.Fault = schedule.CrashAfter
		}
	case StepCrash:
		t.Kind, t.Fault = schedule.Op, schedule.CrashBefore
		t.Match.Nth = 1
	case StepArrive:
		t.Kind = schedule.Arrive
		t.Match.Nth = max(s.nth, 1)
	case StepDeliver:
		t.Kind = schedule.Deliver
		t.Match.Nth = max(s.nth, 1)
		if s.Fault == "drop" {
			t.Fault = schedule.Drop
		}
	case StepClock:
		t.Kind, t.Duration = schedule.Advance, s.Advance
	case StepServer:
		t.Server = s.Server
		kind, n, _ := strings.Cut(s.Fault, "(")
		switch kind {
		case "restart":
			t.Kind = schedule.Restart
		case "failover":
			t.Kind = schedule.Failover
			t.N, _ = strconv.Atoi(strings.TrimSuffix(n, ")"))
		case "flushscripts":
			t.Kind = schedule.FlushScripts
		case "evict":
			t.Kind, t.Key = schedule.Evict, s.Keys[0]
			if s.Server != "" {
				t.Key = strings.TrimPrefix(t.Key, s.Server+"/")
			}
		}
	}
	return t
}

// String is the trace as text: one line for each step and, indented, what it did. Equal traces are equal texts.
func (t *Trace) String() string {
	var b strings.Builder
	for _, e := range t.Events {
		fmt.Fprintf(&b, "      %s\n", e)
	}
	for _, s := range t.Steps {
		fmt.Fprintf(&b, "%4d  %-9s %s", s.N, formatAt(s.At), s.Summary())
		if s.Caller != "" {
			fmt.Fprintf(&b, "  %s", s.Caller)
		}
		b.WriteByte('\n')
		for _, c := range s.Changes {
			fmt.Fprintf(&b, "      %s\n", c)
		}
		for _, e := range s.Events {
			fmt.Fprintf(&b, "      %s\n", e)
		}
	}
	for _, c := range t.Undeclared {
		fmt.Fprintf(&b, "      no command named it: %s\n", c)
	}
	if t.Bound != "" {
		fmt.Fprintf(&b, "      ended by a bound: %s\n", t.Bound)
	}
	for _, k := range t.After {
		fmt.Fprintf(&b, "      %s = %s%s\n", k.Key, k.Value, k.Value.expiry())
	}
	return b.String()
}

// Summary is the step in one line, with its actor: "A GET job:1 → nil".
func (s *Step) Summary() string {
	text := s.Text()
	if s.Actor != "" {
		return s.Actor + " " + text
	}
	return text
}

// Text is the step in one line, without its actor.
func (s *Step) Text() string {
	switch s.Kind {
	case StepClock:
		return "clock +" + s.Advance.String()
	case StepCrash:
		if len(s.Command) > 0 {
			return "crashes before " + s.wording()
		}
		return "crashes"
	case StepServer:
		who := "server "
		if s.Server != "" {
			who += s.Server + " "
		}
		if s.Fault == "evict" {
			return who + "evicts " + s.Keys[0]
		}
		return who + s.Fault
	case StepDeliver:
		from := ""
		if s.Server != "" {
			from = " from " + s.Server
		}
		if s.Fault == "drop" {
			return "loses " + s.Reply + from
		}
		return "receives " + s.Reply + from
	case StepPoint:
		if s.Fault == "crash" {
			return commandText(s.Command) + " ✗ crashes"
		}
		return commandText(s.Command)
	}
	text := s.wording()
	if len(s.Queued) > 0 {
		parts := make([]string, len(s.Queued))
		for i, q := range s.Queued {
			parts[i] = commandText(q)
		}
		text += " {" + strings.Join(parts, "; ") + "}"
	}
	if s.Kind == StepArrive {
		text = "late " + text
	}
	switch s.Fault {
	case "unsent":
		return text + " ✗ never sent, connection lost"
	case "late":
		return text + " ✗ client gives up, still on its way"
	case "lost":
		return text + " → " + s.Reply + " ✗ reply lost"
	case "crash":
		return text + " → " + s.Reply + " ✗ crashes"
	}
	return text + " → " + s.Reply
}

// onServerText is a command with the server that it is sent to, where that has a name: "SET@r1 lock a".
func onServerText(server string, args []string) string {
	text := commandText(args)
	if server == "" {
		return text
	}
	word, rest, _ := strings.Cut(text, " ")
	return strings.TrimRight(word+"@"+server+" "+rest, " ")
}

func commandText(args []string) string {
	parts := make([]string, len(args))
	for i, a := range args {
		parts[i] = wire.Quote(a)
	}
	return strings.Join(parts, " ")
}

// String is the change in one line: "job:1 = {status: RUNNING} (was none)".
func (c Change) String() string {
	key := wire.Quote(c.Key)
	if c.After == nil {
		return key + " gone (was " + c.Before.String() + ")"
	}
	s := key + " = " + c.After.String() + c.After.expiry()
	if c.Before == nil {
		return s + " (new)"
	}
	if c.Before.String() != c.After.String() {
		return s + " (was " + c.Before.String() + ")"
	}
	return s
}

func (e *Entry) expiry() string {
	if e == nil || e.Expires < 0 {
		return ""
	}
	return " until " + formatAt(e.Expires)
}

// formatAt prints a virtual time since the beginning of the world.
func formatAt(d time.Duration) string { return "+" + d.String() }

// MarshalJSON writes the step in the form that docs/results.md describes.
func (s *Step) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		N       int        `json:"n"`
		Kind    StepKind   `json:"kind"`
		Actor   string     `json:"actor,omitempty"`
		Server  string     `json:"server,omitempty"`
		SQL     bool       `json:"sql,omitempty"`
		Token   string     `json:"token"`
		Command []string   `json:"command,omitempty"`
		Queued  [][]string `json:"queued,omitempty"`
		Keys    []string   `json:"keys,omitempty"`
		Fault   string     `json:"fault,omitempty"`
		Reply   string     `json:"reply,omitempty"`
		Advance string     `json:"advance,omitempty"`
		At      string     `json:"at"`
		Changes []Change   `json:"changes,omitempty"`
		Since   int        `json:"since,omitempty"`
		Caller  string     `json:"caller,omitempty"`
		Events  []string   `json:"events,omitempty"`
	}{s.N, s.Kind, s.Actor, s.Server, s.SQL, s.Token().String(), s.Command, s.Queued, s.Keys, s.Fault, s.Reply, durationText(s.Advance), s.At.String(), s.Changes, s.Since, s.Caller, s.Events})
}

func durationText(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return d.String()
}

// String names an operation that waits: "GET job:1 (start.go:41)".
func (o *op) String() string {
	text := o.kind.text(o)
	if at := o.caller.text; at != "" {
		text += " (" + at + ")"
	}
	return text
}
