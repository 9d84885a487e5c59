package interleave_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/interleave"
)

// A world that does not come to its end says nothing about an invariant that was not violated before.
func TestVerdictsOfAWorldThatDiverges(t *testing.T) {
	onEach(t, func(t *testing.T, r *interleave.Runner) {
		res := run(t, r, "A.GET A.GET", func(w *interleave.World) {
			w.Actor("A", func(a *interleave.Actor) error {
				a.Redis().Get(ctx, "k")
				return a.Redis().Set(ctx, "k", "v", 0).Err()
			})
			w.Finally("nothing is written", func(*interleave.State) error { return nil })
		})
		require.ErrorContains(t, res.Err, "diverged")
		require.Equal(t, interleave.Undecided, res.Verdicts[0].Outcome)
		require.Equal(t, interleave.Undecided, res.Outcome())
	})
}
