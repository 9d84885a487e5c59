package interleave

import (
	"errors"
	"fmt"
	"slices"

	"github.com/racebench/racebench/interleave/schedule"
)

// Decision says what a violation hangs on: the one pair of steps whose order decides, or the one fault without which
// everything holds.
type Decision struct {
	Steps []int  `json:"steps"` // their numbers
	Text  string `json:"text"`  // "B.GET before A.SET (the other way round it holds)"
}

// maxFlips bounds the worlds that Decide runs, maxFlipSteps their steps together.
const maxFlips, maxFlipSteps = 200, 20_000

// Decide looks for what the violation in res hangs on, by running the world again with two dependent steps in the other
// order, the nearest to the beginning first, or with a fault left out; first among the steps up to the first violation. It
// returns nil when no single one decides.
func (r *Runner) Decide(res *Result, world func(*World)) *Decision {
	if res.Outcome() != Violated {
		return nil
	}
	steps := res.Trace.Steps
	tried := 0
	maxFlips := min(maxFlips, maxFlipSteps/max(len(steps), 1))
	holds := func(order schedule.Schedule) bool {
		tried++
		again := r.once(&lenient{forced: newForced(order, fair{})}, needs{history: needsJournal(order)}, world)
		return again.Err == nil && again.Outcome() == Held
	}
	// A fault is the better answer where it is one: without it, the order would be one of many.
	decides := func(from, to int) *Decision {
		alone := func(kind func(*Step) bool) *Decision {
			for i := from; i < to && tried < maxFlips; i++ {
				if s := steps[i]; kind(s) && holds(without(steps, i)) {
					return &Decision{Steps: []int{s.N}, Text: s.short() + " (without it everything holds)"}
				}
			}
			return nil
		}
		if d := alone(func(s *Step) bool { return s.Fault != "" }); d != nil {
			return d
		}
		for j := from; j < to; j++ {
			for i := j - 1; i >= 0 && tried < maxFlips; i-- {
				if dependent(steps[i], steps[j]) && holds(flipped(steps, i, j)) {
					return &Decision{
						Steps: []int{steps[i].N, steps[j].N},
						Text:  fmt.Sprintf("%s before %s (the other way round it holds)", steps[i].short(), steps[j].short()),
					}
				}
			}
		}
		return alone(func(s *Step) bool { return s.Kind == StepClock })
	}
	// What comes after the first violation can prevent it only by coming earlier, which says less about it.
	first := len(steps)
	for _, v := range res.Verdicts {
		if v.Outcome == Violated {
			first = min(first, v.Step)
		}
	}
	if d := decides(0, first); d != nil {
		return d
	}
	return decides(first, len(steps))
}

func needsJournal(s schedule.Schedule) bool {
	return slices.ContainsFunc(s, func(t schedule.Token) bool { return t.Kind == schedule.Failover })
}

// short names a step: "A.SET".
func (s *Step) short() string {
	t := s.Token()
	t.Match.Nth = 1
	return t.String()
}

// dependent reports whether the order of two steps of different actors can matter: they name a key in common and one of
// them changed it.
func dependent(a, b *Step) bool {
	if a.Actor == b.Actor || a.Actor == "" || b.Actor == "" {
		return false
	}
	touches := func(s *Step) []string {
		keys := slices.Clone(s.Keys)
		for _, c := range s.Changes {
			keys = append(keys, c.Key)
		}
		return keys
	}
	for _, c := range a.Changes {
		if slices.Contains(touches(b), c.Key) {
			return true
		}
	}
	for _, c := range b.Changes {
		if slices.Contains(touches(a), c.Key) {
			return true
		}
	}
	return false
}

// flipped is the order in which step j, with what its actor did before it, comes before step i.
func flipped(steps []*Step, i, j int) schedule.Schedule {
	var order schedule.Schedule
	for _, s := range steps[:i] {
		order = append(order, s.Token())
	}
	for _, s := range steps[i+1 : j+1] {
		if s.Actor == steps[j].Actor {
			order = append(order, s.Token())
		}
	}
	for _, s := range steps[i:j] {
		if s.Actor != steps[j].Actor {
			order = append(order, s.Token())
		}
	}
	for _, s := range steps[j+1:] {
		order = append(order, s.Token())
	}
	return order
}

// without is the order without the fault of step i: an operation is kept and simply works, an actor that would have died
// goes on to its end.
func without(steps []*Step, i int) schedule.Schedule {
	var order schedule.Schedule
	for k, s := range steps {
		t := s.Token()
		if k != i {
			order = append(order, t)
			continue
		}
		crash := s.Fault == "crash"
		if s.Kind == StepOperation {
			t.Fault = schedule.NoFault
			order = append(order, t)
		}
		if crash {
			order = append(order, schedule.Token{Kind: schedule.Drain, Actor: s.Actor})
		}
	}
	return order
}

// lenient follows a schedule as far as the program allows: a token that does not fit is left out. A program that is
// driven off its path does other things.
type lenient struct{ *forced }

func (l *lenient) next(v *view) (choice, error) {
	for {
		c, err := l.forced.next(v)
		var d *DivergedError
		if !errors.As(err, &d) || l.at >= len(l.tokens) {
			return c, err
		}
		l.at++
	}
}
