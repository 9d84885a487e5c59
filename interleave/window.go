package interleave

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/racebench/racebench/interleave/schedule"
)

// Span says between which of its operations an actor is inside a window. An operation is written as in a schedule, without
// the actor: SET, or SET(job:1) for one that touches the key. Only an operation that the server has executed counts.
type Span struct {
	Actor string // whose; empty for every actor
	// From is the operation with whose execution it begins; empty: the actor has come to the gate with its first.
	From string
	// To is the next operation after From, with whose execution it ends; an actor that comes to its end without it was
	// never inside. Crash: the actor dies. Empty: the end of the actor.
	To string
	// At, instead of From and To, is one operation: the actor is inside while it is executed.
	At string
}

// Crash is the end of a span that an actor does not survive.
const Crash = "!crash"

// Window names a window of the race that the world is about: the stretch in which two actors must be for it to happen. In an
// order it is open when two of them are inside at once. An exploration counts those orders (Exploration.Windows), and one
// in which a window never opened has not reached the race: it is undecided, not held. Several calls with one name add to one
// window. Without spans an actor is inside from its first operation at the gate until its end.
func (w *World) Window(name string, spans ...Span) {
	if w.late("window " + name) {
		return
	}
	if name == "" {
		w.fail(fmt.Errorf("interleave: a window needs a name"))
		return
	}
	if len(spans) == 0 {
		spans = []Span{{}}
	}
	for _, s := range spans {
		p, err := s.parse()
		if err != nil {
			w.fail(fmt.Errorf("interleave: window %q: %w", name, err))
			return
		}
		w.eng.trace.spans = append(w.eng.trace.spans, namedSpan{name, p})
	}
}

// namedSpan is a span of one of the windows of a world.
type namedSpan struct {
	window string
	span   parsedSpan
}

type parsedSpan struct {
	actor    string
	from, to *schedule.Match // nil: the beginning, the end
	crash    bool            // the actor dies in it
	instant  bool            // from is all of it
}

func (s Span) parse() (p parsedSpan, err error) {
	p.actor = s.Actor
	if s.Actor != "" {
		if err := schedule.CheckActor(s.Actor); err != nil {
			return p, err
		}
	}
	switch {
	case s.At != "" && (s.From != "" || s.To != ""):
		return p, fmt.Errorf("a span has At (here %s) or From and To, not both", s.At)
	case s.At != "":
		p.instant = true
		p.from, err = parseMatch(s.At)
		return p, err
	}
	if s.From != "" {
		if p.from, err = parseMatch(s.From); err != nil {
			return p, err
		}
	}
	switch s.To {
	case "":
	case Crash:
		p.crash = true
	default:
		p.to, err = parseMatch(s.To)
	}
	return p, err
}

// parseMatch reads an operation without its actor.
func parseMatch(text string) (*schedule.Match, error) {
	p, err := schedule.ParsePattern(schedule.AnyActor + "." + text)
	if err != nil {
		return nil, fmt.Errorf("%q: %w (allowed: SET, or SET(key))", text, err)
	}
	return &p.Match, nil
}

// life is when an actor was under way, as moments of the trace: step n happens at 2n, and what lies between it and the
// next at 2n+1.
type life struct {
	actor    string
	arrived  int // with its first operation, or never
	ended    int // or forever
	daemon   bool
	returned bool // its function has come to its end by itself
	dialled  int  // connections
	client   bool // it has asked for its client
	err      string
}

const never = math.MaxInt

// lives says when each actor was under way.
func (e *engine) lives() []life {
	out := make([]life, 0, len(e.actors))
	for _, a := range e.actors {
		l := life{actor: a.name, arrived: never, ended: never, daemon: a.daemon}
		if a.arrived > 0 {
			l.arrived = 2*(a.arrived-1) + 1
		}
		if a.left > 0 && a.life.Load() != crashed {
			l.ended, l.returned = 2*(a.left-1)+1, true
			if a.exit.err != nil {
				l.err = a.exit.err.Error()
			}
		}
		a.mu.Lock()
		l.dialled, l.client = a.dialled, len(a.clients) > 0
		a.mu.Unlock()
		out = append(out, l)
	}
	for _, s := range e.trace.Steps {
		if s.Fault != "crash" {
			continue
		}
		for i := range out {
			if out[i].actor == s.Actor && !out[i].returned {
				out[i].ended = 2*s.N + 1
			}
		}
	}
	return out
}

// stretch is a closed stretch of moments of a trace.
type stretch struct{ from, to int }

// meets reports whether two stretches of different actors have a moment in common.
func (s stretch) meets(o stretch) bool { return s.from < o.to && o.from < s.to }

