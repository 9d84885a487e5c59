package interleave

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// Exploration is what became of a search through the orders of a world.
type Exploration struct {
	Executions int // worlds run
	// Points counts the steps, of all worlds together, at which there was something to choose.
	Points int
	// Orders counts the orders run to their end. They are inequivalent as long as the search is exhaustive; drawn ones may
	// repeat.
	Orders    int
	Pruned    int // worlds given up because every continuation was explored elsewhere
	Met       int // worlds given up in a state that was met before; see Fingerprints
	States    int // states that were met for the first time, with Fingerprints
	Undecided int // of Orders: a bound of the world was hit, or a judgement could not be made
	Violating int // of Orders
	// Repeated are those of Executions that count for nothing else: they were run before a unit turned out to be too large,
	// and are part of others. See Runner.Split.
	Repeated int
	// Complete says that every inequivalent order has been run.
	Complete bool
	Why      string // of the last that was undecided
	// Steps are the steps of each actor, where they are the same in every order and no actor ever waits; nil where not. See
	// All.
	Steps map[string]int `json:",omitempty"`
	// FirstAt is the execution that found the first order to go wrong, from 1; 0 when none did.
	FirstAt int
	// Bound is what ended a search that is not complete.
	Bound string
	// Explained counts the worlds run to explain what was found. They are not among the Executions.
	Explained int
	// Found has one entry for each way to go wrong, in the order of being found, with the first order that does.
	Found []Finding `json:",omitempty"`
	// Endings are the ways in which the orders end, in the order of being found; each order is in one.
	Endings []Ending `json:",omitempty"`
	// Windows says in how many orders each window was open, those of the world first; see World.Window.
	Windows []WindowCount `json:",omitempty"`
	// Serial is what SerialOracle has found; nil without it.
	Serial *Serial `json:",omitempty"`
	// Coverage is what was looked at; nil without WhyNoBug.
	Coverage *Coverage `json:",omitempty"`
	// Kept are the orders, with KeepOrders.
	Kept []KeptOrder `json:",omitempty"`
	// Differs says how the first order to go wrong that did not come to the same a second time differed. Every order that
	// goes wrong is run twice.
	Differs *NondeterminismError `json:",omitempty"`
	// Err says why the search was given up: a *NondeterminismError, or the Err of a world that could not be run.
	Err error `json:"-"`
}

// Finding is one way in which orders go wrong.
type Finding struct {
	What   string  // the invariant, or the kind of error
	Orders int     // how many go wrong in this way
	First  *Result // the first found, with the fewest preemptions
	Explanation
}

// Outcome is Violated when some order goes wrong, Held when all orders have been run, none does and each declared window was
// open in some, else Undecided.
func (x *Exploration) Outcome() Outcome {
	switch {
	case len(x.Found) > 0:
		return Violated
	case x.Complete && x.Err == nil && x.Undecided == 0 && x.Unreached() == "":
		return Held
	}
	return Undecided
}

// String says how many orders there are and how many go wrong: "12 of 14 orders violate, all explored".
func (x *Exploration) String() string {
	how := "all explored"
	switch {
	case x.Complete:
	case x.Err != nil:
		how = "given up: " + x.Err.Error()
	default:
		how = "not all explored: " + x.Bound
	}
	switch {
	case x.Outcome() == Held:
		return fmt.Sprintf("all %d orders hold", x.Orders)
	case x.Undecided > 0:
		how = fmt.Sprintf("%d undecided (%s), %s", x.Undecided, x.Why, how)
	case len(x.Found) == 0 && x.Err == nil && x.Unreached() != "":
		how += "; " + x.Unreached()
	}
	return fmt.Sprintf("%d of %d orders violate, %s", x.Violating, x.Orders, how)
}

