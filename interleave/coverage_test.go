package interleave_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/interleave"
)

func covered(t *testing.T, world func(*interleave.World), parts bool) *interleave.Coverage {
	t.Helper()
	r := open(t, interleave.WhyNoBug())
	explore := r.Explore
	if parts {
		explore = r.ExploreParts
	}
	x := explore(ctx, world)
	require.NoError(t, x.Err)
	return x.Coverage
}

func TestCoverage(t *testing.T) {
	for _, tt := range []struct {
		name  string
		world func(*interleave.World)
		want  string
	}{
		{"lost update", each(2, readAndWrite), `why no bug? every pair of operations that depend on one another was seen in both orders
  A sent, in 4 orders: GET 4, SET 4
  B sent, in 4 orders: GET 4, SET 4
  shared: n, read by A.GET B.GET, written by A.SET B.SET: 4 orders`},
		{"nothing shared", each(2, func(a *interleave.Actor) error { return a.Redis().Incr(ctx, a.Name()).Err() }),
			`why no bug? no key is shared by two actors: there is nothing to explore
  A sent, in 1 orders: INCR 1
  B sent, in 1 orders: INCR 1
  touched by one actor only: A, by A
  touched by one actor only: B, by B`},
		{"only read", each(2, func(a *interleave.Actor) error { a.Redis().Get(ctx, "n"); return nil }),
			`why no bug? keys are shared, and nobody writes one: no order can matter
  A sent, in 1 orders: GET 1
  B sent, in 1 orders: GET 1
  shared: n, read by A.GET B.GET: 1 orders`},
		{"the program orders them", func(w *interleave.World) {
			done := make(chan struct{})
			w.Actor("A", func(a *interleave.Actor) error {
				defer close(done)
				a.Redis().Set(ctx, "n", 1, 0)
				return a.Redis().Set(ctx, "n", 2, 0).Err()
			})
			w.Actor("B", func(a *interleave.Actor) error { <-done; return a.Redis().Get(ctx, "n").Err() })
		}, `why no bug? 2 pairs of operations were seen in one order only
  A sent, in 1 orders: SET 2
  B sent, in 1 orders: GET 1
  shared: n, read by B.GET, written by A.SET: 1 orders
  never the other way round: A.SET before B.GET on n
  never the other way round: A.SET#2 before B.GET on n
  never passed the gate: A was under way beside nobody in any order
  never passed the gate: B was under way beside nobody in any order`},
		{"who sends nothing", func(w *interleave.World) {
			each(2, increments)(w)
			w.Actor("outside", func(*interleave.Actor) error { return nil })
			w.Actor("unused", func(a *interleave.Actor) error { a.Redis(); return nil })
		}, `why no bug? every pair of operations that depend on one another was seen in both orders
  A sent, in 2 orders: INCR 2
  B sent, in 2 orders: INCR 2
  outside sent, in 2 orders: nothing
  unused sent, in 2 orders: nothing
  shared: n, written by A.INCR B.INCR: 2 orders
  never passed the gate: outside never asked for its client: what it does does not pass the gate
  never passed the gate: unused has a client, and sent no operation in any order`},
		{"everything", func(w *interleave.World) {
			w.Actor("A", func(a *interleave.Actor) error { return a.Redis().Keys(ctx, "*").Err() })
			w.Actor("B", increments)
		}, `why no bug? some operations may touch every key, and were ordered with all others
  A sent, in 2 orders: KEYS 2
  B sent, in 2 orders: INCR 2
  touched by one actor only: n, by B
  may touch everything: A.KEYS`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, tt.want, covered(t, tt.world, false).String())
		})
	}
	require.Nil(t, open(t).Explore(ctx, each(2, increments)).Coverage, "nobody asked")
}

// TestCoverageInParts: what units look at adds up.
func TestCoverageInParts(t *testing.T) {
	whole, parts := covered(t, each(3, readAndWrite), false), covered(t, each(3, readAndWrite), true)
	require.Equal(t, whole.Keys, parts.Keys)
	require.Equal(t, whole.Pairs, parts.Pairs)
	require.Equal(t, 36, whole.Keys[0].Orders)
}
