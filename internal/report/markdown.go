package report

import (
	"fmt"
	"html"
	"io"
	"strings"
)

// What a summary in Markdown holds at most, in bytes. A comment of a pull request on GitHub takes 65,536 characters, the summary
// of a step a MiB.
const (
	markdownBound  = 65_536
	markdownTable  = 32 << 10 // of it, the rows
	markdownDetail = 12 << 10 // the text of one case
	markdownLine   = 2_000    // one line of such a text, in characters
	markdownCell   = 300      // a cell of the table, in characters
	markdownSaid   = 300      // kept free to say what was left out
	markdownFull   = "racebench report --html shows all"
)

var markdownMarks = map[Grade]string{Passed: "✓", Unknown: "?", Failed: "✗"}

// Markdown writes a summary for a pull request or the summary of a CI step: how many cases are as they should be, a table of
// them, and what there is to know of those that are not, each folded away, those that failed first. It says what there was no
// room for.
func Markdown(w io.Writer, s *Summary) error {
	var b strings.Builder
	count := map[Grade]int{}
	for i := range s.Cases {
		count[s.Cases[i].Grade()]++
	}
	fmt.Fprintf(&b, "### %s on %s %s\n\n", s.Command, markdownText(s.Backend.Name), markdownText(Clip(s.Backend.Version, markdownCell)))
	fmt.Fprintf(&b, "%d failed, %d undecided, %d passed\n\n| | race | implementation | what |\n|---|---|---|---|\n", count[Failed], count[Unknown], count[Passed])
	markdownRows(&b, s)
	left := 0
	for _, grade := range []Grade{Failed, Unknown} {
		for i := range s.Cases {
			c := &s.Cases[i]
			if c.Grade() != grade {
				continue
			}
			detail := fmt.Sprintf("\n<details><summary>%s %s</summary>\n\n<pre>%s</pre>\n</details>\n", markdownMarks[grade],
				markdownText(Clip(c.Scenario+" "+c.Name+", "+c.Impl, markdownCell)), markdownBlock(c.text(grade)))
			if b.Len()+len(detail) > markdownBound-markdownSaid {
				left++
				continue
			}
			b.WriteString(detail)
		}
	}
	if left > 0 {
		fmt.Fprintf(&b, "\nThe text of %d more is left out; %s.\n", left, markdownFull)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Markdown writes a difference as a table, with the same bound: what got worse comes first, and it says what there was no room for.
func (d *Difference) Markdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "### racebench diff\n\n%d worse, %d better, %d other\n", len(d.Worse), len(d.Better), len(d.Other))
	if len(d.Worse)+len(d.Better)+len(d.Other) > 0 {
		b.WriteString("\n| | what |\n|---|---|\n")
	}
	left := 0
	for i, part := range d.Parts() {
		for _, line := range part.Lines {
			row := fmt.Sprintf("| %s %s | %s |\n", []string{"✗", "✓", ""}[i], part.Word, markdownText(Clip(line, markdownCell)))
			if b.Len()+len(row) > markdownBound-markdownSaid {
				left++
				continue
			}
			b.WriteString(row)
		}
	}
	if left > 0 {
		fmt.Fprintf(&b, "\nLeft out: %d more; racebench diff shows all.\n", left)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// markdownRows writes the rows of the table. Where there is no room for all, those that passed are left out, and then the last.
func markdownRows(b *strings.Builder, s *Summary) {
	rows := make([]string, len(s.Cases))
	all := 0
	for i := range s.Cases {
		c := &s.Cases[i]
		grade := c.Grade()
		rows[i] = fmt.Sprintf("| %s | %s | %s | %s |\n", markdownMarks[grade], markdownText(Clip(c.Scenario+" "+c.Name, markdownCell)),
			markdownText(Clip(c.Impl, markdownCell)), markdownText(Clip(c.message(grade), markdownCell)))
		all += len(rows[i])
	}
	var left [Failed + 1]int
	used := 0
	for i, row := range rows {
		grade := s.Cases[i].Grade()
		if all > markdownTable && (grade == Passed || used+len(row) > markdownTable) {
			left[grade]++
			continue
		}
		used += len(row)
		b.WriteString(row)
	}
	if used < all {
		fmt.Fprintf(b, "\nLeft out of the table: %d failed, %d undecided, %d passed; %s.\n", left[Failed], left[Unknown], left[Passed], markdownFull)
	}
}

// markdownBlock is a text for <pre>, in one line: an empty one would end the block of HTML. Long lines lose their middle, and a
// long text its end.
func markdownBlock(text string) string {
	var b strings.Builder
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, line := range lines {
		line = html.EscapeString(Visible(Clip(line, markdownLine)))
		if b.Len()+len(line) > markdownDetail {
			fmt.Fprintf(&b, "&#10;… %d more lines; %s", len(lines)-i, markdownFull)
			break
		}
		if i > 0 {
			b.WriteString("&#10;")
		}
		b.WriteString(line)
	}
	return b.String()
}

// markdownText is text of one line in which nothing means anything to Markdown.
func markdownText(s string) string {
	var b strings.Builder
	for _, r := range Visible(s) {
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