// Explore runs the world in every inequivalent order and fails the test with the first that violates an invariant, the
// one with the fewest preemptions. It fails as well when it could not run them all: see MaxExecutions.
func Explore(t *testing.T, world func(*World), opts ...Option) *Exploration {
	t.Helper()
	opts = flagged(opts)
	switch {
	case *replayFlag != "" && Mode(*modeFlag) == Prefix:
		opts = append(opts, From(*replayFlag, 0))
	case *replayFlag != "":
		Force(t, *replayFlag, world, opts...)
		return &Exploration{Executions: 1, Orders: 1, Bound: "a replay runs one order"}
	}
	r := openTest(t, opts)
	r.cfg.why = r.cfg.why || testing.Verbose()
	if r.cfg.prefix == nil {
		if res, file := r.runSaved(t, world); res != nil {
			x := stillWrong(res, file)
			text, why := r.explained(t, res, "", world)
			t.Errorf("interleave: %s\n%s", x, text)
			r.after(t, Seen{Result: res, Explanation: why})
			return x
		}
	}
	x := r.Explore(t.Context(), world)
	defer r.after(t, Seen{Exploration: x})
	if testing.Verbose() {
		t.Logf("interleave: %s: %s", r.cfg.chooses(), x.Statistics())
	}
	switch {
	case len(x.Found) > 0:
		text := r.foundText(t, &x.Found[0], world)
		r.saveAll(t, x, world)
		r.confirmTest(t, x, opts, world)
		if x.Differs != nil {
			t.Errorf("interleave: what was found does not come again by itself: %v", x.Differs)
		}
		t.Errorf("interleave: %s\n%s", x, text)
	case x.Err != nil:
		t.Errorf("interleave: %s%s", strings.TrimPrefix(x.Err.Error(), "interleave: "), hint(x.Err))
	case x.Outcome() != Held:
		t.Errorf("interleave: undecided: %s", x)
	}
	if x.Coverage != nil && x.Outcome() == Held {
		t.Logf("interleave: %s\n%s", x, x.Coverage)
	}
	if x.Serial != nil {
		t.Logf("interleave: %s", x.Serial.text(t.Name()))
	}
	return x
}

// Explore runs the world in many orders, by default in every inequivalent one with the fewest preemptions first, until
// the context ends or the bound of MaxExecutions is hit. See Strategy.
func (r *Runner) Explore(ctx context.Context, world func(*World)) *Exploration {
	o := r.newObserver(ctx, world)
	x := r.explore(ctx, world, o.order)
	o.report(x)
	x.explain(ctx, r, world)
	x.Serial.show(r, world)
	return x
}

// explore calls each with every order that was run to its end.
func (r *Runner) explore(ctx context.Context, world func(*World), each func(*Result)) *Exploration {
	ctx, free := r.cfg.within(ctx)
	defer free()
	e := &exploring{Exploration: &Exploration{}, r: r, ctx: ctx, world: world, each: each}
	e.all(r.cfg.newStrategy())
	return e.Exploration
}

// exploring is an exploration under way.
type exploring struct {
	*Exploration
	r     *Runner
	ctx   context.Context
	world func(*World)
	each  func(*Result)
	limit int  // executions after which it is interrupted; 0 for none
	brief bool // what is found is not run again for its trace
}

// over reports whether nothing more is to be run.
func (e *exploring) over() bool {
	switch cfg := e.r.cfg; {
	case cfg.firstOnly && e.FirstAt > 0:
		e.Bound = boundFirst
	case e.ctx.Err() != nil:
		e.Bound = boundContext(e.ctx, e.Executions)
	case e.limit > 0 && e.Executions == e.limit:
	case e.Executions >= cfg.maxOrders:
		e.Bound = boundExecutions(e.Executions)
	default:
		return false
	}
	return true
}

// The words for what can end an exploration.
const boundFirst = "stopped at the first"

func boundExecutions(n int) string {
	return fmt.Sprintf("%d executions, the most that MaxExecutions allows", n)
}

func boundContext(ctx context.Context, n int) string {
	return fmt.Sprintf("%v after %d executions", context.Cause(ctx), n)
}

