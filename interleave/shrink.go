package interleave

import (
	"context"
	"slices"
	"time"

	"github.com/racebench/racebench/interleave/schedule"
)

// This file makes a violating order simpler, in the spirit of delta debugging (Zeller and Hildebrandt, "Simplifying and
// isolating failure-inducing input", IEEE TSE 2002): leave something out, run the world again, keep what still violates
// the same invariant. Simpler is, in this order: fewer actors, fewer faults, less clock, fewer switches between actors
// (hunt.go). Everything is tried in a fixed order, and whatever is kept has been run.

// maxShrink bounds the worlds that shrinking runs, and maxShrinkSteps their steps together.
const maxShrink, maxShrinkSteps = 300, 60_000

// Shrink returns the simplest order found that violates the same invariant as res does first, as a result of a run that
// its schedule makes happen again: actors that are not needed die before their first command (C!crash), faults and clock
// moves that are not needed are left out, the switches between actors are the fewest, and an order that is violated
// early ends there. It is res where nothing is simpler. At most 300 worlds are run; the search ends with the context.
func (r *Runner) Shrink(ctx context.Context, res *Result, world func(*World)) *Result {
	t, ok := firstTarget(res)
	if !ok {
		return res
	}
	s := r.shrinker(ctx, res, t, world)
	if s == nil {
		return res
	}
	s.shrink()
	return s.cut(s.best, nil)
}

// shrinker is a shrinking under way.
type shrinker struct {
	r       *Runner
	ctx     context.Context
	target  target
	same    func(*Result) bool // whether an order goes wrong in the way that is wanted, beside the target; nil for any
	world   func(*World)
	given   *Result // the order to shrink, run again
	best    *Result // the simplest so far; its steps know what they touch
	worlds  int
	steps   int
	minimal bool // no order with fewer switches violates
	serials map[string]bool
}

// shrinker runs res again, with what its steps touch; nil when that does not violate the target.
func (r *Runner) shrinker(ctx context.Context, res *Result, t target, world func(*World)) *shrinker {
	s := &shrinker{r: r, ctx: ctx, target: t, world: world, serials: map[string]bool{}}
	again := s.run(newForced(res.Trace.Schedule(), calm{}), needsJournal(res.Trace.Schedule()))
	if _, ok := t.in(again); !ok {
		return nil
	}
	s.given, s.best = again, again
	return s
}

// run runs a world and counts it.
func (s *shrinker) run(st strategy, journal bool) *Result {
	res := s.r.once(st, needs{history: journal, footprints: true}, s.world)
	s.worlds++
	s.steps += len(res.Trace.Steps)
	return res
}

// over reports whether no other world is to be run.
func (s *shrinker) over() bool {
	return s.worlds >= maxShrink || s.steps >= maxShrinkSteps || s.ctx.Err() != nil || s.r.broken != nil
}

// try runs an order as far as the program allows and keeps it if it violates the target.
func (s *shrinker) try(order schedule.Schedule) bool {
	if s.over() {
		return false
	}
	res := s.run(&lenient{forced: newForced(order, calm{})}, needsJournal(order))
	return s.keep(res)
}

func (s *shrinker) keep(res *Result) bool {
	if !s.wanted(res) || fatalTo(res.Err) != nil {
		return false
	}
	s.best = res
	return true
}

// wanted reports whether a result is of the race that is shrunk.
func (s *shrinker) wanted(res *Result) bool {
	_, ok := s.target.in(res)
	return ok && (s.same == nil || s.same(res))
}

// shrink makes the order simpler until nothing helps or a bound is hit.
func (s *shrinker) shrink() {
	s.dropFaults()
	s.dropActors()
	s.dropClock()
	s.shortenClock()
	s.hunt()
	if s.best == s.given {
		return
	}
	// What a program does can depend on more than its order (see the limits of the package): keep only what happens again.
	order := s.best.Trace.Schedule()
	again := s.run(newForced(order, calm{}), needsJournal(order))
	if !s.wanted(again) || !again.Trace.Schedule().Equal(order) {
		s.best, s.minimal = s.given, false
		return
	}
	s.best = again
}

// dropFaults leaves out each fault, the last first: an earlier one is more often what it takes.
func (s *shrinker) dropFaults() {
	for i := len(s.best.Trace.Steps) - 1; i >= 0; i-- {
		steps := s.best.Trace.Steps
		if i >= len(steps) || steps[i].Fault == "" || absentStep(steps, i) {
			continue
		}
		s.try(without(steps, i))
	}
}

