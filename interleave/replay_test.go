package interleave_test

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/interleave/schedule"
)

// lostCount is two actors that read a number, and write it back with something added.
func lostCount(w *interleave.World) { counting(w, "GET", "n") }

// counting is lostCount with another command to read, or another key.
func counting(w *interleave.World, read, key string) {
	for _, name := range []string{"A", "B"} {
		w.Actor(name, func(a *interleave.Actor) error {
			a.Redis().Do(ctx, "HSET", "started:"+name, "at", "now")
			n, err := a.Redis().Do(ctx, read, key).Int()
			if err != nil && !errors.Is(err, redis.Nil) {
				return err
			}
			return a.Redis().Set(ctx, "n", n+1, 0).Err()
		})
	}
	w.Finally("nothing lost", func(s *interleave.State) error {
		if n := fmt.Sprint(s.Entry("n")); n != "2" {
			return fmt.Errorf("n is %s (want 2)", n)
		}
		return nil
	})
}

const lost = "A.HSET A.GET B.HSET B.GET A.SET B.SET"

// TestTokenReplays: a token says the same as the schedule it was made from, on each backend, a thousand times.
func TestTokenReplays(t *testing.T) {
	const runs = 1000
	onEach(t, func(t *testing.T, r *interleave.Runner) {
		want := run(t, r, lost, lostCount)
		token := want.Token("TestTokenReplays")
		require.NotEmpty(t, token)
		for i := range runs {
			got := run(t, r, token, lostCount)
			require.NoError(t, got.Err)
			require.Equal(t, want.Trace.String(), got.Trace.String(), "replay %d of %s", i, token)
			require.Equal(t, want.Verdicts, got.Verdicts)
			require.Equal(t, token, got.Token("TestTokenReplays"))
		}
	})
}

// Faults, clock moves, messages, late commands and several goroutines come back from a token as they were.
func TestTokenOfEverything(t *testing.T) {
	onEach(t, func(t *testing.T, r *interleave.Runner) {
		for _, s := range []string{
			"", "S.SUBSCRIBE A.HSET@2 B.HSET!lost run 1s +1s B.. A.EVAL", "A!crash", "A.HSET!crash", "A.HSET@2!unsent +5s", "B.HSET!late A.. B.arrive",
			"S.SUBSCRIBE A.. +1s A.. B.. +1s A.. B.. +10m S.deliver!drop", "!restart", "A.HSET B.HSET !failover(2)", "!flushscripts A.. !evict(h:A)",
			"S!crash A.HSET A.HSET B.HSET +500ms",
		} {
			want := run(t, r, s, busyWorld)
			require.NoError(t, want.Err, "%q", s)
			token := want.Token("T")
			got := run(t, r, token, busyWorld)
			require.NoError(t, got.Err, "%q: %s", s, token)
			require.Equal(t, want.Trace.String(), got.Trace.String(), "%q: %s", s, token)
			require.Equal(t, token, got.Token("T"))
		}
	})
}

// A token of any strategy is a token like any other.
func TestTokenOfEveryStrategy(t *testing.T) {
	plain := open(t)
	for _, s := range interleave.Strategies() {
		if s == "all" {
			continue
		}
		r := open(t, interleave.Strategy(s), interleave.MaxExecutions(50), interleave.Seed(3))
		x := r.Explore(ctx, lostCount)
		require.NotEmpty(t, x.Found, s)
		require.Nil(t, x.Differs)
		res := x.Found[0].First
		got := run(t, plain, res.Token(s), lostCount)
		require.NoError(t, got.Err)
		require.Equal(t, res.Trace.String(), got.Trace.String(), s)
	}
}

