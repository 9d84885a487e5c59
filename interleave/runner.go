package interleave

import (
	"context"
	"errors"
	"fmt"
	"net"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/racebench/racebench/interleave/backend"
	"github.com/racebench/racebench/interleave/schedule"
	"github.com/racebench/racebench/internal/bubble"
)

// Runner runs worlds, one after the other, on one throwaway Redis that is reset between them. It is not safe for
// concurrent use; several runners are.
type Runner struct {
	cfg    *config
	server backend.Server
	more   []backend.Server // for worlds with several servers, opened when a world first asks
	t      *testing.T       // hosts the bubbles; nil outside tests
	trial  *trial           // of the exploration that was split last
	broken error            // a world was given up while it may still use the server

	replayWith string // what else a command line needs to have the world again; see Fuzz

	sql *sqlHost
}

// Open starts the throwaway Redis that the options name. The caller closes the runner.
func Open(opts ...Option) (*Runner, error) {
	cfg, err := newConfig(opts)
	if err != nil {
		return nil, err
	}
	warmResolver()
	server, err := backend.Open(cfg.redis, cfg.backend)
	if err != nil {
		return nil, err
	}
	return &Runner{cfg: cfg, server: server, sql: &sqlHost{outside: newOutside()}, t: cfg.t}, nil
}

// warmResolver makes the net package set up its resolver outside any bubble. It keeps a channel for the life of the
// process, and go-redis looks the server's name up when maintenance notifications are on: a channel that was made in one
// world's bubble would be fatal in the next.
var warmResolver = sync.OnceFunc(func() {
	_, _ = net.DefaultResolver.LookupIPAddr(context.Background(), "localhost")
})

// Close ends the throwaway Redis.
func (r *Runner) Close() error {
	var err error
	for _, s := range append([]backend.Server{r.server}, r.more...) {
		if a, ok := s.(backend.Abandoner); ok && r.broken != nil {
			err = errors.Join(err, a.Abandon()) // the world that was given up may still be using it
		} else {
			err = errors.Join(err, s.Close())
		}
	}
	return errors.Join(err, r.sql.close(r.broken != nil))
}

// Backend is the name and the version of the throwaway Redis.
func (r *Runner) Backend() (name, version string) { return r.server.Name(), r.server.Version() }

// Result is what became of one world.
type Result struct {
	Trace *Trace
	// Verdicts has one entry for each invariant, in the order in which they were added, and one for each actor that
	// returned an error.
	Verdicts []Judged
	// Err says why the world could not be judged: a *DivergedError, *DeadlockError, *StuckError, *PanicError,
	// *ExitError, *LeakError, *backend.RefusedError, *backend.UnavailableError, or an error of the world function.
	Err error
	// Backend and Version name the throwaway Redis.
	Backend, Version string
	// Notes are remarks of the backend about fidelity.
	Notes []string
	// Skipped says what a best effort has left out of its schedule, see BestEffort.
	Skipped []string

	always []string     // the invariants that are judged after every step
	whole  bool         // a token described all of it
	offers *offers      // at which steps there was nothing to choose; nil where nobody has looked
	vague  map[int]bool // steps whose keys differ from run to run
}

// Judged is an invariant with its verdict.
type Judged struct {
	Invariant string `json:"invariant"` // its name
	Verdict
	Step int  `json:"step"` // after which the verdict was given
	When When `json:"when"` // when it is judged: always, or finally
}

// Outcome is the worst of the verdicts; Undecided when a bound was hit or the world could not be judged.
func (r *Result) Outcome() Outcome {
	worst := Held
	for _, v := range r.Verdicts {
		worst = max(worst, v.Outcome)
	}
	if worst == Held && (r.Err != nil || r.Trace.Bound != "") {
		return Undecided
	}
	return worst
}

// Violated returns the verdict on an invariant if it was violated.
func (r *Result) Violated(invariant string) (Judged, bool) {
	for _, v := range r.Verdicts {
		if v.Invariant == invariant && v.Outcome == Violated {
			return v, true
		}
	}
	return Judged{}, false
}

// Run runs one world: first the schedule, then everything that is left in a fair order, until nothing more can happen. It
// takes a token as well, which leaves nothing. The error is a *schedule.Error; all that happens in the world is in the result.
func (r *Runner) Run(text string, world func(*World)) (*Result, error) {
	o, err := parseOrder(text)
	if err != nil {
		return nil, err
	}
	return r.runOrder(o, world), nil
}

// RunSchedule is Run for a schedule that has been parsed.
func (r *Runner) RunSchedule(s schedule.Schedule, world func(*World)) *Result {
	return r.runOrder(order{tokens: s}, world)
}

