package page_test

import (
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/interleave/page" // so that a change of it runs the test again
	"github.com/racebench/racebench/internal/stranger"
)

const tests = `package jobs

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/interleave/page"
)

func twoStarts(w *interleave.World) {
	for _, name := range []string{"A", "B"} {
		w.Actor(name, func(a *interleave.Actor) error {
			_, err := Jobs{a.Redis()}.Start(a.Context(), "doc-1", "job-of-"+a.Name())
			return err
		})
	}
	w.Finally("one job a document", func(s *interleave.State) error {
		if n := len(s.Keys("job:{doc-1}:job-*")); n != 1 {
			return fmt.Errorf("%d job hashes", n)
		}
		return nil
	})
}

func TestExplore(t *testing.T) { interleave.Explore(t, twoStarts, page.OnFailure()) }

func TestForce(t *testing.T) {
	t.Run("both look", func(t *testing.T) { interleave.Force(t, "A.GET B.GET A.. B..", twoStarts, page.OnFailure()) })
}

func TestHolds(t *testing.T) { interleave.Force(t, "A.. B..", twoStarts, page.OnFailure()) }

func TestHoldsShown(t *testing.T) { interleave.Force(t, "A.. B..", twoStarts, page.Always()) }

func TestDrawn(t *testing.T) {
	interleave.Explore(t, twoStarts, interleave.Strategy("pct"), interleave.Seed(7), interleave.Preemptions(2), interleave.Faults("crash:1"),
		interleave.MaxExecutions(5))
}

func TestFuzzOrders(t *testing.T) {
	interleave.Fuzz(t, func(*rapid.T) func(*interleave.World) { return twoStarts }, interleave.OrdersEach(2))
}

func FuzzJobs(f *testing.F) {
	f.Add([]byte{})
	f.Fuzz(interleave.MakeFuzz(f, func(*rapid.T) func(*interleave.World) {
		return func(w *interleave.World) {
			twoStarts(w)
			w.Finally("no job", func(s *interleave.State) error { return fmt.Errorf("%d keys", len(s.Keys("job:*"))) })
		}
	}, page.OnFailure()))
}

func TestFuzz(t *testing.T) {
	interleave.Fuzz(t, func(*rapid.T) func(*interleave.World) { return twoStarts }, page.OnFailure())
}
`

// A test of somebody else's code leaves its page where go test keeps artifacts, and says where; one that passes leaves none.
func TestPages(t *testing.T) {
	dir := stranger.Module(t, map[string]string{"jobs_test.go": tests})
	out := t.TempDir()
	text, ok := stranger.Run(t, dir, "go", "test", "-count=1", "-v", "-artifacts", "-outputdir", out, ".")
	require.False(t, ok, text)
	pages := map[string]string{}
	for _, m := range regexp.MustCompile(`page:    (\S+`+regexp.QuoteMeta(page.File)+`)`).FindAllStringSubmatch(text, -1) {
		written, err := os.ReadFile(m[1])
		require.NoError(t, err)
		require.True(t, strings.HasPrefix(m[1], out))
		rel, err := filepath.Rel(out, m[1])
		require.NoError(t, err)
		pages[strings.Split(filepath.ToSlash(rel), "/")[1]] += string(written)
	}
	require.Len(t, pages, 5, "%s", text)
	var all strings.Builder
	for _, text := range pages {
		all.WriteString(text)
	}
	for what, want := range map[string]string{
		"the classes":      "4 orders, 2 outcomes",
		"the explored":     `class="space"`,
		"the line":         `"jobs/jobs.go:23":"`,
		"the flipped":      "The flipped order",
		"of an input":      `FuzzJobs/seed#0`,
		"the command":      html.EscapeString(`go test -run '^TestForce$/^both_look$' -interleave.replay='A.GET B.GET`),
		"the snippet":      html.EscapeString(`interleave.Violates(t, "A.GET B.GET`),
		"one that holds":   `<span class="tag held">held</span>`,
		"a subtest's name": `id="TestForce/both_look-this-1"`,
	} {
		require.Contains(t, html.UnescapeString(all.String()), html.UnescapeString(want), what)
	}
	require.NotContains(t, all.String(), "racebench replay")

	// With -v the strategy says what it did.
	for _, say := range []string{
		"interleave: strategy exhaustive: 4 executions, 4 orders run to their end",
		"2 orders: one job a document",
		"interleave: one order, as asked for, violated; steps: 6, switches of the actor: 3, virtual time: 0s",
		"interleave: one order, as asked for, held; steps: 4, switches of the actor: 1, virtual time: 0s",
		"interleave: strategy pct, seed 7, preemptions up to 2, faults crash:1: ",
		"worlds drawn, each order drawn with its world: ",
		"worlds drawn, at most 2 orders of each, strategy exhaustive: ",
	} {
		require.Contains(t, text, say)
	}

	text, ok = stranger.Run(t, dir, "go", "test", "-count=1", "-run", "TestForce", ".")
	require.False(t, ok)
	require.Contains(t, text, "page:    go test -artifacts keeps it")
	require.NotContains(t, text, "interleave: strategy")
}
