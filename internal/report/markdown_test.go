package report

import (
	"bytes"
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