// all runs what a strategy has to run.
func (e *exploring) all(st strategy) {
	base, keep := st, e.r.cfg.needs()
	keep.until = e.ctx
	if p := e.r.cfg.prefix; p != nil {
		st, keep.history = p.strategy(Prefix, st), keep.history || p.needs().history
	}
	points := &counter{strategy: st}
	st = points
	check := (*checker)(nil)
	if e.r.cfg.twice {
		check = newChecker(st)
		st = check
	}
	states := statesOf(base)
	defer func() { e.Points, e.States = e.Points+points.points, e.States+statesOf(base)-states }()
	for {
		if !st.begin(e.Executions) {
			e.end(base)
			return
		}
		if e.over() {
			return
		}
		res := e.r.run(st, keep, e.world)
		st.end(res)
		if errors.Is(res.Err, errOutOfTime) || res.Trace.Bound == boundOfTime && res.Outcome() != Violated {
			e.over() // this world says nothing
			return
		}
		e.Executions++
		if e.Err = fatalTo(res.Err); e.Err != nil {
			return
		}
		if e.r.cfg.fingerprints && len(res.Trace.Undeclared) > 0 {
			e.Err = errUndeclared
			return
		}
		if check != nil && check.again {
			continue
		}
		if !errors.Is(res.Err, errPruned) {
			e.each(res)
		}
		e.count(res)
		e.tell(base)
	}
}

// end is the end of a strategy that has nothing left to run.
func (e *exploring) end(st strategy) {
	e.Complete = true
	if s, ok := st.(*search); ok {
		e.Steps = s.total.steps
		if s.limit() != "" {
			e.Complete, e.Bound = false, s.limit()
		}
	}
}

// fatalTo returns the errors after which a search makes no sense. Those of one order, such as a deadlock, are findings.
func fatalTo(err error) error {
	var (
		panicked *PanicError
		dead     *DeadlockError
		spin     *SpinError
	)
	switch {
	case err == nil, errors.Is(err, errPruned), errors.As(err, &dead), errors.As(err, &spin):
		return nil
	case errors.As(err, &panicked) && panicked.Actor != "":
		return nil
	}
	return err
}

// count adds a finished world.
func (e *exploring) count(res *Result) {
	if errors.Is(res.Err, errMet) {
		e.Met++
		return
	}
	if errors.Is(res.Err, errPruned) {
		e.Pruned++
		return
	}
	e.Orders++
	e.Endings = addEnding(e.Endings, endingOf(res))
	if res.Outcome() == Held {
		return
	}
	if res.Outcome() == Undecided && res.Err == nil {
		e.Undecided++
		e.Why = undecidedBy(res)
		return
	}
	e.Violating++
	if e.FirstAt == 0 {
		e.FirstAt = e.Executions
	}
	full, differs := e.r.twice(res, e.world)
	if !e.brief {
		res = full
	}
	if e.Differs == nil {
		e.Differs = differs
	}
	for _, v := range res.Verdicts {
		if v.Outcome == Violated {
			e.find(v.Invariant, res)
		}
	}
	if res.Err != nil {
		e.find(fmt.Sprintf("%T", res.Err), res)
	}
}

// undecidedBy says why a world could not be decided.
func undecidedBy(res *Result) string {
	if res.Trace.Bound != "" {
		return "a world was ended by a bound: " + res.Trace.Bound
	}
	for _, v := range res.Verdicts {
		if v.Outcome == Undecided {
			return fmt.Sprintf("%q: %s", v.Invariant, v.Detail)
		}
	}
	return ""
}

// find counts one way to go wrong.
func (e *exploring) find(what string, res *Result) {
	for i := range e.Found {
		if e.Found[i].What == what {
			e.Found[i].Orders++
			return
		}
	}
	if e.brief {
		e.Found = append(e.Found, Finding{What: what, Orders: 1, First: res})
		return
	}
	for _, f := range e.Found {
		if f.First.Trace.Schedule().Equal(res.Trace.Schedule()) {
			e.Found = append(e.Found, Finding{What: what, Orders: 1, First: f.First})
			return
		}
	}
	e.Found = append(e.Found, Finding{What: what, Orders: 1, First: res})
}
