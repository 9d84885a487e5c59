package interleave

import (
	"fmt"
	"slices"
	"strings"
	"time"
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
// subject a command comes from. Where the columns of the actors would be too narrow to be read, there is one for all of them,
// and one that says whose step it is.
func (t *Trace) Table(o TableOptions) string {
	l := t.layout(o)
	w := table.NewWriter()
	w.SetStyle(style(o))
	w.AppendHeader(l.row(l.header...))
	var configs []table.ColumnConfig
	for i := range l.header {
		c := table.ColumnConfig{Number: i + 1}
		if i == 0 {
			c.Align = text.AlignRight
		} else if i < len(l.header)-1 && l.cell > 0 {
			c.WidthMax, c.WidthMaxEnforcer = l.cell, wrap
		}
		configs = append(configs, c)
	}
	w.SetColumnConfigs(configs)
	shown := t.shown(o)
	for _, first := range l.firstRows(t.Events, o) {
		w.AppendRow(first)
	}
	for i, s := range t.Steps {
		if !shown[i] {
			if i > 0 && shown[i-1] {
				w.AppendRow(l.row(ascii("…", o)))
			}
			continue
		}
		lines := append([]string{shortText(s, l.cell)}, s.shownEvents()...)
		for _, c := range s.Changes {
			if s.Kind == StepClock || s.Kind == StepServer {
				lines = append(lines, c.String())
			}
		}
		row := l.place(s.Actor, ascii(strings.Join(lines, "\n"), o))
		row[0] = pointer(s.N, o)
		row[len(row)-1] = s.Caller
		w.AppendRow(row)
	}
	return trimRight(w.Render())
}

// layout is which columns a table has.
type layout struct {
	header []string
	actors []string
	folded bool // the actors share a column
	cell   int  // width of a column of actors; 0 for as wide as it gets
}

// clockAndServer is the column of what no actor does.
const clockAndServer = "clock, server"

func (t *Trace) layout(o TableOptions) layout {
	l := layout{actors: t.actors()}
	l.header = append([]string{"step"}, l.actors...)
	if t.has(StepClock) || t.has(StepServer) {
		l.header = append(l.header, clockAndServer)
	}
	l.header = append(l.header, "at")
	if l.cell = cellWidth(o, len(l.header)-2); l.cell >= leastCell || o.Width < 0 || len(l.header) < 3 {
		return l
	}
	l.folded, l.header = true, []string{"step", "actor", "does", "at"}
	longest := 0
	for _, a := range append(l.actors, clockAndServer) {
		longest = max(longest, text.StringWidth(a))
	}
	l.cell = max(o.width()-fixedCells-longest-3, leastFolded)
	return l
}

// row is a row with some cells from its beginning.
func (l layout) row(cells ...string) table.Row {
	row := make(table.Row, len(l.header))
	for i := range row {
		row[i] = ""
		if i < len(cells) {
			row[i] = cells[i]
		}
	}
	return row
}

// place is a row with what an actor does where it belongs; "" is nobody.
func (l layout) place(actor, does string) table.Row {
	if l.folded {
		return l.row("", actor, does)
	}
	row := l.row()
	at := len(row) - 2
	if i := slices.Index(l.actors, actor); i >= 0 {
		at = i + 1
	}
	row[at] = does
	return row
}

// firstRows are what became of actors before the first step: one row, or one for each of those who share a column.
func (l layout) firstRows(events []string, o TableOptions) []table.Row {
	var rows []table.Row
	for i, a := range l.actors {
		var lines []string
		for _, e := range events {
			if text, own := strings.CutPrefix(e, a+" "); own && text != "ends" {
				lines = append(lines, printable(text))
			}
		}
		does := ascii(strings.Join(lines, "\n"), o)
		switch {
		case len(lines) == 0:
		case l.folded || rows == nil:
			rows = append(rows, l.place(a, does))
		default:
			rows[0][i+1] = does
		}
	}
	return rows
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

const (
	fixedCells = 36 // step number, separators and caller
	leastCell  = 18 // below it a cell is no help

	leastFolded = 24 // of the one for all actors
)

// width is the number of columns to fit in.
func (o TableOptions) width() int {
	if o.Width == 0 {
		return 120
	}
	return o.Width
}

// cellWidth shares the width between the columns of actors.
func cellWidth(o TableOptions, columns int) int {
	if o.Width < 0 || columns < 1 {
		return 0
	}
	return (o.width() - fixedCells) / columns
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

// Forced is how many steps the schedule said; the others happened in an order that it left open.
func (t *Trace) Forced() int {
	n := 0
	for _, s := range t.Steps {
		if s.forced {
			n++
		}
	}
	return n
}

// Lasted is how much virtual time passed.
func (t *Trace) Lasted() time.Duration {
	if len(t.Steps) == 0 {
		return 0
	}
	return t.Steps[len(t.Steps)-1].At
}
