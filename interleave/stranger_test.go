package interleave_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/internal/stranger"
)

// goTest runs go test in the stranger's module and returns what it prints.
func goTest(t *testing.T, dir string, args ...string) (string, bool) {
	t.Helper()
	return stranger.Run(t, dir, "go", append([]string{"test", "-count=1"}, args...)...)
}

func TestStrangersModule(t *testing.T) {
	tests, err := os.ReadFile(filepath.Join("testdata", "stranger_test.go.txt"))
	require.NoError(t, err)
	dir := stranger.Module(t, map[string]string{"jobs_test.go": string(tests)})
	out, ok := goTest(t, dir, "-run", "TestOneAfterTheOther|TestOtherContext|TestRaceIsOnRecord", ".")
	require.True(t, ok, out)

	out, ok = goTest(t, dir, "-run", "TestTwoStartsOneJob", ".")
	require.False(t, ok)
	require.Contains(t, trimmed(out), `
interleave: "one job a document" violated after step 6: 2 job hashes for doc-1 (want 1)
step │ A                                          │ B                                          │ at
──────┼────────────────────────────────────────────┼────────────────────────────────────────────┼─────────────────
1 │ GET job:{doc-1}:running → nil              │                                            │ jobs/jobs.go:16
▶ 2 │                                            │ GET job:{doc-1}:running → nil              │ jobs/jobs.go:16
3 │ HSET job:{doc-1}:job-of-A status RUNNING → │                                            │ jobs/jobs.go:23
`)
	require.Contains(t, out, "decides: B.GET before A.SET (the other way round it holds)\n")

	// The last line of the failure is a command that fails in the same way.
	replay := regexp.MustCompile(`(?m)^ *replay:  go test (-run '\S+') (-interleave\.replay='[^']*')$`).FindStringSubmatch(out)
	require.NotNil(t, replay, out)
	again, ok := goTest(t, dir, "-run", strings.Trim(replay[1][len("-run "):], "'"), strings.ReplaceAll(replay[2], "'", ""), ".")
	require.False(t, ok)
	require.Equal(t, failure(out), failure(again))

	for test, text := range map[string]string{
		"TestNotThisOne":       `"one job a document" is not violated (held)`,
		"TestBadSchedule":      "                  A.GET B..GET!crahs\n",
		"TestDiverged":         "schedule diverged at step 2 (token 2, B.HGET): expected B HGET, found B waiting with GET job:{doc-1}:running (jobs/jobs.go:",
		"TestIncompleteReplay": "the schedule ends before the world does: step 2 is B GET job:{doc-1}:running → nil",
	} {
		out, ok := goTest(t, dir, "-run", "^"+test+"$", ".")
		require.False(t, ok, test)
		require.Contains(t, out, strings.TrimLeft(text, " "), test)
	}
}

// trimmed takes away indentation and what go test puts before the text of a failure.
func trimmed(s string) string {
	return regexp.MustCompile(`(?m)^ *(\S+_test\.go:\d+: )?`).ReplaceAllString(s, "")
}

// failure is what a failed test says, without times and without what the go command adds.
func failure(out string) string {
	out, _, _ = strings.Cut(out, "\nFAIL")
	return regexp.MustCompile(`\(\d+\.\d+s\)|\t\d+\.\d+s`).ReplaceAllString(out, "")
}

// TestImportGraph: a stranger who imports interleave gets neither the catalogue nor a container engine.
func TestImportGraph(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	require.NoError(t, err)
	for _, dep := range strings.Fields(string(out)) {
		for _, banned := range []string{
			"testcontainers", "docker", "moby", "modernc.org", "spf13",
			"racebench/scenarios", "racebench/impl", "racebench/invariants", "racebench/cmd",
		} {
			require.NotContains(t, dep, banned)
		}
	}
}
