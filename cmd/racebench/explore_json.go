package main

import (
	"fmt"
	"time"

	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/internal/report"
	"github.com/racebench/racebench/scenarios"
)

// exploration is the document of racebench explore.
func exploration(f exploreFlags, s *scenarios.Scenario, v *scenarios.Variant, x *interleave.Exploration, decisions []*interleave.Decision, tokens []string, second *confirmer, b report.Backend, took time.Duration) report.Exploration {
	doc := report.Explored(x, fmt.Sprintf("%s %s, %s", s.ID, s.Name, title(f.impl, v)), decisions, tokens)
	doc.Backend, doc.Scenario, doc.Name, doc.Impl, doc.Variant, doc.Actors = b, s.ID, s.Name, f.impl, v.Name, v.Actors
	doc.Begins, doc.Steps, doc.Strategy, doc.Faults, doc.PerSecond = f.from, f.steps, f.strategy, f.budget.String(), perSecond(f, x, took)
	if !fixed(f.strategy) {
		doc.Seed = &f.seed
	}
	if f.bounded {
		doc.Preempt = &f.preemptions
	}
	for i := range doc.Violations {
		doc.Violations[i].Confirmed = second.document(i)
	}
	return doc
}

func decidesText(d *interleave.Decision) string {
	if d == nil {
		return ""
	}
	return d.Text
}

// perSecond is the rate of an exploration; nil for one that was only put together.
func perSecond(f exploreFlags, x *interleave.Exploration, took time.Duration) *float64 {
	if len(f.campaign.merged) > 0 {
		return nil
	}
	rate := float64(x.Executions) / took.Seconds()
	return &rate
}
