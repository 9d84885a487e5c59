package main

import (
	"slices"

	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/scenarios"
)

// isPublished reports whether the figures of a race have been published.
func isPublished(s *scenarios.Scenario) bool {
	return slices.Contains(scenarios.PublishedScenarios, s.ID)
}

// published is the six lines of the published run, or nothing unless all that they are about has been measured.
func published(plan []*planned) []string {
	counts := map[string]map[string]scenarios.Counts{"naive": {}, "lua": {}}
	repeats, passed := 0, true
	for _, p := range plan {
		byID, ok := counts[p.impl]
		if !ok || !isPublished(p.scenario) {
			continue
		}
		if byID[p.scenario.ID] == nil {
			byID[p.scenario.ID] = scenarios.Counts{}
		}
		byID[p.scenario.ID].Add(p.counts)
		repeats = p.repeats
		passed = passed && p.result.AsExpected && (p.impl != "lua" || p.shown.Outcome() == interleave.Held)
	}
	for _, byID := range counts { // any order: both must be whole
		if len(byID) < len(scenarios.PublishedScenarios) {
			return nil
		}
	}
	return scenarios.Published(repeats, counts["naive"], counts["lua"], passed)
}
