package main

import (
	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/internal/report"
)

// decided is what a violation hangs on as the documents say it.
func decided(d *interleave.Decision) *report.Decision {
	if d == nil {
		return nil
	}
	return &report.Decision{Steps: d.Steps, Text: d.Text, Flipped: flipped(d.Nearest)}
}

func flipped(nearest *interleave.Result) *report.Flipped {
	if nearest == nil {
		return nil
	}
	seen, err := report.Observe(nearest, "")
	must(err) // every result can be described
	f := &report.Flipped{Schedule: seen.Order, Outcome: seen.Outcome, Seen: seen}
	for _, v := range seen.Verdicts {
		if v.Outcome == interleave.Violated.String() {
			f.Violates = append(f.Violates, v.Invariant)
		}
	}
	return f
}
