package main

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/internal/raced"
	"github.com/racebench/racebench/internal/report"
)

// In naive every race of the catalogue is found that naive is known for, by its own story, without being told the order, and
// nothing in lua. The order that is shown is of the race that it is shown for.
func TestFuzzFindsEveryRace(t *testing.T) {
	raced.Skip(t)
	code, stdout, stderr := outputs(t, "fuzz", "A*", "--seed", "3", "--max", "800", "--json")
	require.Equal(t, codeOK, code, stderr)
	var doc report.Fuzz
	require.NoError(t, json.Unmarshal([]byte(stdout), &doc))
	require.Len(t, doc.Impls, 2)
	races := map[string]report.Drawn{}
	for _, d := range doc.Impls[0].Found {
		if d.Scenario != "" {
			races[d.Scenario] = d
		}
	}
	for _, id := range strings.Fields("A1 A2 A3 A4 A5 A6 A8 A9 A10 A11") {
		require.Contains(t, races, id)
	}
	require.Len(t, races, 10)
	require.Equal(t, "found", doc.Impls[0].Verdict)
	require.Equal(t, "held", doc.Impls[1].Verdict)
	require.Equal(t, 800, doc.Impls[1].Worlds)
	require.Zero(t, doc.Impls[1].Undecided)
	require.Empty(t, doc.Impls[1].Found)

	for _, id := range []string{"A1", "A5", "A8"} {
		words := replayed(races[id].Replay)
		code, stdout, _ := outputs(t, words...)
		require.Equal(t, codeUnexpected, code, words)
		require.Contains(t, stdout, "violated: \""+races[id].Invariant+"\"", words)
	}
}

// replayed are the arguments of a command line that ends with an order in quotes.
func replayed(line string) []string {
	before, order, _ := strings.Cut(line, " '")
	return append(strings.Fields(before)[1:], strings.TrimSuffix(order, "'"))
}

// What a campaign knows is printed when it is interrupted, and a world that hangs does not outlive the time.
func TestFuzzInterrupted(t *testing.T) {
	runner, err := interleave.Open(interleave.Unexplained())
	require.NoError(t, err)
	defer runner.Close()
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errInterrupted)
	h := &hunt{fuzzFlags: fuzzFlags{max: 100}, impl: "naive", runner: runner, wanted: []string{"A1"}}
	require.NoError(t, h.run(ctx))
	require.Equal(t, "0 of 1 races found in 0 worlds of 0 shapes; not A1; ended by interrupted", h.String())

	end, free := context.WithTimeoutCause(t.Context(), time.Hour, errors.New("over"))
	defer free()
	part, free := partOf(end, 2)
	defer free()
	at, _ := part.Deadline()
	require.InDelta(t, 30, time.Until(at).Minutes(), 1)
}
