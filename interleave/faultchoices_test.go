package interleave

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/interleave/schedule"
	"github.com/racebench/racebench/internal/raced"
)

// busy is a world in which every kind of fault can happen.
func busy(w *World) {
	ctx := context.Background()
	w.Actor("A", func(a *Actor) error {
		sub := a.Redis().Subscribe(ctx, "ch")
		defer sub.Close()
		if _, err := sub.Receive(ctx); err != nil {
			return err
		}
		_, _ = sub.ReceiveTimeout(ctx, 3*time.Second) // nil when the message was lost
		return a.Redis().Set(ctx, "seen", "yes", 0).Err()
	})
	w.Actor("B", func(a *Actor) error {
		script := redis.NewScript(`return redis.call('SET', KEYS[1], ARGV[1], 'PX', 400)`)
		if err := script.Run(ctx, a.Redis(), []string{"lock"}, "B").Err(); err != nil && !errors.Is(err, redis.Nil) {
			return err
		}
		time.Sleep(time.Second)
		return a.Redis().Publish(ctx, "ch", "m").Err()
	})
	w.Finally("the lock is B's", func(s *State) error {
		if s.Entry("lock").Text() != "B" {
			return errors.New("it is nobody's")
		}
		return nil
	})
}

// TestFaultChoicesAreTokens: every order with a fault that an exploration runs is a schedule, which reads back as itself and
// makes the same happen again. Every kind of fault is among them, whatever the strategy.
func TestFaultChoicesAreTokens(t *testing.T) {
	for _, name := range raced.First([]string{"exhaustive", "random", "pct", "surw"}) {
		r, err := Open(For(t), Strategy(name), MaxExecutions(400), Jumps(2*time.Second), Faults("crash:1,lost:1,unsent:1,late:1,drop:1,restart:1,failover:1,flushscripts:1,evict:1,expire:1,timer:1"))
		require.NoError(t, err)
		kinds := map[string]int{}
		r.explore(t.Context(), busy, func(res *Result) {
			text := res.Trace.Schedule().String()
			parsed, err := schedule.Parse(text)
			require.NoError(t, err)
			require.Equal(t, text, parsed.String())
			again := r.RunSchedule(parsed, busy)
			for _, s := range again.Trace.Steps {
				require.True(t, s.forced, "%s leaves %s open", text, s.Summary())
				s.Caller = "" // explorations don't look it up
			}
			require.Equal(t, res.Trace.String(), again.Trace.String(), text)
			require.Equal(t, res.Verdicts, again.Verdicts, text)
			for _, s := range res.Trace.Steps {
				kind, _, _ := strings.Cut(s.Fault, "(")
				if s.Kind == StepClock && s.apart {
					kind = "clock"
				}
				kinds[kind]++
			}
		})
		require.NoError(t, r.Close())
		for _, kind := range []string{"crash", "lost", "unsent", "late", "drop", "restart", "failover", "flushscripts", "evict", "clock"} {
			require.NotZero(t, kinds[kind], "%s by %s: %v", kind, name, kinds)
		}
	}
}

// TestBudgetIsKept: no world has more faults of a kind than the budget, and some have as many.
func TestBudgetIsKept(t *testing.T) {
	for _, name := range raced.First(Strategies()) {
		r, err := Open(For(t), Strategy(name), MaxExecutions(300), Jumps(time.Second, time.Minute), Faults("crash:1,lost:2,jump:2"))
		require.NoError(t, err)
		most := map[string]int{}
		r.explore(t.Context(), busy, func(res *Result) {
			kinds := map[string]int{}
			for _, s := range res.Trace.Steps {
				if s.apart {
					kinds["jump"]++
					require.Contains(t, []time.Duration{time.Second, time.Minute}, s.Advance)
				} else {
					kinds[s.Fault]++
				}
			}
			for _, k := range sortedKeys(kinds) {
				most[k] = max(most[k], kinds[k])
			}
		})
		require.NoError(t, r.Close())
		delete(most, "")
		require.Equal(t, map[string]int{"crash": 1, "lost": 2, "jump": 2}, most, name)
	}
}

// TestSwarm: some worlds have no fault of a kind at all, and those with one have it at every step.
func TestSwarm(t *testing.T) {
	r, err := Open(For(t), Strategy("random"), MaxExecutions(400), Faults("crash:1,unsent:1"))
	require.NoError(t, err)
	defer r.Close()
	sets, at := map[string]int{}, map[int]int{}
	r.explore(t.Context(), func(w *World) {
		w.Actor("A", func(a *Actor) error {
			for range 6 {
				if err := a.Redis().Incr(a.Context(), "n").Err(); err != nil {
					return err
				}
			}
			return nil
		})
	}, func(res *Result) {
		set := ""
		for _, s := range res.Trace.Steps {
			if s.Fault != "" {
				set += s.Fault + " "
				at[s.N]++
			}
		}
		sets[set]++
	})
	for _, set := range []string{"", "crash ", "unsent ", "unsent crash "} {
		require.Greater(t, sets[set], 20, "%v", sets)
	}
	for n := 1; n <= 6; n++ {
		require.Greater(t, at[n], 10, "step %d: %v", n, at)
	}
}

