package interleave

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestFingerprintsLoseNothing: cut at states that were met before, a search comes to the same final states and verdicts, in no
// more orders.
func TestFingerprintsLoseNothing(t *testing.T) {
	plain, cut := openFor(t), openFor(t, Fingerprints())
	met, all, run := 0, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		p := drawProgram(rt)
		want, got := map[string]bool{}, map[string]bool{}
		x := plain.explore(context.Background(), p.world, func(res *Result) { want[final(res)] = true })
		y := cut.explore(context.Background(), p.world, func(res *Result) { got[final(res)] = true })
		require.NoError(rt, y.Err)
		require.True(rt, y.Complete)
		require.Equal(rt, sortedKeys(want), sortedKeys(got), "%s", p)
		require.Equal(rt, x.Outcome(), y.Outcome())
		require.LessOrEqual(rt, y.Orders, x.Orders)
		require.Zero(rt, x.Met)
		met, all, run = met+y.Met, all+x.Orders, run+y.Orders
	})
	require.Positive(t, met)
	t.Logf("%d orders, %d of them run, %d cut at a state that was met before", all, run, met)
}

// TestFingerprintsCut: where it makes no difference to anybody who comes first, the orders are not all run.
func TestFingerprintsCut(t *testing.T) {
	world := func(w *World) {
		for _, name := range []string{"A", "B", "C"} {
			w.Actor(name, func(a *Actor) error {
				for range 2 {
					if err := a.Redis().Set(a.Context(), "flag", "up", 0).Err(); err != nil {
						return err
					}
				}
				return nil
			})
		}
		w.Finally("the flag is up", func(s *State) error {
			if s.Entry("flag").Text() != "up" {
				return errors.New("it is not")
			}
			return nil
		})
	}
	all := openFor(t).Explore(context.Background(), world)
	require.Equal(t, 90, all.Orders)
	x := openFor(t, Fingerprints()).Explore(context.Background(), world)
	require.Equal(t, Held, x.Outcome())
	require.Less(t, x.Executions, 45)
	require.Positive(t, x.Met)
	require.Equal(t, 26, x.States, "each actor has done none, one or both; the end is no state to go on from")
	parts := openFor(t, Fingerprints()).ExploreParts(context.Background(), world)
	require.Equal(t, []int{x.Executions, x.Orders, x.Met, x.States}, []int{parts.Executions, parts.Orders, parts.Met, parts.States})
}

// TestFingerprintsRefuse: what a script changes behind the scheduler's back is not in the picture of a state.
func TestFingerprintsRefuse(t *testing.T) {
	x := openFor(t, Fingerprints()).Explore(context.Background(), func(w *World) {
		w.Fail(w.Redis().Set(context.Background(), "hidden", 0, 0).Err())
		for _, name := range []string{"A", "B"} {
			w.Actor(name, func(a *Actor) error {
				return a.Redis().Eval(a.Context(), `return redis.call('INCR', 'hid' .. 'den')`, []string{"k"}).Err()
			})
		}
	})
	require.ErrorIs(t, x.Err, errUndeclared)
	require.Equal(t, Undecided, x.Outcome(), fmt.Sprint(x))
}
