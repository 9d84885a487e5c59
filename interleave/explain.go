package interleave

import (
	"context"
	"fmt"
)

// Explanation says what a violation is and what it hangs on. Decision, Class and Story are about the order that is
// shown: of a finding, the shrunk one.
type Explanation struct {
	// Shrunk is the simplest order found that violates the same invariant: no actor, fault or clock move that is not
	// needed, the fewest switches between actors, and nothing after what matters (its trace then ends with a bound). Its
	// schedule can be forced. It is an order like the given one where nothing simpler was found; nil in a finding that was
	// not explained.
	Shrunk *Result
	// Minimal says that every order with fewer switches was ruled out: see Trace.Switches.
	Minimal bool
	// Decision is what the violation hangs on; nil when nothing was found.
	Decision *Decision
	// Class is the kind of race, where it can be told: one of Classes, or empty.
	Class string
	// Story is the order as a short proof in sentences.
	Story string
}

// Switches is the number of times that the next step is another actor's. Steps without an actor, and actors that die
// before they do anything, do not count.
func (t *Trace) Switches() int { return switches(t.Steps) }

func switches(steps []*Step) int {
	n, last := 0, ""
	for i, s := range steps {
		if s.Actor == "" || absentStep(steps, i) {
			continue
		}
		if last != "" && s.Actor != last {
			n++
		}
		last = s.Actor
	}
	return n
}

// absentStep reports whether step i is the death of an actor before it has done anything, at the beginning: that is how a
// schedule says that an actor takes no part.
func absentStep(steps []*Step, i int) bool {
	for ; i >= 0; i-- {
		if s := steps[i]; s.Kind != StepCrash {
			return false
		}
	}
	return true
}

// target is what an order has to violate to be the same race.
type target struct{ what string }

// firstTarget is the target that is violated first in a result; false when nothing is.
func firstTarget(res *Result) (target, bool) {
	var worst *Judged
	for i, v := range res.Verdicts {
		if v.Outcome == Violated && (worst == nil || v.Step < worst.Step) {
			worst = &res.Verdicts[i]
		}
	}
	switch {
	case worst != nil:
		return target{worst.Invariant}, true
	case res.Err != nil && fatalTo(res.Err) == nil:
		return target{fmt.Sprintf("%T", res.Err)}, true
	}
	return target{}, false
}

// in reports whether a result violates the target, and after which step.
func (t target) in(res *Result) (step int, violated bool) {
	if v, ok := res.Violated(t.what); ok {
		return v.Step, true
	}
	return len(res.Trace.Steps), res.Err != nil && fmt.Sprintf("%T", res.Err) == t.what
}

// Explain says what a violating result is about, and shrinks it besides; nil for a result that violates nothing, or that
// does not happen again. It runs some dozens of worlds, at most about 700, and stops shrinking when the context ends.
func (r *Runner) Explain(ctx context.Context, res *Result, world func(*World)) *Explanation {
	t, ok := firstTarget(res)
	if !ok {
		return nil
	}
	s := r.shrinker(ctx, res, t, world)
	if s == nil || !s.best.Trace.Schedule().Equal(res.Trace.Schedule()) {
		return nil
	}
	x := s.about(s.best, false)
	s.shrink()
	d := x.Decision
	if s.best != s.given {
		d = s.decide(s.best)
	}
	x.Shrunk, x.Minimal = s.cut(s.best, d), s.minimal
	return x
}

// explainShrunk is Explain for one of the ways in which res goes wrong, and about the shrunk order. It also says how many
// worlds it ran.
func (r *Runner) explainShrunk(ctx context.Context, res *Result, t target, world func(*World)) (*Explanation, int) {
	return r.explainAs(ctx, res, t, nil, world)
}

// explainAs is explainShrunk that keeps to orders for which same is true, if it is not nil.
func (r *Runner) explainAs(ctx context.Context, res *Result, t target, same func(*Result) bool, world func(*World)) (*Explanation, int) {
	s := r.shrinker(ctx, res, t, world)
	if s == nil {
		return nil, 1
	}
	s.same = same
	s.shrink()
	x := s.about(s.best, true)
	x.Minimal = s.minimal
	return x, s.worlds
}

// about says what an order is about; cut ends it after what matters.
func (s *shrinker) about(res *Result, cut bool) *Explanation {
	x := &Explanation{Shrunk: res}
	x.Decision = s.decide(res)
	if cut {
		x.Shrunk = s.cut(res, x.Decision)
	}
	x.Class = classify(res, x.Decision)
	x.Story = tell(x.Shrunk, s.target, x.Decision)
	return x
}

// explained bounds the findings of an exploration that are explained, and the worlds that are run for all of them but the
// first.
const explainedFindings, explainedWorlds = 8, 1000

// explain explains what was found: the first way to go wrong always, the others within a bound.
func (x *Exploration) explain(ctx context.Context, r *Runner, world func(*World)) {
	for i := range x.Found {
		if i > 0 && (i >= explainedFindings || x.Explained >= explainedWorlds) || r.cfg.unexplained || ctx.Err() != nil || r.broken != nil {
			return
		}
		f := &x.Found[i]
		e, n := r.explainShrunk(ctx, f.First, target{f.What}, world)
		x.Explained += n
		if e != nil {
			f.Explanation = *e
		}
	}
}

// ExplainFinding is what an exploration does with each of its findings, for one that was Unexplained: it fills in the
// Explanation. It leaves it as it is when the finding does not happen again. An order that violates the same invariant can
// be another race: same says whether it is this one; nil for always.
func (r *Runner) ExplainFinding(ctx context.Context, f *Finding, same func(*Result) bool, world func(*World)) {
	if e, _ := r.explainAs(ctx, f.First, target{f.What}, same, world); e != nil {
		f.Explanation = *e
	}
}
