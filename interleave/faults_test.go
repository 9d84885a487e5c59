package interleave_test

import (
	"errors"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/interleave"
)

// incrThenSet is a process of two commands.
func incrThenSet(a *interleave.Actor) error {
	if err := a.Redis().Incr(ctx, "n").Err(); err != nil {
		return err
	}
	a.Note("incremented", "yes")
	return a.Redis().Set(ctx, "done", a.Name(), 0).Err()
}

func oneActor(w *interleave.World) { w.Actor("A", incrThenSet) }

func final(res *interleave.Result) map[string]string {
	m := map[string]string{}
	for _, k := range res.Trace.After {
		m[k.Key] = k.Value.Text()
	}
	return m
}

func TestFaultsOfAnActor(t *testing.T) {
	tests := []struct {
		schedule string
		steps    []string
		final    map[string]string
		notes    int
	}{
		{"A!crash", []string{"A crashes before INCR n"}, map[string]string{}, 0},
		{"A.INCR!crash", []string{"A INCR n → 1 ✗ crashes"}, map[string]string{"n": "1"}, 0},
		{"A.INCR A!crash", []string{"A INCR n → 1", "A crashes before SET done A"}, map[string]string{"n": "1"}, 1},
		// The client asks again by itself: INCR is done twice, once without an answer.
		{"A.INCR!lost A..", []string{"A INCR n → 1 ✗ reply lost", "A INCR n → 2", "A SET done A → OK"}, map[string]string{"n": "2", "done": "A"}, 1},
		{"A.INCR!unsent A..", []string{"A INCR n ✗ never sent, connection lost", "A INCR n → 1", "A SET done A → OK"}, map[string]string{"n": "1", "done": "A"}, 1},
		{"A.INCR!late A.. A.arrive", []string{"A INCR n ✗ client gives up, still on its way", "A INCR n → 1", "A SET done A → OK", "A late INCR n → 2"}, map[string]string{"n": "2", "done": "A"}, 1},
		{"A!late A.arrive A..", []string{"A INCR n ✗ client gives up, still on its way", "A late INCR n → 1", "A INCR n → 2", "A SET done A → OK"}, map[string]string{"n": "2", "done": "A"}, 1},
	}
	onEach(t, func(t *testing.T, r *interleave.Runner) {
		for _, tt := range tests {
			t.Run(tt.schedule, func(t *testing.T) {
				res := held(t, r, tt.schedule, oneActor)
				require.Equal(t, tt.steps, steps(res))
				require.Equal(t, tt.final, final(res))
				require.Len(t, res.Trace.Notes, tt.notes)
			})
		}
	})
}

func TestCrashEndsEveryGoroutineOfTheActor(t *testing.T) {
	onEach(t, func(t *testing.T, r *interleave.Runner) {
		var after []string
		held(t, r, "A.INCR +500ms A.SET!crash", func(w *interleave.World) {
			w.Actor("A", func(a *interleave.Actor) error {
				go func() {
					defer func() { after = append(after, "deferred") }()
					for a.Redis().Incr(ctx, "beat").Err() == nil {
						time.Sleep(time.Second)
					}
					after = append(after, "went on")
				}()
				time.Sleep(500 * time.Millisecond)
				return a.Redis().Set(ctx, "k", "v", 0).Err()
			})
			w.Actor("B", func(a *interleave.Actor) error { time.Sleep(time.Hour); return nil })
		})
		require.Equal(t, []string{"deferred"}, after)
	})
}

