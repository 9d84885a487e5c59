package main

import (
	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/internal/report"
)

// decided is what a violation hangs on as the documents say it, with what happened in the flipped order if seen.
func decided(d *interleave.Decision, seen bool) *report.Decision {
	if d == nil {
		return nil
	}
	out := &report.Decision{Steps: d.Steps, Text: d.Text}
	if d.Nearest == nil {
		return out
	}
	o, err := report.Observe(d.Nearest, "")
	must(err) // every result can be described
	out.Flipped = &report.Flipped{Schedule: o.Order, Outcome: o.Outcome}
	if seen {
		out.Flipped.Seen = &o
	}
	for _, v := range o.Verdicts {
		if v.Outcome == interleave.Violated.String() {
			out.Flipped.Violates = append(out.Flipped.Violates, v.Invariant)
		}
	}
	return out
}
