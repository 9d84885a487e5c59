package interleave_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/interleave"
)

// lease is a lock held inside one process: a timer renews it until unlock stops the timer. When the timer has fired already,
// Stop comes too late, and the renewal brings back what unlock has given away.
type lease struct {
	mu    sync.Mutex
	held  bool
	timer *time.Timer
	point func(label string)
	safe  bool // the renewal looks first
}

func (l *lease) lock(d time.Duration) {
	l.held = true
	l.timer = time.AfterFunc(d, func() {
		l.point("renew")
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.safe && !l.held {
			return
		}
		l.held = true
	})
}

func (l *lease) unlock() {
	l.timer.Stop()
	l.point("unlock")
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held = false
}

// renewal is a world in which a lease is given back at the moment when it is renewed. The other actor is there to be
// independent.
func renewal(safe bool) func(w *interleave.World) {
	return func(w *interleave.World) {
		var l *lease
		w.Actor("A", func(a *interleave.Actor) error {
			l = &lease{point: a.Point, safe: safe}
			l.lock(time.Second)
			time.Sleep(time.Second)
			l.unlock()
			return nil
		})
		w.Actor("B", func(a *interleave.Actor) error {
			a.Point("B's own")
			a.Point("B's own")
			return nil
		})
		w.Finally("unlocked", func(*interleave.State) error { return check(!l.held, "still held after unlock") })
	}
}

func TestTimerAgainstUnlock(t *testing.T) {
	r := open(t)
	x := r.Explore(t.Context(), renewal(false))
	require.Equal(t, "1 of 2 orders violate, all explored", x.String())
	bad := x.Found[0].First.Trace
	require.Contains(t, bad.Schedule().String(), "A.point(unlock) A.point(renew)")

	res := run(t, r, bad.Schedule().String(), renewal(false))
	j, ok := res.Violated("unlocked")
	require.True(t, ok)
	require.Equal(t, "still held after unlock", j.Detail)
	require.Equal(t, bad.String(), res.Trace.String())
	require.Equal(t, "A.point(unlock) before A.point(renew) (the other way round it holds)", r.Decide(res, renewal(false)).Text)
	require.Contains(t, r.Explain(t.Context(), res, renewal(false)).Story, "A passes its point unlock and passes its point renew.")
	held(t, r, "B.. +1s A.point(renew) A.point(unlock)", renewal(false))

	x = r.Explore(t.Context(), renewal(true))
	require.Equal(t, "all 2 orders hold", x.String())
}

func TestPointsInSchedules(t *testing.T) {
	r := open(t)
	world := func(w *interleave.World) {
		w.Actor("A", func(a *interleave.Actor) error {
			var wg sync.WaitGroup
			for _, label := range []string{"x", "y", "x"} {
				wg.Go(func() { a.Point(label) })
			}
			wg.Wait()
			return a.Redis().Set(ctx, "k", "v", 0).Err()
		})
		w.Actor("B", func(a *interleave.Actor) error {
			if err := a.Redis().Get(ctx, "n").Err(); err != nil && err.Error() != "redis: nil" {
				return err
			}
			a.Point("odd )")
			return nil
		})
	}
	res := held(t, r, "A.point(y) B A.point@2 B.point A..", world)
	require.Equal(t, []string{"A point y", "B GET n → nil", "A point x", `B point "odd )"`, "A point x", "A SET k v → OK"}, steps(res))
	require.Equal(t, `A.point(y) B.GET A.point(x)@2 B.point("odd )") A.point(x) A.SET`, res.Trace.Schedule().String())
	again := held(t, r, res.Trace.Schedule().String(), world)
	require.Equal(t, res.Trace.String(), again.Trace.String())
	require.Contains(t, res.Trace.Table(interleave.TableOptions{}), "│ point y")
	require.Contains(t, res.Trace.Steps[0].Caller, "interleave/point_test.go:")
	require.Equal(t, interleave.StepPoint, res.Trace.Steps[0].Kind)
	require.Empty(t, res.Trace.Steps[0].Keys, "a label is no key")
	data, err := res.Trace.Steps[0].MarshalJSON()
	require.NoError(t, err)
	require.Contains(t, string(data), `"kind":"point","actor":"A","token":"A.point(y)","command":["point","y"]`)

	res = held(t, r, "A..point(y) A..SET", world)
	require.Equal(t, "A SET k v → OK", steps(res)[len(steps(res))-2], steps(res))
	res = held(t, open(t, interleave.Before("A.point(x) < A.point(y); B.point < A.point(x)")), "", world)
	require.Equal(t, []string{"B GET n → nil", `B point "odd )"`, "A point x", "A point x", "A point y", "A SET k v → OK"}, steps(res))

	for schedule, want := range map[string]string{
		"A.point(z)":   "expected A point z, found A waiting with point x (interleave/point_test.go:",
		"A.GET":        "expected A GET, found A waiting with point x",
		"A!lost":       "expected an operation of A that can be lost, found A waiting in point x",
		"A!unsent":     "that can be unsent",
		"A!late":       "that can be late",
		"B.point":      "found B waiting with GET n",
		"A.point(x)@3": "expected A point x (number 3)",
	} {
		require.ErrorContains(t, run(t, r, schedule, world).Err, want, schedule)
	}
}

