package interleave

import (
	"slices"
	"strings"
)

// The classes of races that can be told from a violating order and from what decides it. Each is told only where its
// pattern of reads and writes is there; r(k) is a read of key k, w(k) a write of it, and A and B are actors.
const (
	// LostUpdate: A r(k), B w(k), A w(k), and where A reads after B's write it still writes k, but something else. B's
	// write is overwritten by one that was made without it.
	LostUpdate = "lost update"
	// CheckThenAct: A r(k), B w(k), and then A writes what it does not write where it reads after B's write. What A found was
	// no longer true when it acted on it.
	CheckThenAct = "check-then-act"
	// StaleRelease: A deletes k, whose value is neither one that A wrote nor the one that A read last: it releases what is
	// somebody else's by then.
	StaleRelease = "stale release"
	// WriteSkew: A r(x), B r(y), A w(y), B w(x), each read before the other's write of that key, and neither writes what
	// it read there. Each alone keeps the rule, both together don't.
	WriteSkew = "write skew"
	// NonAtomicRead: A r(x), B w(x), B w(y), A r(y), and A writes neither: it has seen a part of what B did. Or a key goes
	// (evicted, expired) between two reads of A.
	NonAtomicRead = "non-atomic read"
	// DoubleEffect: a command of A is executed, its reply is lost or late, A sends it again, and both change data.
	DoubleEffect = "double effect after retry"
	// LostWakeUp: B publishes before A subscribes, or a message to A is lost, and that decides.
	LostWakeUp = "lost wake-up"
	// Orphan: A dies, which decides, and what it had written is still there at the end.
	Orphan = "orphan after crash"
)

// Classes are the names of the classes.
func Classes() []string {
	return []string{LostUpdate, CheckThenAct, StaleRelease, WriteSkew, NonAtomicRead, DoubleEffect, LostWakeUp, Orphan}
}

// evidence is what a class is told from.
type evidence struct {
	steps    []*Step
	after    []KeyState
	decision *Decision
	nearest  *Result
}

// classify tells the class of the race that a violating order shows; empty where it can't.
func classify(res *Result, d *Decision) string {
	if d == nil || len(d.Steps) == 0 {
		return ""
	}
	e := &evidence{steps: res.Trace.Steps, after: res.Trace.After, decision: d, nearest: d.Nearest}
	first := e.steps[d.Steps[0]-1]
	if len(d.Steps) == 1 {
		switch {
		case first.Fault == "lost" || first.Fault == "late":
			if e.doubled(first) {
				return DoubleEffect
			}
		case first.Fault == "crash":
			if e.orphaned(first) {
				return Orphan
			}
		case first.Fault == "drop":
			return LostWakeUp
		case first.Actor == "":
			if e.tornBy(first) {
				return NonAtomicRead
			}
		case e.releases(first):
			return StaleRelease
		}
		return ""
	}
	second := e.steps[d.Steps[1]-1]
	switch {
	case publishes(first) && subscribes(second, first.Command[1]):
		return LostWakeUp
	case e.skewed(first, second):
		return WriteSkew
	case e.releasesAny(first, second):
		return StaleRelease
	}
	if class := e.stale(first, second); class != "" {
		return class
	}
	if e.torn(first, second) {
		return NonAtomicRead
	}
	return ""
}

// looksAt are the keys that a step reads and does not write.
func (s *Step) looksAt() []string {
	if s.Name == "WATCH" || s.Fault == "unsent" || s.Fault == "late" || s.Kind == StepCrash {
		return nil
	}
	return s.foot.reads
}

// puts are the keys that a step has written, whether or not that changed them.
func (s *Step) puts() []string {
	var keys []string
	if s.Wrote && !s.IsErr && s.Reply != "nil" {
		keys = slices.Clone(s.foot.writes)
	}
	for _, c := range s.Changes {
		if !slices.Contains(keys, c.Key) {
			keys = append(keys, c.Key)
		}
	}
	return slices.DeleteFunc(keys, func(k string) bool { return strings.HasPrefix(k, "\x00") })
}

