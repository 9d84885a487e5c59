package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Nothing that a name, a key or a value holds makes a cell, a tag or a line of its own.
func TestMarkdown(t *testing.T) {
	x := &Exploration{Backend: Backend{Name: "embedded", Version: "1"}, Scenario: "Z1", Name: "a|b <img> *x* `y`", Impl: "naive", Orders: 3, Violating: 2,
		Violations: []Violation{{Invariant: "one\n\n| two", Orders: 2, Schedule: "A.. </pre> \x00", Story: "first\n\n\n# last"}}}
	s, err := Summarize(x)
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, Markdown(&out, s))
	text := out.String()
	require.Contains(t, text, "1 failed, 0 undecided, 0 passed\n")
	require.Equal(t, 1, strings.Count(text, "</pre>"))
	for _, no := range []string{"<img>", "*x*", "`y`"} {
		require.NotContains(t, text, no)
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "|") {
			require.Equal(t, 5, strings.Count(line, "|"), line)
		}
	}
	_, block, found := strings.Cut(text, "<pre>")
	require.True(t, found)
	block, _, _ = strings.Cut(block, "</pre>")
	require.NotContains(t, block, "\n\n", "an empty line ends the block")
	require.Contains(t, block, `schedule: A.. &lt;/pre&gt; \x00`)

	require.Contains(t, markdownOf(t, &Run{Results: []Result{{Scenario: "A1", Name: "n", Impl: "lua", AsExpected: true}}}), "| ✓ | A1 n | lua | as the catalogue expects")
}

func markdownOf(t *testing.T, document any) string {
	t.Helper()
	s, err := Summarize(document)
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, Markdown(&out, s))
	return out.String()
}

// However much there is, GitHub takes it; what failed comes before what passed, and what was left out is said.
func TestMarkdownBound(t *testing.T) {
	bad := strings.Repeat("<&\x00|", 5_000)
	run := &Run{Backend: Backend{Name: "embedded", Version: bad}}
	for i := range 1_500 {
		run.Results = append(run.Results, Result{Scenario: fmt.Sprintf("Z%d", i), Name: bad, Impl: "naive", Schedule: bad, AsExpected: i%3 != 0,
			Differences: []string{bad, bad}, Runs: []Observed{{Error: strings.Repeat(bad+"\n", 50)}}})
	}
	text := markdownOf(t, run)
	require.LessOrEqual(t, len(text), 65_536)
	require.Greater(t, len(text), 50_000, "the room is used")
	rows, details := strings.Count(text, "\n| ?"), strings.Count(text, "<details>")
	require.Positive(t, rows)
	require.Positive(t, details)
	require.NotContains(t, text, "\n| ✓", "what passed goes first")
	require.Contains(t, text, fmt.Sprintf("Left out of the table: 0 failed, %d undecided, 1000 passed; racebench report --html shows all.\n", 500-rows))
	require.Contains(t, text, fmt.Sprintf("The text of %d more is left out;", 500-details))
	require.Contains(t, text, " more lines; racebench report --html shows all</pre>")
	require.Equal(t, details, strings.Count(text, "</pre>\n</details>\n"), "each is closed")

	// A table that has room keeps all, and the text of what failed comes before that of what could not be judged.
	few := &Run{}
	for i := range 150 {
		r := Result{Scenario: fmt.Sprintf("Z%d", i), Name: "a-name-of-usual-length", Impl: "naive", AsExpected: i > 1}
		if i == 0 {
			r.Runs = []Observed{{Error: "diverged"}}
		}
		few.Results = append(few.Results, r)
	}
	text = markdownOf(t, few)
	require.Equal(t, 148, strings.Count(text, "\n| ✓"))
	require.NotContains(t, text, "eft out")
	require.Less(t, strings.Index(text, "<details><summary>✗ Z1"), strings.Index(text, "<details><summary>? Z0"))
}

// A difference has the same bound; what got worse is there first.
func TestMarkdownOfADifference(t *testing.T) {
	text := func(d *Difference) string {
		var out bytes.Buffer
		require.NoError(t, d.Markdown(&out))
		return out.String()
	}
	require.Equal(t, "### racebench diff\n\n0 worse, 0 better, 0 other\n", text(&Difference{}))
	require.Equal(t, "### racebench diff\n\n1 worse, 1 better, 1 other\n\n| | what |\n|---|---|\n| ✗ worse | a&#124;b |\n| ✓ better | c |\n|  other | d |\n",
		text(&Difference{Worse: []string{"a|b"}, Better: []string{"c"}, Other: []string{"d"}}))
	long := &Difference{Other: []string{"o"}}
	for range 1_000 {
		long.Worse = append(long.Worse, strings.Repeat("<", 1_000))
	}
	out := text(long)
	require.LessOrEqual(t, len(out), 65_536)
	rows := strings.Count(out, "\n| ✗")
	require.Contains(t, out, fmt.Sprintf("\nLeft out: %d more;", 1_000-rows))
}