// dropActors lets each actor die before its first command. That may violate an invariant that counts on the actor, and is
// no simpler form of the same race then: so there must be an order of the actors that are left, one after the other, that
// holds. Where there is none even with all of them, the target must at least not be violated without any.
func (s *shrinker) dropActors() {
	all := s.best.Trace.actors()
	for _, name := range slices.Backward(all) {
		steps := s.best.Trace.Steps
		if absent := absentActors(steps); slices.Contains(absent, name) || len(absent) == len(all)-1 {
			continue
		}
		dead := schedule.Token{Kind: schedule.Op, Actor: name, Fault: schedule.CrashBefore, Match: schedule.Match{Nth: 1}}
		order := schedule.Schedule{}
		at := 0
		for at < len(steps) && absentStep(steps, at) {
			order = append(order, steps[at].Token())
			at++
		}
		order = append(order, dead)
		for _, x := range steps[at:] {
			if x.Actor != name {
				order = append(order, x.Token())
			}
		}
		before := s.best
		if s.try(order) && !s.legitimate(all) {
			s.best = before
		}
	}
}

// legitimate reports whether the absent actors of the best order are not what violates the target.
func (s *shrinker) legitimate(all []string) bool {
	absent := absentActors(s.best.Trace.Steps)
	var rest []string
	for _, a := range all {
		if !slices.Contains(absent, a) {
			rest = append(rest, a)
		}
	}
	return s.serialHolds(rest, absent) || !s.serialHolds(all, nil) && !s.unmoved()
}

// unmoved reports whether the target is violated when no actor does anything.
func (s *shrinker) unmoved() bool {
	_, bad := s.target.in(s.run(&inTurn{everybody: true}, false))
	return bad
}

// maxSerial bounds the serial orders that are looked at.
const maxSerial = 6

// serialHolds reports whether some order of the actors, one after the other and without faults, does not violate the
// target.
func (s *shrinker) serialHolds(actors, absent []string) bool {
	key := joinNames(actors)
	holds, known := s.serials[key]
	if !known {
		holds = s.serialThat(actors, absent) != nil
		s.serials[key] = holds
	}
	return holds
}

// serialThat is the first serial order that comes to its end and does not violate the target; nil when there is none.
func (s *shrinker) serialThat(actors, absent []string) (found *Result) {
	permutations(actors, maxSerial, func(order []string) bool {
		if s.r.broken != nil {
			return true
		}
		res := s.run(&inTurn{order: order, absent: absent}, false)
		if _, bad := s.target.in(res); !bad && res.Err == nil {
			found = res
		}
		return found != nil
	})
	return found
}

// absentActors are the actors that die before they have done anything.
func absentActors(steps []*Step) []string {
	var out []string
	for i, s := range steps {
		if !absentStep(steps, i) {
			break
		}
		out = append(out, s.Actor)
	}
	return out
}

// dropClock leaves out each move of the clock, the last first. A move that has to come, because everybody waits, comes by
// itself.
func (s *shrinker) dropClock() {
	for i := len(s.best.Trace.Steps) - 1; i >= 0; i-- {
		steps := s.best.Trace.Steps
		if i >= len(steps) || steps[i].Kind != StepClock || !steps[i].forced {
			continue
		}
		s.try(without(steps, i))
	}
}

// round are the durations that a clock move is shortened to.
var round = []time.Duration{
	time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond, time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second,
	30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 20 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour, 48 * time.Hour, 7 * 24 * time.Hour,
}

// shortenClock shortens each move of the clock that is needed to a round duration, by bisection.
func (s *shrinker) shortenClock() {
	for i := 0; i < len(s.best.Trace.Steps); i++ {
		step := s.best.Trace.Steps[i]
		if step.Kind != StepClock || !step.forced {
			continue
		}
		shorter, _ := slices.BinarySearch(round, step.Advance)
		for low, high := 0, shorter; low < high; {
			mid := (low + high) / 2
			if s.tryClock(i, round[mid]) {
				high = mid
			} else {
				low = mid + 1
			}
		}
	}
}

// tryClock tries the best order with step i, a move of the clock, shortened to d.
func (s *shrinker) tryClock(i int, d time.Duration) bool {
	var order schedule.Schedule
	for k, x := range s.best.Trace.Steps {
		t := x.Token()
		if k == i {
			t.Duration = d
		}
		order = append(order, t)
	}
	before := s.best
	if !s.try(order) {
		return false
	}
	// A move that comes because everybody waits is only cut in two by this.
	if len(s.best.Trace.Steps) <= len(before.Trace.Steps) && i < len(s.best.Trace.Steps) && s.best.Trace.Steps[i].Kind == StepClock && s.best.Trace.Steps[i].Advance == d {
		return true
	}
	s.best = before
	return false
}

// cut ends an order that is violated before its end after the violation and what decides.
func (s *shrinker) cut(res *Result, d *Decision) *Result {
	at, _ := s.target.in(res)
	if d != nil {
		for _, n := range d.Steps {
			at = max(at, n)
		}
	}
	if at >= len(res.Trace.Steps) || at == 0 {
		return res
	}
	order := res.Trace.Schedule()[:at]
	short := s.run(newForced(order, stop{}), needsJournal(order))
	if !s.wanted(short) || !short.Trace.Schedule().Equal(order) {
		return res
	}
	return short
}

func joinNames(names []string) string {
	text := ""
	for _, n := range names {
		text += n + " "
	}
	return text
}