func TestCrashAtAPoint(t *testing.T) {
	var after, ended atomic.Int32
	world := func(w *interleave.World) {
		after.Store(0)
		ended.Store(0)
		w.Actor("A", func(a *interleave.Actor) error {
			var wg sync.WaitGroup
			for _, label := range []string{"x", "y"} {
				wg.Go(func() {
					defer ended.Add(1)
					a.Point(label)
					after.Add(1)
				})
			}
			wg.Wait()
			a.Point("never")
			after.Add(10)
			return nil
		})
	}
	r := open(t)
	for schedule, want := range map[string][]string{
		"A!crash":                   {"A crashes before point x"},
		"A.point(y)!crash":          {"A point y ✗ crashes"},
		"A.point(x) A!crash":        {"A point x", "A crashes before point y"},
		"A.point A.point A!crash":   {"A point x", "A point y", "A crashes before point never"},
		"A.point(x) A.point!crash":  {"A point x", "A point y ✗ crashes"},
		"A.point A.point(y)!crash ": {"A point x", "A point y ✗ crashes"},
	} {
		res := held(t, r, schedule, world)
		require.Equal(t, want, steps(res), schedule)
		require.EqualValues(t, 2, ended.Load(), "deferred calls run")
		passed := len(want) - 1
		require.EqualValues(t, passed, after.Load(), schedule)
		again := held(t, r, res.Trace.Schedule().String(), world)
		require.Equal(t, res.Trace.String(), again.Trace.String())
	}
}

// Points of a dead actor end their goroutine, also one that comes to it only after the death.
func TestPointAfterDeath(t *testing.T) {
	var passed, ended atomic.Bool
	held(t, open(t), "A.SET!crash", func(w *interleave.World) {
		w.Actor("A", func(a *interleave.Actor) error {
			go func() {
				defer ended.Store(true)
				time.Sleep(time.Second)
				a.Point("late")
				passed.Store(true)
			}()
			return a.Redis().Set(ctx, "k", "v", 0).Err()
		})
		w.Actor("B", func(a *interleave.Actor) error { time.Sleep(time.Minute); return nil })
	})
	require.True(t, ended.Load())
	require.False(t, passed.Load())
}

// A world can end while somebody waits at a point: a daemon, or an actor in a world that was given up.
func TestWorldEndsAtAPoint(t *testing.T) {
	var passed atomic.Bool
	res := run(t, open(t), "A..SET A.GET", func(w *interleave.World) {
		w.Actor("A", func(a *interleave.Actor) error {
			defer func() { passed.Store(true) }()
			go a.Point("side")
			return a.Redis().Set(ctx, "k", "v", 0).Err()
		})
	})
	require.ErrorContains(t, res.Err, "expected A GET, found A waiting with SET k v (interleave/point_test.go:")
	require.ErrorContains(t, res.Err, "and point side")
	require.True(t, passed.Load())
}

func TestPointOutsideOfTheWorld(t *testing.T) {
	leak := make(chan *interleave.Actor, 1)
	message := make(chan any, 1)
	go func() {
		a := <-leak
		defer func() { message <- recover() }()
		a.Point("outside")
	}()
	held(t, open(t), "", func(w *interleave.World) {
		w.Actor("A", func(a *interleave.Actor) error { leak <- a; return nil })
	})
	require.Equal(t, `interleave: actor A: Point("outside") was called from a goroutine that is not of this world, and would wait for ever`, <-message)

	res := run(t, open(t), "", func(w *interleave.World) {
		w.Actor("A", func(a *interleave.Actor) error { a.Point(""); return nil })
	})
	require.ErrorContains(t, res.Err, "Actor.Point needs a label")
}
