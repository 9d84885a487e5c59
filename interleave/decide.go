package interleave

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/racebench/racebench/interleave/schedule"
)

// Decision says what a violation hangs on: the one pair of steps whose order decides, or the one fault without which
// everything holds. Where it is neither, it says what else was found.
type Decision struct {
	Steps []int  `json:"steps"` // their numbers
	Text  string `json:"text"`  // "B.GET before A.SET (the other way round it holds)"
	Long  string `json:"-"`     // "B.GET before A.SET: if A.SET comes first, the invariant holds"

	// Nearest is what was run to find that out: the order that differs in what decides alone. It holds, or where Text says
	// that only "this one" does, it violates something else. Nil when there is none.
	Nearest *Result `json:"-"`

	of []*Step // two of one actor, which have to change places really
}

// maxFlips bounds the worlds that Decide runs, maxFlipSteps their steps together.
const maxFlips, maxFlipSteps = 200, 20_000

// Decide looks for what the violation in res hangs on, by running the world again with two dependent steps in the other
// order, the nearest to the beginning first, or with a fault left out; first among the steps up to the first violation.
// Where no single one decides it looks at one actor alone, and at the orders in which the actors come one after the
// other. It returns nil when none of that says anything.
func (r *Runner) Decide(res *Result, world func(*World)) *Decision {
	t, ok := firstTarget(res)
	if !ok || res.Outcome() != Violated {
		return nil
	}
	s := &shrinker{r: r, ctx: context.Background(), target: t, world: world, serials: map[string]bool{}}
	return s.decide(res)
}

// decide is Decide for the target.
func (s *shrinker) decide(res *Result) *Decision {
	steps := res.Trace.Steps
	tried := 0
	maxFlips := min(maxFlips, maxFlipSteps/max(len(steps), 1))
	var partly *Decision // whose nearest order violates something else
	holds := func(order schedule.Schedule, d *Decision) bool {
		tried++
		again := s.run(&lenient{forced: newForced(order, fair{})}, needsJournal(order))
		if again.Err != nil || d.of != nil && !again.Trace.inOrder(d.of[1], d.of[0]) {
			return false // points of one goroutine keep their order, and a schedule that leaves them out says nothing
		}
		if again.Outcome() == Held {
			d.Nearest = again
			return true
		}
		if _, bad := s.target.in(again); !bad && partly == nil && again.Trace.Bound == "" {
			partly, d.Nearest = d, again
			d.Text = strings.Replace(d.Text, "it holds", "this one holds", 1)
			d.Text = strings.Replace(d.Text, "everything holds", "this one holds", 1)
		}
		return false
	}
	// A fault is the better answer where it is one: without it, the order would be one of many.
	decides := func(from, to int) *Decision {
		alone := func(kind func(int) bool) *Decision {
			for i := from; i < to && tried < maxFlips; i++ {
				if !kind(i) {
					continue
				}
				name := steps[i].short()
				d := &Decision{Steps: []int{steps[i].N}, Text: name + " (without it everything holds)", Long: name + ": without it, the invariant holds"}
				if holds(without(steps, i), d) {
					return d
				}
			}
			return nil
		}
		if d := alone(func(i int) bool { return steps[i].Fault != "" && !absentStep(steps, i) }); d != nil {
			return d
		}
		for j := from; j < to; j++ {
			for i := j - 1; i >= 0 && tried < maxFlips; i-- {
				if !dependent(steps[i], steps[j]) || absentStep(steps, i) {
					continue
				}
				first, second := steps[i].short(), steps[j].short()
				if steps[i].Actor == steps[j].Actor && first == second {
					continue // one goroutine after another, or one twice: nobody could tell
				}
				d := &Decision{
					Steps: []int{steps[i].N, steps[j].N},
					Text:  fmt.Sprintf("%s before %s (the other way round it holds)", first, second),
					Long:  fmt.Sprintf("%s before %s: if %s comes first, the invariant holds", first, second, second),
				}
				if steps[i].Actor == steps[j].Actor {
					d.of = []*Step{steps[i], steps[j]}
				}
				if holds(flipped(steps, i, j), d) {
					return d
				}
				// The clock may have moved only because everybody waited.
				if waited := slices.ContainsFunc(steps[j:], func(x *Step) bool { return x.Kind == StepClock }); waited && holds(flipped(steps[:j+1], i, j), d) {
					return d
				}
			}
		}
		return alone(func(i int) bool { return steps[i].Kind == StepClock })
	}
	// What comes after the first violation can prevent it only by coming earlier, which says less about it.
	first, _ := s.target.in(res)
	if d := decides(0, first); d != nil {
		return d
	}
	if d := decides(first, len(steps)); d != nil {
		return d
	}
	if partly != nil {
		return partly
	}
	return s.undecided(res)
}

