package interleave_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/interleave"
)

// twiceWorld is a world that always goes wrong, with one actor that knows how often the world was run: from 0.
func twiceWorld(act func(c *redis.Client, run int) error) func(*interleave.World) {
	runs := -1
	return func(w *interleave.World) {
		runs++
		run := runs
		w.Actor("A", func(a *interleave.Actor) error { return act(a.Redis(), run) })
		w.Finally("never", func(*interleave.State) error { return errors.New("as always") })
	}
}

// TestDifferences: an order that goes wrong is run twice. What differs is named by its step and its likely source, and what is
// expected to differ is no difference.
func TestDifferences(t *testing.T) {
	ignore := func(cmds ...redis.Cmder) error {
		for _, c := range cmds {
			if err := c.Err(); err != nil && !errors.Is(err, redis.Nil) {
				return err
			}
		}
		return nil
	}
	ids := []string{"6f1c9a52d7e04b38", "0b7de4f19c3a8265"}
	for name, c := range map[string]struct { // any order: each is looked at alone
		act    func(c *redis.Client, run int) error
		step   int // 0: no difference
		source string
	}{
		"the same": {func(c *redis.Client, _ int) error { return ignore(c.Incr(ctx, "n"), c.Get(ctx, "n")) }, 0, ""},
		"a random identifier": {func(c *redis.Client, run int) error {
			return ignore(c.Set(ctx, "lock", ids[run], 0), c.Get(ctx, "lock"), c.HSet(ctx, "job:"+ids[run], "owner", ids[run]), c.HGetAll(ctx, "job:"+ids[run]))
		}, 0, ""},
		"an identifier that is another thing": {func(c *redis.Client, run int) error {
			return ignore(c.Set(ctx, "a", ids[run], 0), c.Set(ctx, "b", ids[0], 0), c.Get(ctx, "b"))
		}, 3, "random (an identifier or a number that was drawn), in step 1"},
		"a map": {func(c *redis.Client, run int) error {
			if run == 0 {
				return ignore(c.HSet(ctx, "h", "a", "1", "b", "2"))
			}
			return ignore(c.HSet(ctx, "h", "b", "2", "a", "1"))
		}, 0, ""},
		"a map that matters": {func(c *redis.Client, run int) error {
			list := []string{"x", "y"}
			if err := ignore(c.RPush(ctx, "l", list[run], list[1-run])); err != nil {
				return err
			}
			return ignore(c.LPop(ctx, "l"))
		}, 2, "map order (the same arguments in another order), in step 1"},
		"a clock": {func(c *redis.Client, run int) error {
			now := 1796083200 + run*7
			if err := ignore(c.Set(ctx, "at", now, 0)); err != nil || now%2 == 0 {
				return errors.Join(err, ignore(c.Get(ctx, "even")))
			}
			return ignore(c.Incr(ctx, "odd"))
		}, 2, "time (a clock that is not the world's), in step 1"},
		"chance": {func(c *redis.Client, run int) error {
			if run == 0 {
				return ignore(c.Get(ctx, "n"))
			}
			return ignore(c.Incr(ctx, "n"))
		}, 1, "a random number, or state that worlds share"},
		"goroutines": {func(c *redis.Client, run int) error {
			one, two := func() error { return ignore(c.Incr(ctx, "one")) }, func() error { return ignore(c.Get(ctx, "two")) }
			if run == 1 {
				one, two = two, one
			}
			done := make(chan error, 2)
			go func() {
				time.Sleep(time.Second)
				done <- two()
			}()
			go func() { done <- one() }()
			return errors.Join(<-done, <-done)
		}, 1, "goroutine order"},
		"more": {func(c *redis.Client, run int) error {
			for range run + 1 {
				c.Incr(ctx, "n")
			}
			return nil
		}, 2, "a random number, or state that worlds share"},
		"less": {func(c *redis.Client, run int) error {
			for range 2 - run {
				c.Incr(ctx, "n")
			}
			return nil
		}, 2, "a random number, or state that worlds share"},
		"what is left": {func(c *redis.Client, run int) error {
			return ignore(c.Set(ctx, "n", "v", time.Duration(run)*time.Hour))
		}, 1, "random (the number of arguments), in step 1"},
		"a number of the client's": {func(c *redis.Client, run int) error { return ignore(c.Set(ctx, "n", run, 0), c.Get(ctx, "n")) }, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := open(t, interleave.Strategy("random"), interleave.MaxExecutions(1))
			x := r.Explore(context.Background(), twiceWorld(c.act))
			require.NoError(t, x.Err)
			require.Equal(t, interleave.Violated, x.Outcome())
			if c.step == 0 {
				require.Nil(t, x.Differs)
				return
			}
			require.NotNil(t, x.Differs)
			assert.Equal(t, c.step, x.Differs.Step, x.Differs.Error())
			assert.Contains(t, x.Differs.Error(), c.source)
			assert.Contains(t, x.Differs.Error(), fmt.Sprintf("step %d: the same order came to something else when it was run again", c.step))
		})
	}
}

// TestConfirm: a counterexample of the embedded server is one on a real server, and a difference is a fault of one of them.
func TestConfirm(t *testing.T) {
	embedded, real := open(t), open(t, interleave.Redis("process"))
	x := embedded.Explore(ctx, drawing)
	require.NotEmpty(t, x.Found)
	res, err := real.Confirm(x.Found[0].First, drawing)
	require.NoError(t, err)
	require.Equal(t, "process", res.Backend)

	// A server that answers otherwise: made here by a world that knows which one it is on.
	other := false
	world := twiceWorld(func(c *redis.Client, _ int) error {
		if other {
			c.Incr(ctx, "n")
		}
		return c.Incr(ctx, "n").Err()
	})
	found := embedded.Explore(ctx, world).Found[0].First
	other = true
	_, err = real.Confirm(found, world)
	var f *interleave.FidelityError
	require.ErrorAs(t, err, &f)
	assert.Equal(t, 2, f.Step)
	assert.Regexp(t, `^fidelity fault, not a race: step 2 on embedded .*: the end of the run; on process [0-9.]+: A waiting with INCR n`, f.Error())
}