func TestFaultsOfTheServer(t *testing.T) {
	onEach(t, func(t *testing.T, r *interleave.Runner) {
		world := func(w *interleave.World) {
			w.Fail(w.Redis().HSet(ctx, "old", "f", "v").Err())
			w.Fail(w.Redis().Expire(ctx, "old", time.Hour).Err())
			w.Actor("A", func(a *interleave.Actor) error {
				for _, v := range []string{"1", "2", "3"} {
					if err := a.Redis().RPush(ctx, "list", v).Err(); err != nil {
						return err
					}
				}
				return nil
			})
		}
		list := func(res *interleave.Result) []string {
			for _, k := range res.Trace.After {
				if k.Key == "list" {
					return k.Value.Items
				}
			}
			return nil
		}
		res := held(t, r, "A.. !failover(2)", world)
		require.Equal(t, []string{"1"}, list(res))
		require.Equal(t, "old", res.Trace.After[1].Key)
		require.Equal(t, time.Hour, res.Trace.After[1].Value.Expires)

		res = held(t, r, "A.RPUSH !restart A..", world)
		require.Equal(t, []string{"2", "3"}, list(res))
		require.Len(t, res.Trace.After, 1)

		res = held(t, r, "A.RPUSH !evict(list) A..", world)
		require.Equal(t, []string{"2", "3"}, list(res))
		require.Equal(t, "server evicts list", res.Trace.Steps[1].Summary())

		res = run(t, r, "!evict(nothing)", world)
		require.ErrorContains(t, res.Err, "no such key")
		res = run(t, r, "!failover(1)", world)
		require.ErrorContains(t, res.Err, "expected 1 writes to lose, found 0 so far")
	})
}

func TestClockMovesWhileEverythingWaits(t *testing.T) {
	onEach(t, func(t *testing.T, r *interleave.Runner) {
		res := held(t, r, "A.GET +10m B.. A..", func(w *interleave.World) {
			w.Actor("A", func(a *interleave.Actor) error {
				a.Redis().Get(ctx, "k")
				return a.Redis().Set(ctx, "from", "A", 0).Err()
			})
			w.Actor("B", func(a *interleave.Actor) error {
				time.Sleep(5 * time.Minute)
				return a.Redis().Set(ctx, "from", "B", 0).Err()
			})
		})
		require.Equal(t, []string{"A GET k → nil", "clock +10m0s", "B SET from B → OK", "A SET from A → OK"}, steps(res))
	})
}

func TestRunIsFairAndEndsAtItsTime(t *testing.T) {
	tick := func(a *interleave.Actor) error {
		for range 4 {
			if err := a.Redis().Incr(ctx, a.Name()).Err(); err != nil {
				return err
			}
			time.Sleep(10 * time.Second)
		}
		return nil
	}
	onEach(t, func(t *testing.T, r *interleave.Runner) {
		res := run(t, r, "run 25s A.INCR", func(w *interleave.World) {
			w.Actor("A", tick)
			w.Actor("B", tick)
		})
		require.Equal(t, []string{
			"A INCR A → 1", "B INCR B → 1", "clock +10s", "A INCR A → 2", "B INCR B → 2", "clock +10s", "A INCR A → 3", "B INCR B → 3", "clock +5s",
		}, steps(res)[:9])
		require.ErrorContains(t, res.Err, "step 10 (token 2, A.INCR): expected A INCR, found A not at the gate")
	})
}

func TestConstraintsOrderSomeOperationsAndLeaveTheRest(t *testing.T) {
	world := func(w *interleave.World) {
		for _, name := range []string{"A", "B"} {
			w.Actor(name, func(a *interleave.Actor) error {
				_, err := a.Redis().Get(ctx, "k").Result()
				if err != nil && !errors.Is(err, redis.Nil) {
					return err
				}
				return a.Redis().Set(ctx, "k", a.Name(), 0).Err()
			})
		}
	}
	r := open(t, interleave.Redis(backends()[0]), interleave.Before("B.SET < A.GET"))
	require.Equal(t, []string{"B GET k → nil", "B SET k B → OK", "A GET k → B", "A SET k A → OK"}, steps(held(t, r, "", world)))

	r = open(t, interleave.Redis(backends()[0]), interleave.Before("A.GET B.GET < A.SET B.SET"))
	require.Equal(t, []string{"A GET k → nil", "B GET k → nil", "A SET k A → OK", "B SET k B → OK"}, steps(held(t, r, "", world)))

	r = open(t, interleave.Redis(backends()[0]), interleave.Before("A.SET < A.GET"))
	res := run(t, r, "", world)
	require.ErrorContains(t, res.Err, "expected the operations that have to come first")
}
