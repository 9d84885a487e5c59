package interleave

import (
	"container/heap"
	"context"
	"errors"
	"fmt"
	"testing"
)

// Exploration is what became of a search through the orders of a world.
type Exploration struct {
	Executions int // worlds run
	Orders     int // inequivalent orders among them, each run to its end
	Pruned     int // worlds given up because every continuation was explored elsewhere
	Violating  int // of Orders
	// Complete says that every inequivalent order has been run.
	Complete bool
	// Bound is what ended a search that is not complete.
	Bound string
	// Found has one entry for each way to go wrong, in the order of being found, with the first order that does.
	Found []Finding
	// Err says why the search was given up: a *NondeterminismError, or the Err of a world that could not be run.
	Err error
}

// Finding is one way in which orders go wrong.
type Finding struct {
	What   string  // the invariant, or the kind of error
	Orders int     // how many go wrong in this way
	First  *Result // the first found, with the fewest preemptions
}

// Outcome is Violated when some order goes wrong, Held when all orders have been run and none does, else Undecided.
func (x *Exploration) Outcome() Outcome {
	switch {
	case len(x.Found) > 0:
		return Violated
	case x.Complete && x.Err == nil:
		return Held
	}
	return Undecided
}

// String says how many orders there are and how many go wrong: "12 of 14 orders violate, all explored".
func (x *Exploration) String() string {
	how := "all explored"
	if !x.Complete {
		how = "not all explored: " + x.Bound
	}
	if x.Violating == 0 && x.Complete {
		return fmt.Sprintf("all %d orders hold", x.Orders)
	}
	return fmt.Sprintf("%d of %d orders violate, %s", x.Violating, x.Orders, how)
}

// Explore runs the world in every inequivalent order and fails the test with the first that violates an invariant, the
// one with the fewest preemptions. It fails as well when it could not run them all: see MaxExecutions.
func Explore(t *testing.T, world func(*World), opts ...Option) *Exploration {
	t.Helper()
	if *redisFlag != "" {
		opts = append([]Option{Redis(*redisFlag)}, opts...)
	}
	if *replayFlag != "" {
		Force(t, *replayFlag, world, opts...)
		return &Exploration{}
	}
	r := openTest(t, opts)
	x := r.Explore(t.Context(), world)
	switch {
	case len(x.Found) > 0:
		t.Errorf("interleave: %s\n%s", x, r.failure(t, x.Found[0].First, world))
	case x.Err != nil:
		t.Errorf("interleave: %v%s", x.Err, hint(x.Err))
	case x.Outcome() != Held:
		t.Errorf("interleave: undecided: %s", x)
	}
	return x
}

// Explore runs the world in every inequivalent order, fewest preemptions first, until the context ends or the bound of
// MaxExecutions is hit.
func (r *Runner) Explore(ctx context.Context, world func(*World)) *Exploration {
	return r.explore(ctx, world, func(*Result) {})
}

// explore calls each with every order that was run to its end.
func (r *Runner) explore(ctx context.Context, world func(*World), each func(*Result)) *Exploration {
	x := &Exploration{}
	s := newSearch()
	var next *debt
	for {
		w := s.walk(next)
		res := r.run(w, false, world)
		x.Executions++
		if w.pending != nil {
			w.arrived(res.Trace)
		}
		s.learn(w)
		if x.Err = fatalTo(res.Err); x.Err != nil {
			return x
		}
		if !errors.Is(res.Err, errPruned) {
			each(res)
		}
		x.count(res)
		for {
			if len(s.open) == 0 {
				x.Complete = true
				return x
			}
			d := heap.Pop(&s.open).(debt)
			if d.n.child[d.alt.key] == nil {
				next = &d
				break
			}
		}
		switch {
		case x.Executions >= r.cfg.maxOrders:
			x.Bound = fmt.Sprintf("%d executions", x.Executions)
			return x
		case ctx.Err() != nil:
			x.Bound = fmt.Sprintf("%v after %d executions", context.Cause(ctx), x.Executions)
			return x
		}
	}
}

// fatalTo returns the errors after which a search makes no sense. Those of one order, such as a deadlock, are findings.
func fatalTo(err error) error {
	var (
		panicked *PanicError
		dead     *DeadlockError
	)
	switch {
	case err == nil, errors.Is(err, errPruned), errors.As(err, &dead):
		return nil
	case errors.As(err, &panicked) && panicked.Actor != "":
		return nil
	}
	return err
}

// count adds a finished world.
func (x *Exploration) count(res *Result) {
	if errors.Is(res.Err, errPruned) {
		x.Pruned++
		return
	}
	x.Orders++
	if res.Outcome() == Held {
		return
	}
	if res.Outcome() == Undecided && res.Err == nil {
		x.Bound = "a world " + res.Trace.Bound
		return
	}
	x.Violating++
	for _, v := range res.Verdicts {
		if v.Outcome == Violated {
			x.find(v.Invariant, res)
		}
	}
	if res.Err != nil {
		x.find(fmt.Sprintf("%T", res.Err), res)
	}
}

func (x *Exploration) find(what string, res *Result) {
	for i := range x.Found {
		if x.Found[i].What == what {
			x.Found[i].Orders++
			return
		}
	}
	x.Found = append(x.Found, Finding{what, 1, res})
}
