package main

import (
	"fmt"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// newTable returns a table with columns and nothing else: no frame, no lines between rows.
func (a *app) newTable(header ...any) table.Writer {
	t := table.NewWriter()
	st := table.StyleLight
	if a.asciiOnly() {
		st = table.StyleDefault
	}
	st.Format.Header = text.FormatDefault
	st.Options = table.Options{SeparateColumns: true, SeparateHeader: true}
	t.SetStyle(st)
	t.AppendHeader(header)
	if a.asciiOnly() {
		return asciiTable{t}
	}
	return t
}

// asciiTable is a table that knows how wide its cells are when they are printed.
type asciiTable struct{ table.Writer }

func (t asciiTable) AppendRow(row table.Row, config ...table.RowConfig) {
	for i, cell := range row {
		if s, ok := cell.(string); ok {
			row[i] = toASCII(s)
		}
	}
	t.Writer.AppendRow(row, config...)
}

func (a *app) printTable(t table.Writer) { fmt.Fprintln(a.stdout, trimLines(t.Render())) }
