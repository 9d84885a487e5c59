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
	st.Format.Header = text.FormatDefault
	st.Options = table.Options{SeparateColumns: true, SeparateHeader: true}
	t.SetStyle(st)
	t.AppendHeader(header)
	return t
}

func (a *app) printTable(t table.Writer) { fmt.Fprintln(a.stdout, trimLines(t.Render())) }
