package main

import (
	"bytes"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/internal/report"
	"github.com/racebench/racebench/scenarios"
)

// What is measured comes out of runs: where the catalogue says otherwise, the run is not as expected.
func TestMeasurementsAreCompared(t *testing.T) {
	runner, err := interleave.Open(interleave.For(t))
	require.NoError(t, err)
	defer runner.Close()
	chosen, err := scenarios.Find("B10")
	require.NoError(t, err)
	plan := newPlan(chosen, runFlags{impl: []string{"naive", "lua"}})
	require.Len(t, plan, 3)
	wrong := *plan[0].variant
	wrong.Measured = maps.Clone(wrong.Measured)
	wrong.Measured[5]++
	plan[0].variant = &wrong
	for _, p := range plan {
		p.result.AsExpected = true
	}
	m := &measurer{runner: runner, note: func(string, ...any) {}}
	got, err := m.measurements(t.Context(), plan)
	require.NoError(t, err)
	require.Equal(t, []report.Row{
		{Actors: 1, Values: []float64{2, 2, 2}},
		{Actors: 5, Values: []float64{10, 2, 2}},
		{Actors: 20, Values: []float64{40, 2, 2}},
	}, got[0].Rows)
	require.Equal(t, []string{"requests: 5: 10 s, the catalogue expects 11 s"}, plan[0].result.Differences)
	require.False(t, plan[0].result.AsExpected)
	require.True(t, plan[1].result.AsExpected)

	var out bytes.Buffer
	(&app{stdout: &printer{w: &out}}).printMeasurement(got[0])
	require.Contains(t, out.String(), "       20 │                           40 s │                             2 s │ 2 s\n")
	require.Contains(t, out.String(), "\nrequests: 5\n  naive, compute inside the lock   ██████████ 10 s\n  naive, compute outside the lock  ██ 2 s\n")
}
