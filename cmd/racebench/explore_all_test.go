package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/internal/raced"
	"github.com/racebench/racebench/internal/report"
)

// The bars of the time to bug: the portfolio finds the lost update in at most 5 executions, the stale unlock in at most 20,
// and every race of the catalogue that there is to find in at most 1,000.
func TestTimeToBugBars(t *testing.T) {
	raced.Skip(t)
	code, stdout, stderr := outputs(t, "explore", "X*", "A*", "B*", "--strategy", "all", "--trials", "2", "--max", "1001", "--json")
	require.Equal(t, codeOK, code, stderr)
	var doc report.TimeToBug
	require.NoError(t, json.Unmarshal([]byte(stdout), &doc))
	require.Len(t, doc.Rows, (7+11+12)*len(compared))
	bars := map[string]float64{"X1": 5, "X2": 20}
	none := []string{}
	for _, row := range doc.Rows {
		if row.Strategy != "portfolio" {
			continue
		}
		if row.Exhausted {
			none = append(none, row.Scenario)
			continue
		}
		bar, ok := bars[row.Scenario]
		if !ok {
			bar = 1000
		}
		require.Equal(t, row.Trials, row.Found, row.Scenario)
		require.LessOrEqual(t, row.Mean, bar, row.Scenario)
	}
	require.Equal(t, []string{"A7", "B1", "B2", "X5"}, none, "the limit that naive and lua share, what is wanted, kind orders, and the control")
}

// What the committed table says of a race that is cheap to measure is what the command gives.
func TestTimeToBugDocument(t *testing.T) {
	raced.Skip(t)
	text, err := os.ReadFile("../../docs/time-to-bug.md")
	require.NoError(t, err)
	code, stdout, stderr := outputs(t, "explore", "X1", "X3", "X4", "A1", "A3", "A6", "B3", "B11", "--strategy", "all", "--trials", "100", "--markdown", "-")
	require.Equal(t, codeOK, code, stderr)
	rows := 0
	for line := range strings.Lines(stdout) {
		require.Contains(t, string(text), line)
		rows++
	}
	require.Equal(t, 2+8, rows)
}
