package interleave_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/interleave"
)

// acting makes a world of actors, with one invariant at the end.
func acting(judge func(*interleave.State) error, actors ...func(*interleave.Actor, *redis.Client)) func(*interleave.World) {
	return func(w *interleave.World) {
		w.Fail(w.Redis().MSet(ctx, "x", "on", "y", "on").Err())
		for i, f := range actors {
			w.Actor(names(len(actors))[i], func(a *interleave.Actor) error {
				f(a, a.Redis())
				return nil
			})
		}
		w.Finally("rule", judge)
	}
}

// want judges the text of a key at the end.
func want(key, value string) func(*interleave.State) error {
	return func(s *interleave.State) error {
		return check(s.Entry(key).Text() == value, "%s = %s", key, s.Entry(key))
	}
}

// TestClasses: each class on a small world, and beside it one that looks like it and is not.
func TestClasses(t *testing.T) {
	type rdb = *redis.Client
	actor := func(f func(rdb)) func(*interleave.Actor, rdb) { return func(_ *interleave.Actor, r rdb) { f(r) } }
	add := actor(func(r rdb) {
		n, _ := r.Get(ctx, "n").Int()
		r.Set(ctx, "n", n+1, 0)
	})
	once := func(a *interleave.Actor, r rdb) {
		if r.Get(ctx, "n").Err() == redis.Nil {
			r.Set(ctx, "n", a.Name(), 0)
			r.Incr(ctx, "starts")
		}
	}
	skew := func(own, other string) func(*interleave.Actor, rdb) {
		return actor(func(r rdb) {
			if r.Get(ctx, other).Val() == "on" {
				r.Set(ctx, own, "off", 0)
			}
		})
	}
	bothOff := func(s *interleave.State) error {
		return check(s.Entry("x").Text() == "on" || s.Entry("y").Text() == "on", "both are off")
	}
	noted := func(good ...string) func(*interleave.State) error {
		return func(s *interleave.State) error {
			for _, n := range s.Notes("seen") {
				if !strings.Contains(strings.Join(good, ","), n.Value) {
					return fmt.Errorf("seen %s", n.Value)
				}
			}
			return nil
		}
	}
	look := func(a *interleave.Actor, r rdb) { a.Note("seen", r.Get(ctx, "x").Val()+r.Get(ctx, "y").Val()) }
	bothSet := actor(func(r rdb) { r.Set(ctx, "x", "off", 0); r.Set(ctx, "y", "off", 0) })
	for _, tt := range []struct {
		name, schedule, class string
		world                 func(*interleave.World)
	}{
		{"both add to what both have read", "A.GET B.GET A.. B..", interleave.LostUpdate, acting(want("n", "2"), add, add)},
		{"the first to add is not the last to write", "A.SET B.SET", "", acting(want("n", "1"),
			actor(func(r rdb) { r.Set(ctx, "n", 1, 0) }), actor(func(r rdb) { r.Set(ctx, "n", 2, 0) }))},
		{"both find nothing and start", "A.GET B.GET A.. B..", interleave.CheckThenAct, acting(want("starts", "1"), once, once)},
		{"a look alone", "A.GET B..", "", acting(noted("off"), func(a *interleave.Actor, r rdb) { a.Note("seen", r.Get(ctx, "x").Val()) },
			actor(func(r rdb) { r.Set(ctx, "x", "off", 0) }))},
		{"the lock of another is deleted", "A.SET B.SET A.DEL", interleave.StaleRelease, acting(want("lock", "B"),
			actor(func(r rdb) { r.Set(ctx, "lock", "A", 0); r.Del(ctx, "lock") }), actor(func(r rdb) { r.Set(ctx, "lock", "B", 0) }))},
		{"its own lock is deleted", "B.GET A..", "", acting(noted("A"),
			actor(func(r rdb) { r.Set(ctx, "lock", "A", 0); r.Del(ctx, "lock") }), func(a *interleave.Actor, r rdb) { a.Note("seen", "found "+r.Get(ctx, "lock").Val()) })},
		{"each goes because the other stays", "A.GET B.GET A.. B..", interleave.WriteSkew, acting(bothOff, skew("x", "y"), skew("y", "x"))},
		{"half of what was written", "A.GET B.. A..", interleave.NonAtomicRead, acting(noted("onon", "offoff"), look, bothSet)},
		{"the reply to an addition is lost", "A.INCR!lost A..", interleave.DoubleEffect, acting(want("m", "1"), actor(func(r rdb) { r.Incr(ctx, "m") }))},
		{"the reply to a setting is lost", "A.SET!lost A.. B..", "", acting(want("m", "2"),
			actor(func(r rdb) { r.Set(ctx, "m", 1, 0) }), actor(func(r rdb) { r.Set(ctx, "m", 3, 0) }))},
		{"the message comes before the subscription", "A.PUBLISH B..", interleave.LostWakeUp, acting(
			func(s *interleave.State) error { return check(len(s.Notes("woken")) == 1, "B is not woken") },
			actor(func(r rdb) { r.Publish(ctx, "ch", "go") }),
			func(a *interleave.Actor, r rdb) {
				sub := r.Subscribe(ctx, "ch")
				defer sub.Close()
				if _, err := sub.Receive(ctx); err != nil {
					return
				}
				if m, err := sub.ReceiveTimeout(ctx, 1e9); err == nil {
					if _, ok := m.(*redis.Message); ok {
						a.Note("woken", "yes")
					}
				}
			})},
		{"a half is left by the dead", "A.SET A!crash", interleave.Orphan, acting(want("half", ""),
			actor(func(r rdb) { r.Set(ctx, "half", 1, 0); r.Del(ctx, "half") }))},
		{"the dead has written nothing", "A!crash", "", acting(want("done", "1"), actor(func(r rdb) { r.Set(ctx, "done", 1, 0) }))},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := open(t)
			res := run(t, r, tt.schedule, tt.world)
			require.NoError(t, res.Err)
			x := r.Explain(ctx, res, tt.world)
			if tt.class != "" {
				require.NotNil(t, x, "nothing is violated: %s", res.Trace)
			}
			if x != nil {
				require.Equal(t, tt.class, x.Class, "%s\n%v\n%s", res.Trace, x.Decision, x.Story)
				require.NotEmpty(t, x.Story)
			}
		})
	}
}

// TestStory: what is told is what happened, in the words of the trace.
func TestStory(t *testing.T) {
	r := open(t)
	x := r.Explain(ctx, run(t, r, "A.GET B.GET B.SET A.SET", getSet(2)), getSet(2))
	require.Equal(t, `Let A read n, which is empty. Then B reads it too and sets n to 1. However, A still goes by what it has read, n is empty: `+
		`it sets n to 1, which it is already. So "no lost update" is violated: n = 1. The nearest order that holds parts from this one at step 1: `+
		`there B.SET comes before A.GET, A sees 1 instead of nil, and goes on with SET n 2.`, x.Story)
	require.Equal(t, "A.GET before B.SET: if B.SET comes first, the invariant holds", x.Decision.Long)
	require.Equal(t, interleave.Held, x.Decision.Nearest.Outcome())
	require.Empty(t, x.Shorter(x.Shrunk))
	for _, f := range r.Explore(ctx, getSet(2)).Found {
		require.Equal(t, x.Class, f.Class)
		require.NotEmpty(t, f.Story)
	}
}
