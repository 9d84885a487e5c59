package scenarios

import (
	"slices"
	"strings"

	"github.com/racebench/racebench/impl"
	"github.com/racebench/racebench/interleave"
)

// Races are the scenarios whose race a result of a drawn world shows, by their ids, in the order of the catalogue: what a
// scenario violates is violated, and in the way of its story. A result may show others as well, or only such as the
// catalogue has no story for.
func (s *Shape) Races(res *interleave.Result) []string {
	found := map[string]bool{}
	for _, v := range res.Verdicts {
		if v.Outcome == interleave.Violated {
			found[s.race(res.Trace, v)] = true
		}
	}
	var out []string
	for _, sc := range catalogue {
		if found[sc.ID] {
			out = append(out, sc.ID)
		}
	}
	return out
}

// Race is the scenario whose race the violation of one invariant shows; empty for none.
func (s *Shape) Race(res *interleave.Result, invariant string) string {
	v, ok := res.Violated(invariant)
	if !ok {
		return ""
	}
	return s.race(res.Trace, v)
}

func (s *Shape) race(t *interleave.Trace, v interleave.Judged) string {
	steps := t.Steps[:min(v.Step, len(t.Steps))]
	if len(steps) == 0 {
		return ""
	}
	says := func(words string) bool { return strings.Contains(v.Detail, words) }
	switch v.Invariant {
	case judge.SingleRunning().Name, judge.NoUnreferenced().Name:
		switch {
		case says("crashed on the way"):
			return "A6"
		case !dropped(steps) && !faulty(steps):
			return "A1"
		}
	case judge.PointerNamesJob().Name:
		if says("crashed on the way") {
			return "A6"
		}
	case judge.TerminalStays().Name:
		switch {
		case says("from FAILED into SUCCESS") && givenUp(steps):
			return "A2"
		case says("from SUCCESS into FAILED") && polls(steps, len(steps)-1):
			return "A5"
		}
	case judge.AppliedOnlySuccess(nil).Name:
		if slices.ContainsFunc(steps, func(step *interleave.Step) bool { return ends(step, "") && polls(steps, step.N-1) }) {
			return "A5"
		}
	case judge.SuccessOwnsPointer().Name:
		switch {
		case !says("the pointer names"):
		case taken(steps):
			return "A8"
		case s.given == givenOlder:
			return "A3"
		}
	case judge.PointerDeletedOnlyByOwner().Name:
		switch wrote := ended(steps); {
		case taken(steps) && wrote == string(impl.JobSuccess):
			return "A8"
		case s.given == givenOlder && wrote == string(impl.JobSuccess):
			return "A3"
		case s.given == givenOlder && wrote == string(impl.JobFailed):
			return "A4"
		}
	case judge.NoProgressAfterEnd().Name:
		last := steps[len(steps)-1]
		if slices.ContainsFunc(steps, func(step *interleave.Step) bool { return ends(step, last.Actor) }) {
			return "A9"
		}
	case judgeApplied(nil).Name:
		switch {
		case says("written 0 times (want 1"):
			return "A10"
		case says("(want 1") && appliers(t) > 1:
			return "A11"
		}
	}
	return ""
}

// ends reports whether a step ends a job, and is of another actor than the given one.
func ends(step *interleave.Step, actor string) bool {
	return step.Actor != actor && slices.ContainsFunc(step.Changes, func(c interleave.Change) bool {
		_, _, ok := judge.Job(c.Key)
		return ok && (inState(impl.JobSuccess)(impl.Job{}, c.After) || inState(impl.JobFailed)(impl.Job{}, c.After))
	})
}

// dropped reports whether a pointer was deleted, by anybody.
func dropped(steps []*interleave.Step) bool {
	return slices.ContainsFunc(steps, func(step *interleave.Step) bool {
		return slices.ContainsFunc(step.Changes, func(c interleave.Change) bool {
			_, ok := judge.PointerTarget(c.Key)
			return ok && c.After == nil
		})
	})
}

func faulty(steps []*interleave.Step) bool {
	return slices.ContainsFunc(steps, func(step *interleave.Step) bool { return step.Fault != "" })
}

// before is the step before step i of the same actor; nil when it is its first.
func before(steps []*interleave.Step, i int) *interleave.Step {
	for k := i - 1; k >= 0; k-- {
		if steps[k].Actor == steps[i].Actor {
			return steps[k]
		}
	}
	return nil
}

// polls reports whether step i is the writing of a poll that has found a RUNNING job overdue.
func polls(steps []*interleave.Step, i int) bool {
	b := before(steps, i)
	return steps[i].Name == "HSET" && b != nil && b.Name == "HGETALL" && slices.Equal(b.Keys, steps[i].Keys) &&
		b.At >= impl.DefaultDeadline && strings.Contains(b.Reply, string(impl.JobRunning))
}

// givenUp reports whether the job that the last step turns into SUCCESS was turned into FAILED by a poll of another actor.
func givenUp(steps []*interleave.Step) bool {
	last := steps[len(steps)-1]
	for i := range steps[:len(steps)-1] {
		if steps[i].Actor != last.Actor && slices.Equal(steps[i].Keys, last.Keys) && polls(steps, i) {
			return true
		}
	}
	return false
}

// ended is the status that the actor of the last step wrote before it, when no poll did: the worker's own end of its job.
func ended(steps []*interleave.Step) string {
	i := len(steps) - 1
	b := before(steps, i)
	if b == nil || b.Name != "HSET" || len(b.Command) == 0 || polls(steps, slices.Index(steps, b)) {
		return ""
	}
	return b.Command[len(b.Command)-1]
}

// appliers counts the actors that say that they have applied.
func appliers(t *interleave.Trace) int {
	var names []string
	for _, n := range t.Notes {
		if n.Key == noteApplied && !slices.Contains(names, n.Actor) {
			names = append(names, n.Actor)
		}
	}
	return len(names)
}
