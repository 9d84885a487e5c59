package invariants

import (
	"fmt"
	"iter"

	"github.com/racebench/racebench/interleave"
)

// moment is one step with the data as it was before it.
type moment struct {
	step   *interleave.Step
	before func(key string) *interleave.Entry
	past   bool // looked at once more, at the end
	atEnd  bool // not a step: what the server was found to hold at the end, though no step named it
}

// change is what the step did to a key; nil for nothing.
func (m moment) change(key string) *interleave.Change {
	for i := range m.step.Changes {
		if m.step.Changes[i].Key == key {
			return &m.step.Changes[i]
		}
	}
	return nil
}

// String says who did it: "B", or "step 7: B" for a step that is not the one after which the verdict is given.
func (m moment) String() string {
	if m.atEnd {
		return "somebody, unseen by any step,"
	}
	who := m.step.Actor
	if who == "" {
		who = m.step.Summary()
	}
	if m.past {
		return fmt.Sprintf("step %d: %s", m.step.N, who)
	}
	return who
}

// moments goes through the steps that a judgement has to look at: the last one, or all when nothing more can happen.
// A moment is good until the next.
func moments(s *interleave.State) iter.Seq[moment] {
	t := s.Trace()
	if s.Final {
		return replay(t)
	}
	return lastMoment(s)
}

// lastMoment is the last step, if there is one.
func lastMoment(s *interleave.State) iter.Seq[moment] {
	t := s.Trace()
	return func(yield func(moment) bool) {
		if len(t.Steps) == 0 {
			return
		}
		last := moment{step: t.Steps[len(t.Steps)-1]}
		last.before = func(key string) *interleave.Entry {
			if c := last.change(key); c != nil {
				return c.Before
			}
			return s.Entry(key)
		}
		yield(last)
	}
}

// replay goes through the trace from its beginning and keeps the data.
func replay(t *interleave.Trace) iter.Seq[moment] {
	return func(yield func(moment) bool) {
		data := map[string]*interleave.Entry{}
		for _, k := range t.Before {
			data[k.Key] = k.Value
		}
		before := func(key string) *interleave.Entry { return data[key] }
		for _, step := range t.Steps {
			if !yield(moment{step: step, before: before, past: true}) {
				return
			}
			for _, c := range step.Changes {
				data[c.Key] = c.After
			}
		}
		if len(t.Undeclared) > 0 {
			yield(moment{step: &interleave.Step{N: len(t.Steps), Changes: t.Undeclared}, before: before, atEnd: true})
		}
	}
}

// crashed reports whether an actor has died by a fault.
func crashed(t *interleave.Trace, actor string) bool {
	for _, step := range t.Steps {
		if step.Actor == actor && step.Fault == "crash" {
			return true
		}
	}
	return false
}

// lastBy is the actor that made the last change to a key which a function accepts; empty when there is none.
func lastBy(t *interleave.Trace, key string, accepts func(interleave.Change) bool) string {
	actor := ""
	for _, step := range t.Steps {
		for _, c := range step.Changes {
			if c.Key == key && accepts(c) {
				actor = step.Actor
			}
		}
	}
	return actor
}

func violated(format string, args ...any) interleave.Verdict {
	return interleave.Verdict{Outcome: interleave.Violated, Detail: fmt.Sprintf(format, args...)}
}

func undecided(format string, args ...any) interleave.Verdict {
	return interleave.Verdict{Outcome: interleave.Undecided, Detail: fmt.Sprintf(format, args...)}
}