func (s *Step) change(key string) *Change {
	for i := range s.Changes {
		if s.Changes[i].Key == key {
			return &s.Changes[i]
		}
	}
	return nil
}

func publishes(s *Step) bool {
	return (s.Name == "PUBLISH" || s.Name == "SPUBLISH") && len(s.Command) > 1
}

func subscribes(s *Step, channel string) bool {
	return (s.Name == "SUBSCRIBE" || s.Name == "SSUBSCRIBE") && slices.Contains(s.Command[1:], channel)
}

// doubled reports whether the command of step f is executed twice and changes data both times. A late command arrives as
// a step of its own.
func (e *evidence) doubled(f *Step) bool {
	effects := 0
	for _, s := range e.steps[f.N-1:] {
		if s.Actor == f.Actor && s.Name == f.Name && slices.Equal(s.Keys, f.Keys) && len(s.Changes) > 0 {
			effects++
		}
	}
	return effects > 1
}

// orphaned reports whether what the actor of a crash had written is there at the end as it left it.
func (e *evidence) orphaned(crash *Step) bool {
	left := map[string]*Entry{}
	for _, s := range e.steps {
		for _, c := range s.Changes {
			delete(left, c.Key)
			if s.Actor == crash.Actor && s.N <= crash.N && c.After != nil {
				left[c.Key] = c.After
			}
		}
	}
	for _, k := range e.after {
		if v := left[k.Key]; v != nil && v.equal(k.Value) {
			return true
		}
	}
	return false
}

// tornBy reports whether a step of nobody's took away a key between two reads of an actor that writes nothing before the
// second.
func (e *evidence) tornBy(f *Step) bool {
	for _, c := range f.Changes {
		if c.After != nil {
			continue
		}
		for _, r := range e.steps[f.N:] {
			if r.Actor == "" || !slices.Contains(r.looksAt(), c.Key) {
				continue
			}
			read := false
			for _, s := range e.steps[:f.N-1] {
				if s.Actor == r.Actor {
					read = len(s.puts()) == 0 && (read || len(s.looksAt()) > 0)
				}
			}
			return read
		}
	}
	return false
}

// releases reports whether a step deletes a key that is not, or no longer, its actor's.
func (e *evidence) releases(del *Step) bool {
	if del.Name != "DEL" && del.Name != "UNLINK" {
		return false
	}
	for _, c := range del.Changes {
		if c.Before == nil || c.After != nil {
			continue
		}
		own, last := false, ""
		for _, s := range e.steps[:del.N-1] {
			if s.Actor != del.Actor {
				continue
			}
			if x := s.change(c.Key); x != nil {
				own = x.After.sameValue(c.Before)
				last = ""
			} else if slices.Contains(s.looksAt(), c.Key) {
				last = s.Reply
			}
		}
		if !own && last != c.Before.String() {
			return true
		}
	}
	return false
}

// releasesAny reports whether one of the actors of a pair deletes a key of it that is not, or no longer, its own.
func (e *evidence) releasesAny(p, q *Step) bool {
	keys := slices.Concat(p.looksAt(), p.puts())
	return slices.ContainsFunc(e.steps, func(s *Step) bool {
		return (s.Actor == p.Actor || s.Actor == q.Actor) && overlap(s.puts(), keys) && e.releases(s)
	})
}

// sameValue reports whether two entries have the same value, whenever they expire.
func (e *Entry) sameValue(o *Entry) bool {
	if e == nil || o == nil {
		return e == o
	}
	return e.Type == o.Type && slices.Equal(e.Items, o.Items)
}