// stretches are those in which an actor is inside a span.
func (p *parsedSpan) stretches(l life, steps []*Step) []stretch {
	if p.actor != "" && p.actor != l.actor || l.arrived == never {
		return nil
	}
	var out []stretch
	from := never // not inside
	if p.from == nil {
		from = l.arrived
	}
	for _, s := range steps {
		if s.Actor != l.actor {
			continue
		}
		switch {
		case !s.executed():
		case p.instant:
			if s.matches(*p.from) {
				out = append(out, stretch{2 * s.N, 2 * s.N})
			}
		case from != never:
			if p.to != nil && s.matches(*p.to) {
				out = append(out, stretch{from, 2 * s.N})
				if from = never; p.from == nil {
					return out
				}
			}
		case s.matches(*p.from):
			from = 2 * s.N
		}
		if p.crash && s.Fault == "crash" && from != never {
			return append(out, stretch{from, 2 * s.N})
		}
	}
	// Who comes to its end without the operation that ends the span was on another path: it found something and went away.
	if from == never || p.crash || p.to != nil && l.returned {
		return out
	}
	return append(out, stretch{from, l.ended})
}

// executed reports whether the server has executed the operation of the step.
func (s *Step) executed() bool {
	switch s.Kind {
	case StepOperation, StepPoint, StepArrive:
		return s.Fault != "unsent" && s.Fault != "late"
	}
	return false
}

// anyTwo is the window of a world without one: two actors have come to the gate and neither has ended.
var anyTwo = []namedSpan{{underWay, parsedSpan{}}}

// underWay is the name of that window.
const underWay = "two actors under way at once"

// opened lists the windows of some spans, each once, with whether it was open in this order.
func (t *Trace) opened(spans []namedSpan) (names []string, open []bool) {
	for i := 0; i < len(spans); i++ {
		name := spans[i].window
		if !slices.Contains(names, name) {
			names = append(names, name)
			open = append(open, t.isOpen(spans, name))
		}
	}
	return names, open
}

func (t *Trace) isOpen(spans []namedSpan, name string) bool {
	type inside struct {
		actor string
		stretch
	}
	var all []inside
	for i := range spans {
		if spans[i].window != name {
			continue
		}
		for _, l := range t.lives {
			for _, s := range spans[i].span.stretches(l, t.Steps) {
				for _, o := range all {
					if o.actor != l.actor && o.meets(s) {
						return true
					}
				}
				all = append(all, inside{l.actor, s})
			}
		}
	}
	return false
}

// OpenWindows are the names of the windows that the world declares and that were open in this order.
func (t *Trace) OpenWindows() []string {
	var out []string
	names, open := t.opened(t.spans)
	for i, name := range names {
		if open[i] {
			out = append(out, name)
		}
	}
	return out
}

// WindowCount says in how many orders of an exploration a window was open: two actors inside it at once.
type WindowCount struct {
	Name     string `json:"name"`     // of the window
	Declared bool   `json:"declared"` // by the world; the other is two actors under way at once
	Open     int    `json:"open"`     // orders in which it was
	Orders   int    `json:"orders"`   // in which it could have been
}

// String is the count in words: "window "both have looked" open in 3 of 4 orders".
func (c WindowCount) String() string {
	if !c.Declared {
		return fmt.Sprintf("%s in %d of %d orders", c.Name, c.Open, c.Orders)
	}
	return fmt.Sprintf("window %q open in %d of %d orders", c.Name, c.Open, c.Orders)
}

// countWindows adds one order to the counts.
func countWindows(counts []WindowCount, t *Trace) []WindowCount {
	add := func(spans []namedSpan, declared bool) {
		names, open := t.opened(spans)
		for i, name := range names {
			at := -1
			for k := range counts {
				if counts[k].Declared == declared && counts[k].Name == name {
					at = k
				}
			}
			if at < 0 {
				at = len(counts)
				counts = append(counts, WindowCount{Name: name, Declared: declared})
			}
			counts[at].Orders++
			if open[i] {
				counts[at].Open++
			}
		}
	}
	add(t.spans, true)
	if len(t.lives) > 1 {
		add(anyTwo, false)
	}
	return counts
}

// Unreached says which declared windows were open in no order that was run: the race that the world is about was never
// reached. It is empty when all were.
func (x *Exploration) Unreached() string {
	var names []string
	for _, c := range x.Windows {
		if c.Declared && c.Open == 0 {
			names = append(names, c.String())
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "race never reached: " + strings.Join(names, ", ")
}

// addWindows adds the counts of another part of an exploration.
func addWindows(counts, more []WindowCount) []WindowCount {
	for _, m := range more {
		i := slices.IndexFunc(counts, func(c WindowCount) bool { return c.Name == m.Name && c.Declared == m.Declared })
		if i < 0 {
			counts = append(counts, m)
			continue
		}
		counts[i].Open += m.Open
		counts[i].Orders += m.Orders
	}
	return counts
}
