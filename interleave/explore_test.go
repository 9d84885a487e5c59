package interleave_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/interleave"
)

// names are n actors.
func names(n int) []string { return []string{"A", "B", "C", "D", "E"}[:n] }

// getSet is the lost update: every actor reads a key and writes it.
func getSet(n int) func(*interleave.World) {
	return func(w *interleave.World) {
		for _, name := range names(n) {
			w.Actor(name, func(a *interleave.Actor) error {
				v, _ := a.Redis().Get(ctx, "n").Int()
				return a.Redis().Set(ctx, "n", v+1, 0).Err()
			})
		}
		w.Finally("no lost update", func(s *interleave.State) error {
			return check(s.Entry("n").Text() == itoa(n), "n = %s", s.Entry("n"))
		})
	}
}

func TestInequivalentOrders(t *testing.T) {
	r := open(t)
	for n, orders := range map[int]int{1: 1, 2: 4, 3: 36, 4: 576} {
		x := r.Explore(ctx, getSet(n))
		require.NoError(t, x.Err)
		require.True(t, x.Complete)
		require.Equal(t, orders, x.Orders, "%d actors", n)
		t.Log(n, x, x.Executions, x.Pruned)
	}
	// Six commands each, of which four are about a key of the actor's own.
	x := r.Explore(ctx, func(w *interleave.World) {
		for _, name := range names(3) {
			w.Actor(name, func(a *interleave.Actor) error {
				own := func() { a.Redis().Incr(ctx, "own:"+a.Name()) }
				own()
				own()
				v, _ := a.Redis().Get(ctx, "n").Int()
				own()
				a.Redis().Set(ctx, "n", v+1, 0)
				own()
				return nil
			})
		}
	})
	require.NoError(t, x.Err)
	require.Equal(t, 36, x.Orders, "of 17,153,136")
}
