package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/internal/raced"
	"github.com/racebench/racebench/internal/report"
	"github.com/racebench/racebench/scenarios"
)

// reference is the committed run.
const reference = "../../results/reference"

// TestReference fails when a run no longer produces the committed one, byte for byte. With -update it is rewritten; the
// difference is then what a reviewer reads.
func TestReference(t *testing.T) {
	out := t.TempDir()
	require.Equal(t, codeOK, run([]string{"run", "--quiet", "--out", out}, nil, io.Discard, os.Stderr))
	got, err := os.ReadFile(filepath.Join(out, report.RunFile))
	require.NoError(t, err)
	path := filepath.Join(reference, report.RunFile)
	if *update {
		require.NoError(t, os.MkdirAll(reference, 0o777))
		require.NoError(t, os.WriteFile(path, got, 0o644))
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	if !bytes.Equal(want, got) {
		t.Errorf("racebench run no longer gives %s; first difference: %s\nIf that is meant: go test ./cmd/racebench -run Reference -update", path, difference(want, got))
	}
}

// TestFlippedOrdersAreTrue replays the orders that the committed run says hold.
func TestFlippedOrdersAreTrue(t *testing.T) {
	doc, err := report.Load(filepath.Join(reference, report.RunFile))
	require.NoError(t, err)
	flipped := 0
	for _, r := range doc.Results {
		if r.Decision == nil || r.Decision.Flipped == nil {
			continue
		}
		flipped++
		f := r.Decision.Flipped
		args := []string{"replay", r.Scenario, "--impl", r.Impl, f.Schedule, "--json"}
		if r.Variant != "" {
			args = append(args, "--variant", r.Variant)
		}
		var out bytes.Buffer
		run(args, nil, &out, io.Discard)
		var seen report.Replay
		require.NoError(t, json.Unmarshal(out.Bytes(), &seen), "%v", args)
		require.Equal(t, f.Outcome, seen.Outcome, "%v", args)
		require.Equal(t, f.Schedule, seen.Order, "%v", args)
		var violates []string
		for _, v := range seen.Verdicts {
			if v.Outcome == "violated" {
				violates = append(violates, v.Invariant)
			}
		}
		require.Equal(t, f.Violates, violates, "%v", args)
	}
	require.Greater(t, flipped, 20)
}

// difference shows the first line that differs.
func difference(want, got []byte) string {
	w, g := bytes.Split(want, []byte("\n")), bytes.Split(got, []byte("\n"))
	for i := range min(len(w), len(g)) {
		if !bytes.Equal(w[i], g[i]) {
			return "line " + strconv.Itoa(i+1) + "\n- " + string(w[i]) + "\n+ " + string(g[i])
		}
	}
	return "one is longer"
}

// TestRunIsDeterministic runs the whole catalogue several times in one process: nothing of a run shows in the next.
func TestRunIsDeterministic(t *testing.T) {
	raced.Skip(t)
	var first []byte
	for i, args := range [][]string{{}, {}, {"--redis", "embedded"}} {
		var stdout bytes.Buffer
		require.Equal(t, codeOK, run(append([]string{"run", "--json", "--out", t.TempDir(), "--repeat", "2", "--impl", "all"}, args...), nil, &stdout, os.Stderr))
		if i == 0 {
			first = stdout.Bytes()
		}
		require.Equal(t, string(first), stdout.String())
	}
}

// TestReferenceIsWhole reads the committed run as another program would.
func TestReferenceIsWhole(t *testing.T) {
	doc, err := report.Load(filepath.Join(reference, report.RunFile))
	require.NoError(t, err)
	require.Len(t, doc.Published, 6)
	races, violations := map[string]bool{}, 0
	for _, r := range doc.Results {
		require.True(t, r.AsExpected, "%s on %s", r.Scenario, r.Impl)
		require.NotEmpty(t, r.Runs)
		races[r.Scenario] = true
		for _, o := range r.Runs {
			require.NotEmpty(t, o.Trace.Steps, "%s on %s", r.Scenario, r.Impl)
			require.Equal(t, len(r.Expected.Breaks) > 0, o.Outcome == "violated", "%s on %s", r.Scenario, r.Impl)
			if o.Outcome == "violated" {
				violations++
			}
		}
	}
	require.Len(t, races, len(scenarios.All()))
	require.GreaterOrEqual(t, violations, len(scenarios.All())-4, "every race but A7, B1, B2 and X5 breaks something")
}