// TestEveryCrashPoint: one actor of n commands can die after each of them. Before the first it is as if it were not there.
func TestEveryCrashPoint(t *testing.T) {
	r, err := Open(For(t), Faults("crash:1"))
	require.NoError(t, err)
	defer r.Close()
	var orders []string
	x := r.explore(t.Context(), func(w *World) {
		w.Actor("A", func(a *Actor) error {
			for range 3 {
				if err := a.Redis().Incr(a.Context(), "n").Err(); err != nil {
					return err
				}
			}
			return nil
		})
	}, func(res *Result) { orders = append(orders, res.Trace.Schedule().String()) })
	require.True(t, x.Complete)
	require.Equal(t, []string{"A.INCR A.INCR A.INCR", "A.INCR A.INCR A.INCR!crash", "A.INCR A.INCR!crash", "A.INCR!crash"}, orders)
}

// TestTimerChoice: the clock moves to where a sleeper comes to the gate, and not where there is none.
func TestTimerChoice(t *testing.T) {
	r, err := Open(For(t), Faults("timer:1"))
	require.NoError(t, err)
	defer r.Close()
	orders := map[string]bool{}
	x := r.explore(t.Context(), func(w *World) {
		w.Actor("A", func(a *Actor) error { return a.Redis().Get(a.Context(), "n").Err() })
		w.Actor("B", func(a *Actor) error {
			time.Sleep(7 * time.Second)
			return a.Redis().Set(a.Context(), "n", "1", 0).Err()
		})
	}, func(res *Result) { orders[res.Trace.Schedule().String()] = true })
	require.True(t, x.Complete)
	// After the first the clock has moved; a second time nothing would come.
	require.Equal(t, map[string]bool{"A.GET +7s B.SET": true, "+7s A.GET B.SET": true, "+7s B.SET A.GET": true}, orders)
}

func TestBadFaults(t *testing.T) {
	for _, tt := range []struct {
		opts []Option
		want string
	}{
		{[]Option{Faults("crash:1,loss:1")}, `interleave: Faults("crash:1,loss:1"): column 9: no fault "loss"; allowed: kind:number with commas between, kinds crash, lost, unsent, late, drop, restart, failover, flushscripts, evict, expire, timer, jump`},
		{[]Option{Faults("crash")}, `column 1: "crash": needs a number from 0 to 100`},
		{[]Option{Faults("crash:-1")}, `needs a number from 0 to 100`},
		{[]Option{Faults("crash:101")}, `needs a number from 0 to 100`},
		{[]Option{Faults("crash:1, crash:1")}, `column 9: crash a second time`},
		{[]Option{Faults("crash:1,")}, `column 9: no fault ""`},
		{[]Option{Faults("jump:1")}, `column 1: jump needs sizes (option Jumps)`},
		{[]Option{Jumps(0)}, `interleave: Jumps(0s): more than 0, at most 876000h`},
	} {
		_, err := Open(append(tt.opts, For(t))...)
		require.ErrorContains(t, err, tt.want)
	}
	c, err := newConfig([]Option{Faults(" lost : 2 ,crash:1"), Jumps(time.Second)})
	require.NoError(t, err)
	require.Equal(t, "crash:1,lost:2,jump:1", c.budget.String())
	c, err = newConfig([]Option{Faults("crash:0")})
	require.NoError(t, err)
	require.Nil(t, c.budget, "a budget of nothing costs nothing")
}

// TestCrashBetween: an actor that has done something with an answer can die after that, too.
func TestCrashBetween(t *testing.T) {
	r, err := Open(For(t), Faults("crash:1"))
	require.NoError(t, err)
	defer r.Close()
	explore := func(world func(*World)) map[string]bool {
		orders := map[string]bool{}
		x := r.explore(t.Context(), world, func(res *Result) { orders[res.Trace.Schedule().String()] = true })
		require.True(t, x.Complete)
		return orders
	}
	orders := explore(func(w *World) {
		w.Actor("A", func(a *Actor) error {
			a.Redis().Incr(a.Context(), "n")
			a.Note("read", "n")
			return a.Redis().Set(a.Context(), "k", "v", 0).Err()
		})
	})
	require.Equal(t, map[string]bool{"A.INCR A.SET": true, "A.INCR A.SET!crash": true, "A.INCR A!crash": true, "A.INCR!crash": true}, orders)
	orders = explore(func(w *World) {
		w.Actor("A", func(a *Actor) error {
			a.Redis().Incr(a.Context(), "n")
			return a.Redis().BLPop(a.Context(), 0, "l").Err()
		})
		w.Actor("B", func(a *Actor) error { return a.Redis().LPush(a.Context(), "l", "x").Err() })
	})
	require.Contains(t, orders, "A.INCR A!crash B.LPUSH", "it dies in the queue")
	require.Contains(t, orders, "A.INCR B.LPUSH A.BLPOP!crash", "it dies with what it took")
}
