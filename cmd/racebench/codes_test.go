package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/internal/report"
	"github.com/racebench/racebench/scenarios"
)

// spoil changes the first order of a scenario for one test.
func spoil(t *testing.T, id string, change func(*scenarios.Variant)) {
	t.Helper()
	found, err := scenarios.Find(id)
	require.NoError(t, err)
	v := &found[0].Cases[0].Variants[0]
	was := *v
	t.Cleanup(func() { *v = was })
	change(v)
}

// outputs runs the command in this process.
func outputs(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(args, strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

func TestNotAsExpected(t *testing.T) {
	dir := t.TempDir()
	spoil(t, "A1", func(v *scenarios.Variant) { v.Counts = scenarios.Counts{"job hashes": 3} })
	code, stdout, stderr := outputs(t, "run", "A1", "A2", "A3", "A4", "--repeat", "2", "--out", dir)
	require.Equal(t, codeUnexpected, code)
	require.True(t, strings.HasPrefix(stderr, "racebench: 1 of 8 not as the catalogue expects\nhint: racebench replay A1 --impl naive "), stderr)
	require.Contains(t, stdout, "GET -> SET: job hashes=4, unreferenced jobs=2\n", "what was counted, not what should be there")
	require.NotContains(t, stdout, "All invariants passed", "naive was not as expected")
	require.Regexp(t, `A1 duplicate-acquire .* │ not as expected, .* │ NO `, stdout)
	require.Contains(t, stdout, "not as expected: A1 on naive: job hashes: 2, the catalogue expects 3\n")
	require.Contains(t, stdout, "7 of 8 orders as expected")
	doc, err := report.Load(filepath.Join(dir, report.RunFile))
	require.NoError(t, err)
	require.False(t, doc.Results[0].AsExpected)
	require.Contains(t, doc.Results[0].Differences, "job hashes: 2, the catalogue expects 3")
	require.Equal(t, "1-2", doc.Results[0].Runs[0].Repeats)
}

func TestRunThatDiverges(t *testing.T) {
	dir := t.TempDir()
	spoil(t, "A1", func(v *scenarios.Variant) { v.Schedule = "A.GET B.HGETALL" })
	code, stdout, stderr := outputs(t, "run", "A1", "--repeat", "2", "--out", dir)
	require.Equal(t, codeUsage, code)
	require.True(t, strings.HasPrefix(stderr, "racebench: A1 on naive: schedule diverged at step 2 (token 2, B.HGETALL): expected B HGETALL, found B waiting with GET"), stderr)
	require.NotContains(t, stdout, "held:", "what was not judged did not hold")
	require.NotContains(t, stdout, "undecided:", "nor is it worth a line that nobody knows")
	require.Contains(t, stdout, "replay:  racebench replay A1 --impl naive 'A.GET B.HGETALL'\n")
	doc, err := report.Load(filepath.Join(dir, report.RunFile))
	require.NoError(t, err)
	require.Equal(t, "undecided", doc.Results[0].Runs[0].Outcome)
	require.Contains(t, doc.Results[0].Runs[0].Error, "diverged")
	require.Len(t, doc.Results[0].Runs, 1, "both repeats are the same")
	require.True(t, doc.Results[1].AsExpected, "the others run all the same")
}

func TestSecretsStayOut(t *testing.T) {
	require.Equal(t, []string{"run", "--redis", "redis://…@host:1/2", "--redis=rediss://…@h", "A1@x"},
		withoutSecrets([]string{"run", "--redis", "redis://me:p@ss@host:1/2", "--redis=rediss://:p@h", "A1@x"}))
}

func TestReplayCommandNamesTheRedis(t *testing.T) {
	require.Equal(t, "", redisFlags{spec: "embedded"}.typed())
	require.Equal(t, " --redis process", redisFlags{spec: "process"}.typed())
	require.Equal(t, " --redis container --redis-image 'valkey/valkey:8'", redisFlags{spec: "container", image: "valkey/valkey:8"}.typed())
	require.Equal(t, "", redisFlags{spec: "redis://:secret@host"}.typed())
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"lua", "lua", 0}, {"lau", "lua", 1}, {"naiv", "naive", 1}, {"runn", "run", 1}, {"kitten", "sitting", 3}, {strings.Repeat("x", 100), "x", 64}} {
		require.Equal(t, c.want, distance(c.a, c.b), "%s %s", c.a, c.b)
		require.Equal(t, c.want, distance(c.b, c.a), "%s %s", c.b, c.a)
	}
	require.Equal(t, "did you mean process?", suggest("proces", []string{"embedded", "process"}, "no"))
	require.Equal(t, "no", suggest("mysql", []string{"embedded", "process"}, "no"))
}

func TestRanges(t *testing.T) {
	require.Equal(t, "1", ranges([]int{1}))
	require.Equal(t, "1-3,5,7-8", ranges([]int{1, 2, 3, 5, 7, 8}))
}

// The exit codes are written once; the document quotes them.
func TestExitCodesDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/results.md")
	require.NoError(t, err)
	for line := range strings.Lines(exitCodes) {
		require.Contains(t, string(text), line)
	}
	_, help, _ := outputs(t, "help")
	require.Contains(t, help, exitCodes)
}

// The bar is under 2 s for the whole command; see docs/performance.md.
func BenchmarkPublishedFigures(b *testing.B) {
	for b.Loop() {
		var stdout bytes.Buffer
		if code := run([]string{"run", "A1", "A2", "A3", "A4", "--quiet", "--out", b.TempDir()}, nil, &stdout, os.Stderr); code != codeOK {
			b.Fatal(code)
		}
	}
}
