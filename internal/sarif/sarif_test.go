package sarif

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/impl"
	"github.com/racebench/racebench/internal/report"
)

const root = "../.."

// written is a document in this form, which is valid by the schema of SARIF.
func written(t *testing.T, document any) *sarif.Run {
	t.Helper()
	s, err := report.Summarize(document)
	require.NoError(t, err)
	var first, again bytes.Buffer
	require.NoError(t, Write(&first, s, impl.SourcePlace))
	require.NoError(t, Write(&again, s, impl.SourcePlace))
	require.Equal(t, first.String(), again.String())
	log, err := sarif.FromBytes(first.Bytes(), sarif.WithStrictValidation())
	require.NoError(t, err)
	require.NoError(t, log.Validate())
	require.Len(t, log.Runs, 1)
	return log.Runs[0]
}

func reference(t *testing.T) *report.Run {
	t.Helper()
	doc, err := report.LoadDocument(filepath.Join(root, "results/reference", report.RunFile))
	require.NoError(t, err)
	return doc.(*report.Run)
}

// source is the line of this repository that a location names.
func source(t *testing.T, l *sarif.Location) string {
	t.Helper()
	p := l.PhysicalLocation
	require.Equal(t, "%SRCROOT%", *p.ArtifactLocation.URIBaseID)
	text, err := os.ReadFile(filepath.Join(root, *p.ArtifactLocation.URI))
	require.NoError(t, err)
	lines := strings.Split(string(text), "\n")
	require.LessOrEqual(t, *p.Region.StartLine, len(lines))
	return lines[*p.Region.StartLine-1]
}

// A run in which all is as the catalogue expects has no result, which closes what was open.
func TestNothingWrong(t *testing.T) {
	run := written(t, reference(t))
	require.NotNil(t, run.Results)
	require.Empty(t, run.Results)
	require.True(t, *run.Invocations[0].ExecutionSuccessful)
}

// A race lies at the lines of source of the pair that decides.
func TestRaceAtItsLines(t *testing.T) {
	doc := reference(t)
	for i := range doc.Results {
		if r := &doc.Results[i]; r.Scenario == "A1" && r.Impl == "naive" {
			r.AsExpected, r.Differences = false, []string{"job:{doc-1} broke"}
			break
		}
	}
	run := written(t, doc)
	require.Len(t, run.Results, 1)
	r := run.Results[0]
	require.Equal(t, Violated, *r.RuleID)
	require.Equal(t, Violated, *run.Tool.Driver.Rules[r.RuleIndex].ID)
	require.Equal(t, "error", r.Level)
	require.Len(t, r.Locations, 1)
	require.Contains(t, source(t, r.Locations[0]), ".Get(")
	require.Len(t, r.RelatedLocations, 2, "the other of the pair, and the step after which it is violated")
	require.Contains(t, source(t, r.RelatedLocations[0]), ".Set(")
	require.Equal(t, doc.Results[0].Decision.Steps[1], r.RelatedLocations[0].ID)
	for _, say := range []string{"A1 duplicate-acquire, naive, on embedded: ", "job:{{doc-1}} broke\n", "\nschedule: ", "\ndecides: ", "\nreplay: racebench replay A1"} {
		require.Contains(t, *r.Message.Text, say)
	}
	require.Equal(t, "A1/naive//one running job a target, no unreferenced jobs", r.PartialFingerprints["racebench/v1"])

	require.Len(t, r.CodeFlows, 1)
	order, last := map[int]bool{}, 0
	for _, thread := range r.CodeFlows[0].ThreadFlows {
		last = 0
		for _, l := range thread.Locations {
			require.Greater(t, l.ExecutionOrder, last)
			last = l.ExecutionOrder
			order[last] = true
			require.NotEmpty(t, source(t, l.Location))
		}
	}
	require.Len(t, r.CodeFlows[0].ThreadFlows, 2)
	require.Len(t, order, len(doc.Results[0].Runs[0].Trace.Steps))
}

// What could not be judged is no finding about the code; what has no trace has no line.
func TestUndecidedAndTraceless(t *testing.T) {
	x := &report.Exploration{Scenario: "A1", Impl: "lua", Orders: 5, Reason: "--max 5"}
	require.NoError(t, x.Verdict.UnmarshalText([]byte("undecided")))
	run := written(t, x)
	require.Empty(t, run.Results)
	require.False(t, *run.Invocations[0].ExecutionSuccessful)
	require.Contains(t, *run.Invocations[0].ToolExecutionNotifications[0].Message.Text, "--max 5")

	x.Violations = []report.Violation{{Invariant: "one", Class: "lost update", Schedule: "A.."}}
	s, err := report.Summarize(x)
	require.NoError(t, err)
	require.ErrorIs(t, Write(&bytes.Buffer{}, s, impl.SourcePlace), report.ErrNoTrace)

	x.Examples = []report.Example{{Observed: report.Observed{Verdicts: []report.Verdict{{Invariant: "one", Outcome: "violated", Step: 1}},
		Trace: report.Trace{Steps: []report.Step{{N: 1, Kind: "clock"}, {N: 2, Actor: "A", Caller: "lua/scripts.go:1", Fault: "lost"}}}}}}
	r := written(t, x).Results[0]
	require.Equal(t, "lost-update", *r.RuleID)
	require.Equal(t, "impl/lua/scripts.go", *r.Locations[0].PhysicalLocation.ArtifactLocation.URI, "the last that has a line")
}

// Every step of the reference that was sent from somewhere has its line.
func TestEveryCallerHasALine(t *testing.T) {
	callers := map[string]bool{}
	for _, r := range reference(t).Results {
		for _, run := range r.Runs {
			for _, s := range run.Trace.Steps {
				if s.Caller != "" {
					callers[s.Caller] = true
				}
			}
		}
	}
	require.NotEmpty(t, callers)
	for caller := range callers {
		file, line := impl.SourcePlace(caller)
		text, err := os.ReadFile(filepath.Join(root, file))
		require.NoError(t, err, caller)
		lines := strings.Split(string(text), "\n")
		require.LessOrEqual(t, line, len(lines), caller)
		if !strings.HasPrefix(file, "scenarios/") {
			require.Equal(t, strings.TrimSpace(lines[line-1]), impl.SourceLine(caller), caller)
		}
	}
}