// undecided says what can be said of a violation that hangs on no single pair of steps and on no single fault.
func (s *shrinker) undecided(res *Result) *Decision {
	steps := res.Trace.Steps
	absent := absentActors(steps)
	var actors []string
	for _, a := range res.Trace.actors() {
		if !slices.Contains(absent, a) {
			actors = append(actors, a)
		}
	}
	plain := !slices.ContainsFunc(steps[len(absent):], func(x *Step) bool { return x.Fault != "" || x.Kind == StepClock && x.forced })
	at, _ := s.target.in(res)
	if len(actors) == 0 || at == 0 || s.r.broken != nil {
		return nil
	}
	held := s.serialThat(actors, absent)
	switch by := steps[at-1]; {
	case held != nil:
		text := "no single pair of steps (one after the other, in the order " + listed(held.Trace.turns()) + ", it holds)"
		if !plain {
			text = "no single step (without faults, one after the other in the order " + listed(held.Trace.turns()) + ", it holds)"
		}
		return &Decision{Steps: []int{}, Text: text, Long: text, Nearest: held}
	case !plain || by.Actor == "":
		return nil
	case !s.unmoved() && (len(actors) == 1 || s.alone(by.Actor, actors, absent)):
		text := by.short() + " by itself (no other actor is needed: what was there before the first step decides)"
		return &Decision{Steps: []int{by.N}, Text: text, Long: text}
	}
	text := "no order of the steps (one after the other, in any order of the actors, violates it too)"
	return &Decision{Steps: []int{}, Text: text, Long: text}
}

// alone reports whether the target is violated by one of the actors when the others are not there.
func (s *shrinker) alone(actor string, actors, absent []string) bool {
	for _, a := range actors {
		if a != actor {
			absent = append(slices.Clone(absent), a)
		}
	}
	_, bad := s.target.in(s.run(&inTurn{order: []string{actor}, absent: absent}, false))
	return bad
}

// inOrder reports whether a step like the first comes before one like the second.
func (t *Trace) inOrder(first, second *Step) bool {
	met := false
	for _, s := range t.Steps {
		switch {
		case s.Actor != first.Actor:
		case s.short() == first.short():
			met = true
		case s.short() == second.short():
			return met
		}
	}
	return false
}

// turns are the actors in the order of their first steps.
func (t *Trace) turns() []string {
	var out []string
	for i, s := range t.Steps {
		if s.Actor != "" && !absentStep(t.Steps, i) && !slices.Contains(out, s.Actor) {
			out = append(out, s.Actor)
		}
	}
	return out
}

// listed is "A, B and C".
func listed(words []string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
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

// dependent reports whether the order of two steps can matter: they are of different actors and name a key in common that
// one of them changed, or both are about messages; or they are two points of one actor.
func dependent(a, b *Step) bool {
	if a.Kind == StepPoint && b.Kind == StepPoint {
		return a.Actor == b.Actor // of two goroutines, or it does not fit when it is tried
	}
	if a.Actor == b.Actor || a.Actor == "" || b.Actor == "" {
		return false
	}
	if slices.Contains(a.foot.writes, touchesMessages) && slices.Contains(b.foot.writes, touchesMessages) {
		return true
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
	if steps[i].Actor == steps[j].Actor {
		order = append(order, steps[i].Token())
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
type lenient struct {
	*forced
	skipped []string // what was left out
}

func (l *lenient) next(v *view) (choice, error) {
	for {
		c, err := l.forced.next(v)
		var d *DivergedError
		if !errors.As(err, &d) || l.at >= len(l.tokens) {
			return c, err
		}
		l.skipped = append(l.skipped, d.skipped())
		l.at++
	}
}