// skewed reports whether the actors of two steps each read what the other writes afterwards, and write something else.
func (e *evidence) skewed(p, q *Step) bool {
	a, b := p.Actor, q.Actor
	for _, x := range e.readsOf(a) {
		for _, y := range e.readsOf(b) {
			if x != y && e.readBefore(a, b, x) && e.readBefore(b, a, y) && !e.writes(a, x) && !e.writes(b, y) {
				return true
			}
		}
	}
	return false
}

func (e *evidence) readsOf(actor string) []string {
	var keys []string
	for _, s := range e.steps {
		if s.Actor == actor {
			keys = union(keys, s.looksAt())
		}
	}
	return keys
}

func (e *evidence) writes(actor, key string) bool {
	return slices.ContainsFunc(e.steps, func(s *Step) bool { return s.Actor == actor && slices.Contains(s.puts(), key) })
}

// readBefore reports whether reader reads key before writer writes it, and not after.
func (e *evidence) readBefore(reader, writer, key string) bool {
	read, written := 0, 0
	for _, s := range e.steps {
		switch {
		case s.Actor == reader && slices.Contains(s.looksAt(), key):
			read = s.N
		case s.Actor == writer && slices.Contains(s.puts(), key) && written == 0:
			written = s.N
		}
	}
	return read > 0 && read < written
}

// stale tells what a reader does with what it read before another's write: it compares the steps that follow with those
// of the nearest order, where it reads after.
func (e *evidence) stale(read, write *Step) string {
	if e.nearest == nil {
		return ""
	}
	for _, k := range read.looksAt() {
		if !slices.Contains(write.puts(), k) {
			continue
		}
		here := written(e.steps[read.N-1:], read.Actor)
		again := find(e.nearest.Trace.Steps, read, e.steps)
		if again == nil {
			return ""
		}
		there := written(e.nearest.Trace.Steps[again.N-1:], read.Actor)
		for _, w := range here {
			same := slices.IndexFunc(there, func(s *Step) bool { return s.Name == w.Name && slices.Equal(s.puts(), w.puts()) })
			switch {
			case w.N < write.N: // what it had read was so when it wrote
			case same < 0:
				return CheckThenAct
			case slices.Contains(w.puts(), k) && !slices.Equal(there[same].Command, w.Command):
				return LostUpdate
			}
		}
	}
	return ""
}

// written are the steps of an actor that wrote.
func written(steps []*Step, actor string) []*Step {
	var out []*Step
	for _, s := range steps {
		if s.Actor == actor && len(s.puts()) > 0 {
			out = append(out, s)
		}
	}
	return out
}

// find is the step of another order that is the same step of its actor's as s is in steps: the same command, as often
// before.
func find(other []*Step, s *Step, steps []*Step) *Step {
	n := 0
	for _, x := range steps[:s.N] {
		if x.Actor == s.Actor && x.Name == s.Name && slices.Equal(x.Keys, s.Keys) {
			n++
		}
	}
	for _, x := range other {
		if x.Actor == s.Actor && x.Name == s.Name && slices.Equal(x.Keys, s.Keys) {
			if n--; n == 0 {
				return x
			}
		}
	}
	return nil
}

// torn reports whether one of the two steps is a read of an actor that sees a part of what the other's actor wrote.
func (e *evidence) torn(p, q *Step) bool {
	for _, pair := range [][2]*Step{{p, q}, {q, p}} {
		reader, writer := pair[0].Actor, pair[1].Actor
		if len(pair[0].looksAt()) == 0 || len(pair[1].puts()) == 0 || len(written(e.steps, reader)) > 0 {
			continue
		}
		old, seen := 0, 0 // the writes of writer that came after a read of the same key, and before one
		for _, w := range written(e.steps, writer) {
			for _, r := range e.steps {
				if r.Actor != reader || !overlap(r.looksAt(), w.puts()) {
					continue
				}
				if r.N < w.N {
					old++
				} else {
					seen++
				}
			}
		}
		if old > 0 && seen > 0 {
			return true
		}
	}
	return false
}
