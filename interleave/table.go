package interleave

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// TableOptions say how a trace is drawn. The zero value draws everything at a width for a terminal of 120 columns.
type TableOptions struct {
	// Width is the number of columns to fit in; 0 means 120, negative means as wide as it gets.
	Width int
	// Mark are the numbers of steps to point at: the pair whose order decides.
	Mark []int
	// MaxRows leaves out steps in the middle of a longer trace, none that is marked; 0 means no limit.
	MaxRows int
	// ASCII draws without characters beyond ASCII.
	ASCII bool
}

// Table draws the trace with one column for each actor, time running downwards. The last column says where in the
// subject a command comes from.
func (t *Trace) Table(o TableOptions) string {
	actors := t.actors()
	others := t.has(StepClock) || t.has(StepServer)
	header := table.Row{"step"}
	for _, a := range actors {
		header = append(header, a)
	}
	if others {
		header = append(header, "clock, server")
	}
	header = append(header, "at")

	w := table.NewWriter()
	w.SetStyle(style(o))
	w.AppendHeader(header)
	cell := cellWidth(o, len(header)-2)
	var configs []table.ColumnConfig
	for i := range header {
		c := table.ColumnConfig{Number: i + 1}
		if i == 0 {
			c.Align = text.AlignRight
		} else if i < len(header)-1 && cell > 0 {
			c.WidthMax, c.WidthMaxEnforcer = cell, wrap
		}
		configs = append(configs, c)
	}
	w.SetColumnConfigs(configs)
	shown := t.shown(o)
	if first := t.firstRow(actors, len(header), o); first != nil {
		w.AppendRow(first)
	}
	for i, s := range t.Steps {
		if !shown[i] {
			if i > 0 && shown[i-1] {
				row := table.Row{ascii("…", o)}
				for range header[1:] {
					row = append(row, "")
				}
				w.AppendRow(row)
			}
			continue
		}
		row := make(table.Row, len(header))
		for i := range row {
			row[i] = ""
		}
		row[0] = pointer(s.N, o)
		place := len(header) - 2
		for i, a := range actors {
			if a == s.Actor {
				place = i + 1
			}
		}
		lines := append([]string{shortText(s, cell)}, s.shownEvents()...)
		for _, c := range s.Changes {
			if s.Kind == StepClock || s.Kind == StepServer {
				lines = append(lines, c.String())
			}
		}
		row[place] = ascii(strings.Join(lines, "\n"), o)
		row[len(header)-1] = s.Caller
		w.AppendRow(row)
	}
	return trimRight(w.Render())
}

// firstRow is what became of actors before the first step; nil when there is nothing to say.
func (t *Trace) firstRow(actors []string, columns int, o TableOptions) table.Row {
	var row table.Row
	for i, a := range actors {
		var lines []string
		for _, e := range t.Events {
			if text, own := strings.CutPrefix(e, a+" "); own && text != "ends" {
				lines = append(lines, printable(text))
			}
		}
		if len(lines) == 0 {
			continue
		}
		if row == nil {
			row = make(table.Row, columns)
			for i := range row {
				row[i] = ""
			}
		}
		row[i+1] = ascii(strings.Join(lines, "\n"), o)
	}
	return row
}

// wrap breaks lines between words, and within a word that is longer than a line.
func wrap(s string, width int) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = text.WrapSoft(l, width)
	}
	return strings.Join(lines, "\n")
}

// shown says which steps a table has rows for: all, or the first and the last, and what is marked with what is around it.
func (t *Trace) shown(o TableOptions) []bool {
	n := len(t.Steps)
	shown := make([]bool, n)
	const around = 3
	for i := range shown {
		shown[i] = o.MaxRows <= 0 || n <= o.MaxRows || i < o.MaxRows/2 || i >= n-o.MaxRows/2
		for _, m := range o.Mark {
			shown[i] = shown[i] || i+1 >= m-around && i+1 <= m+around
		}
	}
	return shown
}

// shownEvents are the events worth a line of a table: everything but an uneventful end.
func (s *Step) shownEvents() []string {
	var out []string
	for _, e := range s.Events {
		if e != s.Actor+" ends" {
			out = append(out, printable(strings.TrimPrefix(e, s.Actor+" ")))
		}
	}
	return out
}

func (t *Trace) actors() []string {
	var out []string
	for _, s := range t.Steps {
		if s.Actor != "" && !slices.Contains(out, s.Actor) {
			out = append(out, s.Actor)
		}
	}
	// In order of name, which is the order of columns in every run.
	for i := range out {
		for j := i + 1; j < len(out); j++ {
			if out[j] < out[i] {
				out[i], out[j] = out[j], out[i]
			}
		}
	}
	return out
}

func (t *Trace) has(k StepKind) bool {
	for _, s := range t.Steps {
		if s.Kind == k {
			return true
		}
	}
	return false
}

func pointer(n int, o TableOptions) string {
	for _, m := range o.Mark {
		if m == n {
			return ascii("▶ ", o) + fmt.Sprint(n)
		}
	}
	return fmt.Sprint(n)
}

// cellWidth shares the width between the columns of actors.
func cellWidth(o TableOptions, columns int) int {
	if o.Width < 0 || columns < 1 {
		return 0
	}
	width := o.Width
	if width == 0 {
		width = 120
	}
	const fixed, least = 36, 24 // step number, separators and caller; below the least a cell is no help
	return max((width-fixed)/columns, least)
}

// shortText is the step's text with long arguments shortened in the middle, so that a cell has at most some lines.
func shortText(s *Step, cell int) string {
	full := s.Text()
	if cell <= 0 {
		return full
	}
	const lines = 4
	return clip(full, cell*lines)
}

func style(o TableOptions) table.Style {
	st := table.StyleLight
	if o.ASCII {
		st = table.StyleDefault
	}
	st.Format.Header = text.FormatDefault
	st.Options = table.Options{SeparateColumns: true, SeparateHeader: true}
	return st
}

var toASCII = strings.NewReplacer("→", "->", "✗", "x", "…", "...", "▶", ">")

func ascii(s string, o TableOptions) string {
	if o.ASCII {
		return toASCII.Replace(s)
	}
	return s
}

func trimRight(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.Join(lines, "\n")
}

// printable shows what a terminal would obey instead of printing it.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, s)
}
