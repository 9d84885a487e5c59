package report

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The picture is of the first trace that violates, not of the first.
func TestShownTrace(t *testing.T) {
	held := Observed{Outcome: "held", Verdicts: []Verdict{{Invariant: "i", Outcome: "held"}}}
	bad := Observed{Outcome: "violated", Verdicts: []Verdict{{Invariant: "h", Outcome: "held"}, {Invariant: "i", Outcome: "violated", Step: 2}}}
	run := &Run{Results: []Result{{Scenario: "A7", Name: "n", Impl: "lua", Runs: []Observed{held}},
		{Scenario: "A8", Name: "m", Impl: "naive", Variant: "v", Runs: []Observed{held, bad}, Decision: &Decision{Steps: []int{1, 2}}}}}
	shown, err := ShownTrace(run)
	require.NoError(t, err)
	require.Equal(t, "A8 m, naive, v", shown.Title)
	require.Equal(t, []int{1, 2}, shown.Decide)
	require.Equal(t, []Verdict{{Invariant: "i", Outcome: "violated", Step: 2}}, shown.Broken)
	require.Same(t, &run.Results[1].Runs[1].Trace, shown.Trace)

	run.Results[1].Runs = []Observed{held}
	shown, err = ShownTrace(run)
	require.NoError(t, err)
	require.Equal(t, "A7 n, lua", shown.Title)
	require.Empty(t, shown.Decide, "nothing hangs on anything where all holds")

	for _, none := range []any{&Run{}, &Exploration{}, &Exploration{Violations: []Violation{{}}}, &Fuzz{Impls: []FuzzImpl{{Found: []Drawn{{}}}}}} {
		_, err = ShownTrace(none)
		require.ErrorIs(t, err, ErrNoTrace)
	}
}
