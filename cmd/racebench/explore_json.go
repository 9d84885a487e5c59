package main

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/internal/report"
	"github.com/racebench/racebench/scenarios"
)

// exploration is the document of racebench explore.
func exploration(f exploreFlags, s *scenarios.Scenario, v *scenarios.Variant, x *interleave.Exploration, decisions []*interleave.Decision, tokens []string, second *confirmer, b report.Backend, took time.Duration) report.Exploration {
	doc := report.Exploration{
		Head:       report.Head{Schema: report.Schema, Kind: report.KindExploration},
		Backend:    b,
		Scenario:   s.ID,
		Name:       s.Name,
		Impl:       f.impl,
		Variant:    v.Name,
		Actors:     v.Actors,
		Begins:     f.from,
		Steps:      f.steps,
		Violations: []report.Violation{},
		Strategy:   f.strategy,
		Executions: x.Executions,
		Orders:     x.Orders,
		Pruned:     x.Pruned,
		Faults:     f.budget.String(),
		Met:        x.Met,
		States:     x.States,
		Repeated:   x.Repeated,
		Undecided:  x.Undecided,
		Violating:  x.Violating,
		FirstAt:    x.FirstAt,
		Exhausted:  x.Complete,
		Verdict:    x.Outcome(),
		Reason:     x.Bound,
		PerSecond:  perSecond(f, x, took),
		Kept:       x.Kept,
	}
	if !fixed(f.strategy) {
		doc.Seed = &f.seed
	}
	if f.bounded {
		doc.Preempt = &f.preemptions
	}
	if all := x.All(); all != nil {
		doc.All = all.String()
	}
	switch {
	case x.Err != nil:
		doc.Reason = x.Err.Error()
	case doc.Reason == "":
		doc.Reason = x.Why
	}
	doc.Endings = append([]interleave.Ending{}, x.Endings...)
	slices.SortStableFunc(doc.Endings, func(a, b interleave.Ending) int {
		return cmp.Or(cmp.Compare(b.Orders, a.Orders), slices.Compare(a.Violates, b.Violates))
	})
	observed(&doc, x)
	if x.Differs != nil {
		doc.Differs = x.Differs.Error()
	}
	for i, found := range x.Found {
		shrunk := ""
		shown, hangs := found.First, decisions[i]
		if found.Shrunk != nil {
			shrunk = found.Shrunk.Trace.Schedule().String()
			shown, hangs = found.Shrunk, found.Decision
		}
		doc.Examples = append(doc.Examples, example(fmt.Sprintf("%s %s, %s", s.ID, s.Name, title(f.impl, v)), shown, hangs))
		doc.Violations = append(doc.Violations, report.Violation{
			Invariant: found.What,
			Class:     found.Class,
			Decides:   decidesText(found.Decision),
			Token:     tokens[i],
			Confirmed: second.document(i),
			Shrunk:    shrunk,
			Story:     found.Story,
			Orders:    found.Orders,
			Schedule:  found.First.Trace.Schedule().String(),
			Steps:     len(found.First.Trace.Steps),
			Decision:  decided(decisions[i], false),
		})
	}
	return doc
}

// example is the order that a picture of a finding shows.
func example(title string, res *interleave.Result, d *interleave.Decision) report.Example {
	o, err := report.Observe(res, "")
	must(err) // every result can be described
	return report.Example{Title: title, Observed: o, Decision: decided(d, true)}
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
