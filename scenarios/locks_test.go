package scenarios

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/impl"
	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/internal/raced"
	need "github.com/racebench/racebench/internal/require"
	"github.com/racebench/racebench/invariants"
)

// lockIDs are the races of the lock, in order, and ofLocks is how much of the catalogue they are.
const lockIDs = "B1 B2 B3 B4 B5 B6 B7 B8 B9 B10 B11 B12"

var ofLocks = ran{scenarios: 12, cases: 24, variants: 32}

// What is measured is the same on a real server, and a run that has not come to its end is no measurement.
func TestMeasured(t *testing.T) {
	for _, name := range []string{"embedded", "process"} {
		t.Run(name, func(t *testing.T) {
			if name != "embedded" {
				need.Backend(t, name)
			}
			r := openOn(t, name)
			for i := range b10.Cases {
				for k := range b10.Cases[i].Variants {
					v := &b10.Cases[i].Variants[k]
					for _, n := range v.Measures() {
						value, err := b10.Measurement.Measure(r, v, n)
						require.NoError(t, err)
						require.Equal(t, v.Measured[n], value, "%s with %d", v.Name, n)
					}
				}
			}
			_, err := b10.Measurement.Measure(r, &b10.Cases[0].Variants[0], 21)
			require.ErrorContains(t, err, "it has from 1 to 20 actors")
			res := run(t, r, &b10.Cases[0].Variants[0], Target)
			_, err = b10.Measurement.Of(res, 3)
			require.EqualError(t, err, "2 of 3 requests have computed")
		})
	}
}

// Three requests at once, two of them of one state, in every order, with the death of any of them at any point.
func TestThreeRequestsInEveryOrder(t *testing.T) {
	r := open(t)
	x, err := r.ExploreWith(t.Context(), func(w *interleave.World) {
		l := locks(w, "lua", Target)
		l.request("P", 0, impl.Processing, slow)
		l.request("Q", 0, impl.Processing, slow)
		l.request("C", 0, impl.Cancelling, slow)
		w.Check(computing.OneState(), requests.Together(), requests.RefusedForCause(impl.DefaultStateTTL),
			invariants.ReleasedByOwner(impl.HoldersKey(Target), true))
	}, interleave.Faults("crash:1"), interleave.MaxExecutions(100_000), interleave.Unexplained())
	require.NoError(t, err)
	require.NoError(t, x.Err)
	require.Empty(t, x.Found)
	require.True(t, x.Complete)
	t.Logf("%d orders", x.Orders)
}

// Whatever single process of the lock dies, wherever, and whatever single reply is lost: lua breaks nothing, in all orders.
func TestLocksSurviveOneFault(t *testing.T) {
	raced.Skip(t)
	r := open(t)
	for _, faults := range []string{"crash:1", "lost:1"} {
		orders := 0
		for _, s := range All() {
			if s.Subject != locksSubject {
				continue
			}
			c, ok := s.Case("lua")
			require.True(t, ok)
			x, err := r.ExploreWith(t.Context(), func(w *interleave.World) { c.Variants[0].World(w, Target) },
				interleave.Faults(faults), interleave.MaxExecutions(2_500), interleave.Unexplained())
			require.NoError(t, err)
			require.NoError(t, x.Err)
			require.Empty(t, x.Found, "%s with %s", s.ID, faults)
			require.True(t, x.Complete, "%s with %s", s.ID, faults)
			if s.ID != "B8" { // whose dead may hold its state to the end of the world
				require.Zero(t, x.Undecided, "%s with %s", s.ID, faults)
			}
			orders += x.Orders
		}
		t.Logf("%s: %d orders", faults, orders)
	}
}
