package main

import (
	"context"
	"fmt"

	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/internal/report"
	"github.com/racebench/racebench/scenarios"
)

// exploredOrders is how many worlds a run spends on exploring each race on each implementation. It is a number of worlds and
// not a time, so that a run comes to the same everywhere.
const exploredOrders = 300

// orders explores each race on each implementation, in the world of its first variant, with the faults and moves of the clock
// that the race needs.
func (m *measurer) orders(ctx context.Context, f runFlags, plan []*planned) ([]report.Orders, error) {
	if f.orders == 0 {
		return nil, nil
	}
	var out []report.Orders
	for _, race := range byRace(plan) {
		done := map[string]bool{}
		for _, p := range race {
			if done[p.impl] {
				continue
			}
			done[p.impl] = true
			options := []interleave.Option{interleave.Faults(p.variant.Faults), interleave.Jumps(p.variant.Jumps...), interleave.MaxExecutions(f.worlds(p.scenario)), interleave.Unexplained()}
			if m.pictures {
				options = append(options, interleave.KeepOrders())
			}
			x, err := m.runner.ExploreWith(ctx, func(w *interleave.World) { p.variant.World(w, scenarios.Target) }, options...)
			switch {
			case err != nil:
				return nil, err
			case context.Cause(ctx) != nil:
				return nil, context.Cause(ctx)
			case x.Err != nil:
				return nil, unjudged(fmt.Errorf("%s on %s: %w", p.scenario.ID, title(p.impl, p.variant), x.Err))
			}
			budget := faultFlags{faults: p.variant.Faults, jumps: p.variant.Jumps}
			out = append(out, report.Orders{
				Scenario: p.scenario.ID, Impl: p.impl, Variant: p.variant.Name, Faults: budget.String(),
				Violating: x.Violating, Undecided: x.Undecided, Orders: x.Orders, Complete: x.Complete, Kept: x.Kept,
			})
		}
	}
	return out, nil
}

// worlds is how many to explore a race with.
func (f runFlags) worlds(s *scenarios.Scenario) int {
	if s.Orders > 0 && !f.ordersSaid {
		return min(s.Orders, f.orders)
	}
	return f.orders
}

// ordersOf is the cell of a race and an implementation: how many orders violate of how many.
func ordersOf(list []report.Orders, scenario, impl string) string {
	for _, o := range list {
		if o.Scenario == scenario && o.Impl == impl {
			text := fmt.Sprintf("%d of %d", o.Violating, o.Orders)
			if o.Undecided > 0 {
				text += fmt.Sprintf(", %d undecided", o.Undecided)
			}
			if o.Complete {
				return text + ", complete"
			}
			return text + " so far"
		}
	}
	return ""
}