// once runs the first execution of a strategy.
func (r *Runner) once(st strategy, n needs, world func(*World)) *Result {
	f := &offers{strategy: st}
	f.begin(0)
	res := r.run(f, n, world)
	res.offers = f
	f.end(res)
	return res
}

// needs says what a world has to keep for the strategy that runs it.
type needs struct {
	history    bool            // what the server held after each write, for !failover
	footprints bool            // of the steps; the place in the subject that a command comes from is not looked up then
	until      context.Context // ends the world when it ends; nil for none
}

// run runs a world in a bubble of its own, and watches it from outside.
func (r *Runner) run(st strategy, n needs, build func(*World)) *Result {
	e := &engine{cfg: r.cfg, sqlHost: r.sql, strategy: st, reduces: n.footprints, trace: &Trace{}, journals: n.history, order: newConstraints(r.cfg.parsed), beats: new(atomic.Int64), phase: new(atomic.Int32)}
	if b := r.cfg.budget; b != nil {
		e.left = *b
	}
	res := &Result{Trace: e.trace}
	res.Backend, res.Version = r.Backend()
	if r.broken != nil {
		res.Err = r.broken
		return res
	}
	e.world = newWorld(r.cfg)
	e.world.eng = e

	// A server is opened outside the bubble: it takes real time, and what it starts must outlive the world.
	need, opened := make(chan struct{}), make(chan error)
	e.another = func(i int) (backend.Server, error) {
		if i >= len(r.more) {
			need <- struct{}{}
			if err := <-opened; err != nil {
				return nil, err
			}
		}
		return r.more[i], nil
	}

	type ending struct{ err, bubble error }
	ended := make(chan ending, 1)
	var errIn atomic.Pointer[error]
	go func() {
		// A bubble whose T has failed ends by Goexit: report even then.
		end := ending{err: errUnfinished}
		defer func() { ended <- end }()
		end.bubble = bubble.Run(r.t, func() {
			err := r.live(e, build, res)
			errIn.Store(&err)
		})
		if p := errIn.Load(); p != nil {
			end.err = *p
		}
	}()
	end, stuck := ending{}, error(nil)
	var over <-chan struct{}
	if n.until != nil {
		over = n.until.Done()
	}
	for ticks, last, patience := 0, int64(-1), r.cfg.watchdog; ; {
		const slices = 10 // of the watchdog's patience, so that progress just before its end counts
		timer := time.NewTimer(patience / slices)
		select {
		case end = <-ended:
			timer.Stop()
		case <-need:
			timer.Stop()
			opened <- r.openMore()
			continue
		case <-over:
			// The scheduler ends the world at its next step. If it does not come to that, the world is given up soon.
			timer.Stop()
			e.stop.Store(true)
			over, ticks, patience = nil, 0, min(patience, lastCall)
			continue
		case <-timer.C:
			if b := e.beats.Load(); b != last {
				last, ticks = b, 0
				continue
			}
			if ticks++; ticks < slices {
				continue
			}
			e.phase.CompareAndSwap(waiting, givenUp)
			stuck = &StuckError{After: r.cfg.watchdog, Stacks: stacksOf(e.world.id)}
			if e.stop.Load() {
				stuck = errOutOfTime
			}
		}
		break
	}
	if stuck != nil {
		// The world's goroutines can't be ended and may still use the trace and the server.
		r.broken = stuck
		return &Result{Trace: &Trace{}, Err: stuck, Backend: res.Backend, Version: res.Version}
	}
	res.Err = end.err
	var dead *bubble.DeadlockError
	switch {
	case end.bubble == nil || res.Err != nil && !errors.Is(res.Err, errUnfinished):
	case !errors.As(end.bubble, &dead):
		res.Err = end.bubble
	case errors.Is(res.Err, errUnfinished):
		res.Err = fmt.Errorf("the world function or an invariant waits for ever:\n%s", stacksOf(e.world.id))
	default:
		if stacks := e.leaked(); stacks != "" {
			res.Err = &LeakError{Stacks: stacks}
		}
	}
	return res
}

// openMore opens one more server for worlds that have several.
func (r *Runner) openMore() error {
	if strings.Contains(r.cfg.redis, "://") {
		return &backend.RefusedError{Backend: r.server.Name(), Command: "a second server", Reason: "it is one server, and each that a world names is one of its own", Hint: "use embedded, process or container"}
	}
	s, err := backend.Open(r.cfg.redis, r.cfg.backend)
	if err == nil {
		r.more = append(r.more, s)
	}
	return err
}

// notes are what the backends of the servers have to say, each once.
func (e *engine) notes() []string {
	var notes []string
	for _, v := range e.servers {
		notes = append(notes, v.Notes()...)
	}
	slices.Sort(notes)
	return slices.Compact(notes)
}

