package report_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/internal/report"
)

// Of two invariants that can't both hold, the flipped order violates the other one: it is not said to hold.
func TestFlippedOrderThatViolatesSomethingElse(t *testing.T) {
	r, err := interleave.Open(interleave.For(t))
	require.NoError(t, err)
	defer r.Close()
	world := func(w *interleave.World) {
		for _, name := range []string{"A", "B"} {
			w.Actor(name, func(a *interleave.Actor) error { return a.Redis().Set(a.Context(), "k", name, 0).Err() })
			w.Finally(name+" is last", func(s *interleave.State) error {
				if s.Entry("k").Text() != name {
					return errors.New("it is not")
				}
				return nil
			})
		}
	}
	res, err := r.Run("A.SET B.SET", world)
	require.NoError(t, err)
	d := report.Decided(r.Decide(res, world), true)
	require.Equal(t, "A.SET before B.SET (the other way round this one holds)", d.Text)
	require.Equal(t, "B.SET A.SET", d.Flipped.Schedule)
	require.Equal(t, "violated", d.Flipped.Outcome)
	require.Equal(t, []string{"B is last"}, d.Flipped.Violates)
	require.Len(t, d.Flipped.Seen.Trace.Steps, 2)
	require.Nil(t, report.Decided(r.Decide(res, world), false).Flipped.Seen)
}
