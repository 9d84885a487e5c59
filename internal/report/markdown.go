package report

import (
	"fmt"
	"html"
	"io"
	"strings"
)

// Markdown writes a summary for a pull request or the summary of a CI step: how many cases are as they should be, a table of
// them, and what there is to know of those that are not, each folded away. GitHub shows a MiB of it.
func Markdown(w io.Writer, s *Summary) error {
	var b strings.Builder
	marks := map[Grade]string{Passed: "✓", Unknown: "?", Failed: "✗"}
	count := map[Grade]int{}
	for i := range s.Cases {
		count[s.Cases[i].Grade()]++
	}
	fmt.Fprintf(&b, "### %s on %s %s\n\n", s.Command, markdownText(s.Backend.Name), markdownText(s.Backend.Version))
	fmt.Fprintf(&b, "%d failed, %d undecided, %d passed\n\n| | race | implementation | what |\n|---|---|---|---|\n", count[Failed], count[Unknown], count[Passed])
	for i := range s.Cases {
		c := &s.Cases[i]
		grade := c.Grade()
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", marks[grade], markdownText(c.Scenario+" "+c.Name), markdownText(c.Impl), markdownText(c.message(grade)))
	}
	for i := range s.Cases {
		c := &s.Cases[i]
		if grade := c.Grade(); grade != Passed {
			fmt.Fprintf(&b, "\n<details><summary>%s %s</summary>\n\n<pre>%s</pre>\n</details>\n", marks[grade], markdownText(c.Scenario+" "+c.Name+", "+c.Impl), markdownLines(c.text(grade)))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// markdownText is text of one line in which nothing means anything to Markdown.
func markdownText(s string) string {
	var b strings.Builder
	for _, r := range visible(s) {
		switch {
		case r == '\n' || r == '\t':
			b.WriteByte(' ')
		case strings.ContainsRune("\\`*_{}[]<>()#|~&@$!\"'", r):
			fmt.Fprintf(&b, "&#%d;", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// markdownLines is text for <pre>, in one line: an empty one would end the block of HTML.
func markdownLines(s string) string {
	return strings.ReplaceAll(html.EscapeString(visible(strings.TrimRight(s, "\n"))), "\n", "&#10;")
}