// lastCall is how long a world that shows no sign of life is waited for when its time is over.
const lastCall = time.Second

// boundOfTime is the bound of a world that was ended because its time was over; errOutOfTime is the error of one that did
// not notice.
const boundOfTime = "its time was over"

var errOutOfTime = errors.New("interleave: " + boundOfTime + ", and it did not come to its next step")

// errUnfinished is the error of a world whose scheduler never came to an end.
var errUnfinished = errors.New("the bubble was ended from outside")

// live runs on the main goroutine of the bubble: the world from its beginning to its end.
func (r *Runner) live(e *engine, build func(*World), res *Result) error {
	done := make(chan error, 1)
	go func() {
		pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), pprof.Labels(worldLabel, e.world.id)))
		err := error(&ExitError{})
		defer func() {
			if p := recover(); p != nil {
				err = &PanicError{Value: fmt.Sprint(p), Stack: string(debug.Stack())}
			}
			defer func() { done <- err }() // also when the watchdog gives up during the teardown
			if e.phase.Load() != givenUp {
				if terr := e.teardown(); err == nil {
					err = terr
				}
			}
		}()
		e.world.arrival = make(chan struct{}, 1)
		e.start = time.Now()
		e.servers = []*server{e.newServer("", r.server)}
		if err = r.server.Reset(e.start); err != nil {
			return
		}
		err = e.run(build)
		if err != nil && e.image != nil {
			e.trace.After = e.image.list()
		}
		e.trace.lives = e.lives()
		res.Verdicts = e.verdicts(err)
		for _, j := range e.judged {
			if j.inv.When == AlwaysHolds {
				res.always = append(res.always, j.inv.Name)
			}
		}
		res.Notes = e.notes()
	}()
	return <-done
}

// verdicts collects what the invariants came to, and the errors of actors. Where the world did not come to its end, because
// of a bound or of err, what was not violated is undecided.
func (e *engine) verdicts(err error) []Judged {
	var out []Judged
	for _, j := range e.judged {
		v := j.verdict
		switch {
		case v.Outcome != Held:
		case e.trace.Bound != "":
			v = Verdict{Undecided, "the world was ended by a bound: " + e.trace.Bound}
		case err != nil:
			v = Verdict{Undecided, "the world did not come to its end"}
		}
		out = append(out, Judged{j.inv.Name, v, j.step, j.inv.When})
	}
	for _, a := range e.actors {
		if a.noticed && a.life.Load() == alive && a.exit.err != nil && !a.faulted {
			out = append(out, Judged{"actor " + a.name + " returns no error", Verdict{Violated, a.exit.err.Error()}, len(e.trace.Steps), FinallyHolds})
		}
	}
	return out
}

// grace is how far the clock moves at the end of a world for goroutines that wait for a timer before they notice it.
const grace = time.Minute

// teardown ends everything in the world: contexts first, for those who listen, then lives, then connections.
func (e *engine) teardown() (err error) {
	for _, a := range e.actors {
		a.cancel()
	}
	e.pause(synctest.Wait)
	for _, a := range e.actors {
		a.kill(over)
		for _, s := range a.sessions {
			s.conn.wake()
		}
	}
	e.pause(synctest.Wait)
	e.pause(func() { time.Sleep(grace) })
	for _, a := range e.actors {
		a.mu.Lock()
		clients := a.clients
		a.mu.Unlock()
		for _, c := range clients {
			c.Close()
		}
		for _, s := range a.sessions {
			s.close()
		}
		for _, s := range a.gone {
			s.close()
		}
		a.closePools()
	}
	if e.sql != nil && e.sql.direct != nil {
		e.sql.direct.Close()
	}
	for _, v := range e.servers {
		v.close()
	}
	for _, f := range slices.Backward(e.world.cleanups) {
		err = errors.Join(err, guarded(f))
	}
	e.pause(synctest.Wait)
	return err
}

// guarded calls a function of the world's and turns a panic or a Goexit into an error.
func guarded(f func()) (err error) {
	done := make(chan error, 1)
	go func() {
		err := error(&ExitError{})
		defer func() {
			if p := recover(); p != nil {
				err = &PanicError{Value: fmt.Sprint(p), Stack: string(debug.Stack())}
			}
			done <- err
		}()
		f()
		err = nil
	}()
	return <-done
}

// leaked returns the stacks of goroutines that were left behind: by an actor whose function has returned, or by the world
// function. An actor that was still running when the world ended, or crashed, was killed, and nothing can end a goroutine
// of it that never comes to the gate.
func (e *engine) leaked() string {
	killed := map[string]bool{}
	for _, a := range e.actors {
		killed[a.name] = !a.noticed || a.exit.goexit
	}
	return stacksWhere(e.world.id, func(actor string) bool { return !killed[actor] })
}