// TestStaleToken: a token that no longer fits says step, actor, expected and met operation.
func TestStaleToken(t *testing.T) {
	r := open(t)
	token := run(t, r, lost, lostCount).Token("T")
	for name, c := range map[string]struct { // any order: each is looked at alone
		world func(*interleave.World)
		step  int
		want  string
	}{
		"another command": {func(w *interleave.World) { counting(w, "GETDEL", "n") }, 2, "schedule diverged at step 2 (choice 2, A.GET): expected A GET n, found A waiting with GETDEL n"},
		"another key":     {func(w *interleave.World) { counting(w, "GET", "m") }, 2, "schedule diverged at step 2 (choice 2, A.GET): expected A GET on another key (the fingerprint of the step differs), found A waiting with GET m"},
		"shorter": {func(w *interleave.World) {
			for _, name := range []string{"A", "B"} {
				w.Actor(name, func(a *interleave.Actor) error { return a.Redis().HSet(ctx, "started:"+name, "at", "now").Err() })
			}
		}, 2, "schedule diverged at step 2 (choice 2, A.GET): expected A GET, found A has ended"},
		"longer": {func(w *interleave.World) {
			lostCount(w)
			w.Actor("C", func(a *interleave.Actor) error { return a.Redis().Incr(ctx, "c").Err() })
		}, 6, "schedule diverged at step 6: expected a step that is no choice, found B waiting with SET n 1, C waiting with INCR c"},
		"fewer actors": {func(w *interleave.World) {
			w.Actor("A", func(a *interleave.Actor) error {
				a.Redis().HSet(ctx, "started:A", "at", "now")
				a.Redis().Get(ctx, "n")
				return a.Redis().Get(ctx, "n").Err()
			})
		}, 3, "schedule diverged at step 3 (choice 3, .HSET): expected 2 actors, found only 1"},
	} {
		res := run(t, r, token, c.world)
		var d *interleave.DivergedError
		require.ErrorAs(t, res.Err, &d, name)
		assert.Equal(t, c.step, d.Step, name)
		text, _, _ := strings.Cut(d.Error(), "; waiting")
		assert.Equal(t, c.want, places.ReplaceAllString(text, ""), name)
	}
}

// places are the places in the subject that operations come from.
var places = regexp.MustCompile(` \(\S+\.go:\d+\)`)

func TestTokenThatGoesOn(t *testing.T) {
	r := open(t)
	short := func(w *interleave.World) {
		w.Actor("A", func(a *interleave.Actor) error { return a.Redis().Get(ctx, "n").Err() })
		w.Actor("B", func(a *interleave.Actor) error { return a.Redis().Get(ctx, "n").Err() })
	}
	long := func(w *interleave.World) {
		short(w)
		w.Actor("B2", func(a *interleave.Actor) error {
			time.Sleep(time.Second)
			return a.Redis().Incr(ctx, "c").Err()
		})
	}
	res := run(t, r, run(t, r, "", short).Token("T"), long)
	require.ErrorContains(t, res.Err, "expected the end of the run, found B2 waiting with INCR c")
}

func TestBestEffort(t *testing.T) {
	strict, r := open(t), open(t, interleave.ReplayMode(interleave.BestEffort))
	other := func(w *interleave.World) { counting(w, "GETDEL", "n") }
	token := run(t, strict, lost, lostCount).Token("T")

	res := run(t, r, token, other)
	require.NoError(t, res.Err)
	require.Len(t, res.Skipped, 3)
	assert.Contains(t, res.Skipped[0], "before step 2: A.GET: expected A GET n, found A waiting with GETDEL n")

	res = run(t, r, lost, other)
	require.NoError(t, res.Err)
	require.Len(t, res.Skipped, 4)
	assert.Contains(t, res.Skipped[0], "before step 2: A.GET: expected A GET, found A waiting with GETDEL n")

	// Where everything fits nothing is left out, and the run is the strict one.
	for _, s := range []string{token, lost} {
		res = run(t, r, s, lostCount)
		require.Empty(t, res.Skipped)
		require.Equal(t, run(t, strict, lost, lostCount).Trace.String(), res.Trace.String())
	}
}

