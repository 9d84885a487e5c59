package main

import (
	"cmp"
	"fmt"

	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/internal/report"
)

// printWindows says in how many orders the race was reached: of the windows that the world declares, or else of any two
// actors.
func (a *app) printWindows(x *interleave.Exploration) {
	declared := false
	for _, c := range x.Windows {
		declared = declared || c.Declared
	}
	for _, c := range x.Windows {
		if c.Declared == declared {
			fmt.Fprintln(a.stdout, plainLine(c.String()))
		}
	}
}

// observed adds to the document what is no verdict.
func observed(doc *report.Exploration, x *interleave.Exploration) {
	doc.Windows = x.Windows
	doc.Reason = cmp.Or(doc.Reason, unreached(x))
}

// unreached is why an exploration in which everything held is undecided all the same.
func unreached(x *interleave.Exploration) string {
	if x.Outcome() == interleave.Violated {
		return ""
	}
	return x.Unreached()
}
