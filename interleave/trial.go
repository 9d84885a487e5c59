package interleave

import (
	"context"
	"strconv"
)

// Most explorations are short. Cutting them would cost more than it gains, and give up the order of the search, fewest
// preemptions first. So a search begins with a trial in one piece. One that is over by then is cut into its executions: every
// process runs them all and has its share of them to report. Only a longer one is cut into subtrees, and explored again
// from its beginning, with what the trial has found kept.

// trial is the beginning of a search, execution by execution.
type trial struct {
	parts []Part
	over  bool // there is nothing more to run
	// The context has ended before it was known whether this is the whole exploration, and so what its units are.
	stopped bool
}

// splitAfterTrial cuts an exhaustive exploration.
func (r *Runner) splitAfterTrial(ctx context.Context, world func(*World)) ([]Unit, error) {
	t := r.runTrial(ctx, world)
	r.trial = t
	if !t.over && ctx.Err() == nil {
		units, err := r.split(ctx, world, Unit{})
		if ctx.Err() == nil {
			return append([]Unit{trialUnit(len(t.parts))}, units...), err
		}
	}
	var units []Unit
	for _, p := range t.parts {
		units = append(units, p.Unit)
	}
	if !t.over {
		t.stopped = true
		units = append(units, Unit{ID: "rest"}) // never explored: the context has ended, in the trial or while the rest was cut
	}
	return units, nil
}

func trialUnit(n int) Unit { return Unit{ID: "trial." + strconv.Itoa(n), Trial: n} }

// runTrial runs the trial.
func (r *Runner) runTrial(ctx context.Context, world func(*World)) *trial {
	ctx, free := r.cfg.within(ctx)
	defer free()
	t := &trial{}
	o := r.newObserver(ctx, world)
	st := r.cfg.newStrategy()
	whole := &exploring{Exploration: &Exploration{}, r: r, ctx: ctx, world: world, brief: true}
	for {
		e := &exploring{Exploration: &Exploration{}, r: r, ctx: ctx, world: world, brief: true, limit: 1}
		o := o.fresh()
		e.each = o.order
		e.all(st)
		if e.Complete && e.Executions == 0 || ctx.Err() != nil {
			t.over = ctx.Err() == nil
			return t
		}
		p := Part{Unit: trialUnit(len(t.parts) + 1), Done: true}
		p.fill(e, o)
		for i := range p.Findings {
			p.Findings[i].Switches = 0 // the search begins with the best
		}
		t.parts = append(t.parts, p)
		whole.Executions++
		if e.FirstAt > 0 {
			whole.FirstAt = whole.Executions
		}
		switch {
		case e.Complete, e.Err != nil:
			t.over = true
			for i := range t.parts {
				t.parts[i].Sum.Steps = e.Steps
			}
			return t
		case whole.over():
			t.over = true
			t.parts[len(t.parts)-1].Done = false // there would be more
			return t
		case whole.Executions == trialLength:
			return t
		}
	}
}

// trialPart is what became of an execution of the trial, or of all of it where it was not the whole exploration.
func (r *Runner) trialPart(ctx context.Context, world func(*World), u Unit) Part {
	if r.trial == nil {
		r.trial = r.runTrial(ctx, world)
	}
	t := r.trial
	if u.Trial > len(t.parts) {
		return Part{Unit: u} // the context has ended
	}
	if t.over || ctx.Err() != nil {
		return t.parts[u.Trial-1]
	}
	// Its orders are those of the other units. What it has found is found with fewer preemptions than they will.
	all := Part{Unit: u, Done: true, Sum: Exploration{Executions: len(t.parts), Repeated: len(t.parts)}}
	seen := map[string]bool{}
	for i, p := range t.parts {
		for _, f := range p.Findings {
			if !seen[f.What] {
				seen[f.What] = true
				f.Orders = 0
				all.Findings = append(all.Findings, f)
			}
		}
		if p.Sum.FirstAt > 0 && all.Sum.FirstAt == 0 {
			all.Sum.FirstAt = i + 1
		}
	}
	return all
}