// A search from a prefix finds as many orders as the whole search has below that prefix.
func TestExploreFrom(t *testing.T) {
	all := open(t).Explore(ctx, lostCount)
	require.True(t, all.Complete)
	both := "A.HSET A.GET B.HSET B.GET"
	x := open(t, interleave.From(both, 0)).Explore(ctx, lostCount)
	require.NoError(t, x.Err)
	require.True(t, x.Complete)
	assert.Equal(t, 2, x.Orders, "the two writes, either way round")
	assert.Equal(t, 2, x.Violating)
	require.True(t, strings.HasPrefix(x.Found[0].First.Trace.Schedule().String(), both))

	// A token of a whole run, cut after as many steps, is the same prefix.
	token := run(t, open(t), lost, lostCount).Token("T")
	y := open(t, interleave.From(token, 4)).Explore(ctx, lostCount)
	assert.Equal(t, x.String(), y.String())
	whole := open(t, interleave.From(token, 0)).Explore(ctx, lostCount)
	assert.Equal(t, "1 of 1 orders violate, all explored", whole.String())

	// Once one has written, what is left holds: the other has not read yet.
	late := open(t, interleave.From("A.HSET A.GET A.SET", 0)).Explore(ctx, lostCount)
	assert.Equal(t, interleave.Held, late.Outcome())

	bad := open(t, interleave.From("A.HSET A.DEL", 0)).Explore(ctx, lostCount)
	var d *interleave.DivergedError
	require.ErrorAs(t, bad.Err, &d)

	_, err := interleave.Open(interleave.From("A.", 0))
	var s *schedule.Error
	require.ErrorAs(t, err, &s)
	_, err = interleave.Open(interleave.ReplayMode("eager"))
	require.EqualError(t, err, `interleave: no mode "eager" (have strict, best-effort, prefix)`)
}

// drawing is a world whose actors draw identifiers, as production code does.
func drawing(w *interleave.World) {
	for _, name := range []string{"A", "B"} {
		w.Actor(name, func(a *interleave.Actor) error {
			id := make([]byte, 8)
			for i := range id {
				id[i] = byte(rand.IntN(256))
			}
			key := "job:" + hex.EncodeToString(id)
			if err := a.Redis().HSet(ctx, key, map[string]any{"a": 1, "b": 2, "c": 3, "d": 4, "token": hex.EncodeToString(id)}).Err(); err != nil {
				return err
			}
			n, err := a.Redis().Get(ctx, "n").Int()
			if err != nil && !errors.Is(err, redis.Nil) {
				return err
			}
			a.Redis().SAdd(ctx, "jobs", key)
			return a.Redis().Set(ctx, "n", n+1, 0).Err()
		})
	}
	w.Finally("nothing lost", func(s *interleave.State) error {
		if n := fmt.Sprint(s.Entry("n")); n != "2" {
			return fmt.Errorf("n is %s (want 2)", n)
		}
		return nil
	})
}

// Random identifiers and maps make no difference that counts, and tokens live with them.
func TestDrawnIdentifiersAreNoDifference(t *testing.T) {
	r := open(t)
	x := r.Explore(ctx, drawing)
	require.NotEmpty(t, x.Found)
	require.Nil(t, x.Differs)
	token := x.Found[0].First.Token("T")
	for range 20 {
		require.NoError(t, run(t, r, token, drawing).Err)
	}
}

// A point of an actor is a choice like any other.
func TestTokenOfPoints(t *testing.T) {
	world := func(w *interleave.World) {
		for _, name := range []string{"A", "B"} {
			w.Actor(name, func(a *interleave.Actor) error {
				a.Point("before")
				err := a.Redis().Incr(ctx, "n").Err()
				a.Point("after")
				return err
			})
		}
	}
	r := open(t)
	want := run(t, r, "A.point B.point B.INCR A.INCR B.point(after)", world)
	require.NoError(t, want.Err)
	got := run(t, r, want.Token("T"), world)
	require.NoError(t, got.Err)
	require.Equal(t, want.Trace.String(), got.Trace.String())
}
