package interleave

import (
	"errors"
	"fmt"
	"strings"

	"github.com/racebench/racebench/interleave/schedule"
)

// This file runs an order a second time, and says in what the two runs differ.

// retrace makes the steps of a trace happen again, clock moves as they came about.
type retrace struct {
	once
	steps []*Step
}

func (r *retrace) next(v *view) (choice, error) {
	n, _ := v.plain()
	stuck := n == 0 && !v.allEnded()
	if v.step > len(r.steps) {
		switch {
		case n > 0:
			return choice{}, &DivergedError{Step: v.step, Expected: "the end of the run", Found: v.state()}
		case stuck:
			return choice{kind: chooseIdle}, nil
		}
		return choice{kind: chooseEnd}, nil
	}
	s := r.steps[v.step-1]
	if s.idle && stuck {
		return choice{kind: chooseIdle}, nil
	}
	t := s.Token()
	f := newForced(schedule.Schedule{t}, fair{})
	c, _, err := f.follow(v, t)
	switch {
	case err != nil && stuck && r.moving(v):
		return choice{kind: chooseIdle}, nil // one move of the clock that comes in several
	case err != nil:
		var d *DivergedError
		if errors.As(err, &d) {
			d.Expected = s.Summary()
		}
		return choice{}, err
	case c == nil:
		return choice{}, &DivergedError{Step: v.step, Token: &t, Expected: s.Summary(), Found: v.state()}
	}
	c.forced = s.forced || s.apart
	return *c, nil
}

// moving reports whether the last step is a move of the clock that has not gone as far as before.
func (r *retrace) moving(v *view) bool {
	last := v.trace.last()
	return last != nil && last.Kind == StepClock && v.step > 1 && last.Advance < r.steps[v.step-2].Advance
}

// repeat runs the order of a result once more, on r, and returns what came of it.
func (r *Runner) repeat(res *Result, world func(*World)) *Result {
	steps := res.Trace.Steps
	return r.once(&retrace{steps: steps}, needs{history: needsJournal(res.Trace.Schedule())}, world)
}

// twice runs a violating order a second time. It returns the second run, which has all that a report needs, when both came
// to the same, else the first; and how they differ, or nil.
func (r *Runner) twice(res *Result, world func(*World)) (*Result, *NondeterminismError) {
	second := r.repeat(res, world)
	d := differ(res, second)
	if d != nil {
		return res, &NondeterminismError{Step: d.step, Was: d.was, Is: d.is, Source: d.source}
	}
	second.vague = unlike(res, second)
	return second, nil
}

// unlike are the steps of a run whose fingerprints are others in a second run of the same order.
func unlike(a, b *Result) map[int]bool {
	vague := map[int]bool{}
	for i, s := range a.Trace.Steps {
		if i < len(b.Trace.Steps) && s.print(false, 0) != b.Trace.Steps[i].print(false, 0) {
			vague[s.N] = true
		}
	}
	return vague
}

// blur finds out what a token of res must not rely on.
func (r *Runner) blur(res *Result, world func(*World)) {
	if res.vague == nil && res.offers != nil && len(res.Trace.Steps) > 0 && !diverged(res.Err) && r.broken == nil {
		res.vague = unlike(res, r.repeat(res, world))
	}
}

// Token is Result.Token of a result that this runner has given. It runs the order once more, so that the token does not rely on
// what differs from run to run.
func (r *Runner) Token(res *Result, name string, world func(*World)) string {
	r.blur(res, world)
	return res.Token(name)
}

// FidelityError says that two backends did not do the same with one order. That is a fault of one of them, and says
// nothing about a race.
type FidelityError struct {
	Backends [2]string // with versions
	Step     int       // the first that differs
	Was, Is  string    // on the first, on the second
}

func (e *FidelityError) Error() string {
	return fmt.Sprintf("fidelity fault, not a race: step %d on %s: %s; on %s: %s", e.Step, e.Backends[0], e.Was, e.Backends[1], e.Is)
}

// Confirm runs the order of a result, which may be of another backend, on the backend of r, and compares step by step:
// who did what on which keys, what was answered, what was left, the verdicts. Random identifiers may be others. The error is
// a *FidelityError when something differs, and the Err of the world when it could not be run on this backend.
func (r *Runner) Confirm(res *Result, world func(*World)) (*Result, error) {
	second := r.repeat(res, world)
	if second.Err != nil && !diverged(second.Err) && fatalTo(second.Err) != nil {
		return second, second.Err
	}
	if d := differ(res, second); d != nil {
		name := func(x *Result) string { return strings.TrimSpace(x.Backend + " " + x.Version) }
		return second, &FidelityError{Backends: [2]string{name(res), name(second)}, Step: d.step, Was: d.was, Is: d.is}
	}
	return second, nil
}

func asDiverged(err error) (*DivergedError, bool) {
	var d *DivergedError
	ok := errors.As(err, &d)
	return d, ok
}
