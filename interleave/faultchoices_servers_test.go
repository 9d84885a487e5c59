package interleave_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/interleave"
)

// A member of a quorum that comes back without what it had promised: the fault of one server among several is found.
func TestExploreFindsTheMemberThatForgets(t *testing.T) {
	for _, strategy := range []string{"exhaustive", "random"} {
		r := open(t, interleave.Faults("restart:1"), interleave.Strategy(strategy), interleave.Seed(1), interleave.StopAtFirst())
		x := r.Explore(ctx, twoHolders)
		require.Equal(t, interleave.Violated, x.Outcome())
		first := x.Found[0].First
		require.Equal(t, "one holder", x.Found[0].What)
		require.Contains(t, first.Trace.Schedule().String(), "!restart@r")
	}
}
