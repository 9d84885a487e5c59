package main

import (
	"os"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/mattn/go-isatty"
)

// terminal reports whether what is printed goes to a terminal.
func (p *printer) terminal() bool {
	f, ok := p.w.(*os.File)
	return ok && (isatty.IsTerminal(f.Fd()) || isatty.IsCygwinTerminal(f.Fd()))
}

// defaultWidth is the width of tables that go to a file.
const defaultWidth = 120

// width is how many columns a table may have.
func (a *app) width() int {
	if a.wide {
		return 10_000
	}
	const least = 60 // below it a table is no help
	if f, ok := a.stdout.w.(*os.File); ok && a.stdout.terminal() {
		if w := columns(f); w > 0 {
			return max(w, least)
		}
	}
	return defaultWidth
}

// colours reports whether standard output gets colours.
func (a *app) colours() bool {
	return !a.plain && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && a.stdout.terminal()
}

// paint gives text a colour where colours are wanted.
func (a *app) paint(c text.Color, s string) string {
	if !a.colours() {
		return s
	}
	return c.EscapeSeq() + s + text.Reset.EscapeSeq()
}
