package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/internal/report"
	"github.com/racebench/racebench/scenarios"
)

type exploreFlags struct {
	redis         redisFlags
	impl, variant string
	max           int
	json          bool
}

func newExplore(a *app) *cobra.Command {
	var f exploreFlags
	cmd := &cobra.Command{
		Use:   "explore A1",
		Short: "Run one race in every inequivalent order",
		Long: "Runs the world of a race in every order of its commands, leaving out those that only swap commands about different\n" +
			"keys, the ones with the fewest preemptions first. Prints how many orders there are, how many violate each invariant,\n" +
			"and the first that does. Faults and clock moves of the catalogue's own order are not part of it.",
		Example: "  racebench explore A1\n" +
			"  racebench explore A1 --impl lua --redis process\n" +
			"  racebench explore A6 --impl setnx --json",
		Args:              exactly(1, "the scenario"),
		ValidArgsFunction: completeScenarios(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.max < 1 {
				return usage("--max 10000", "--max %d: at least 1", f.max)
			}
			return a.explore(cmd.Context(), f, args[0])
		},
	}
	cmd.Flags().StringVar(&f.impl, "impl", "naive", "implementation")
	cmd.Flags().StringVar(&f.variant, "variant", "", "variant of the world, where a scenario has several (default the first)")
	cmd.Flags().IntVar(&f.max, "max", 10_000, "worlds to run at most; an exploration that needs more is undecided")
	f.redis.add(cmd)
	cmd.Flags().BoolVar(&f.json, "json", false, "print JSON only")
	must(cmd.RegisterFlagCompletionFunc("impl", completeImpls))
	must(cmd.RegisterFlagCompletionFunc("variant", cobra.NoFileCompletions))
	must(cmd.RegisterFlagCompletionFunc("max", cobra.NoFileCompletions))
	return cmd
}

func (a *app) explore(ctx context.Context, f exploreFlags, word string) error {
	s, err := findOne(word)
	if err != nil {
		return err
	}
	if _, err := checkImpls([]string{f.impl}); err != nil {
		return err
	}
	v, err := variant(s, f.impl, f.variant)
	if err != nil {
		return err
	}
	runner, err := f.redis.open(interleave.MaxExecutions(f.max))
	if err != nil {
		return err
	}
	world := func(w *interleave.World) { v.World(w, scenarios.Target) }
	started := time.Now()
	x := runner.Explore(ctx, world)
	took := time.Since(started)
	decisions := make([]*interleave.Decision, len(x.Found))
	for i, found := range x.Found {
		if ctx.Err() == nil && found.First.Err == nil {
			decisions[i] = runner.Decide(found.First, world)
		}
	}
	name, version := runner.Backend()
	if err := runner.Close(); err != nil && x.Err == nil {
		return err
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if f.json {
		err = report.Encode(a.stdout, exploration(f, s, v, x, decisions, report.Backend{Name: name, Version: version}, took))
	} else {
		fmt.Fprintf(a.stdout, "%s %s, %s, on %s (%s)\n\n", s.ID, s.Name, title(f.impl, v), name, version)
		a.printExploration(f, s, v, x, decisions)
	}
	switch {
	case err != nil:
		return err
	case x.Err != nil:
		return unjudged(x.Err)
	case x.Outcome() == interleave.Violated:
		return silent(codeUnexpected)
	case x.Outcome() == interleave.Undecided:
		return silent(codeUndecided)
	}
	return nil
}

func (a *app) printExploration(f exploreFlags, s *scenarios.Scenario, v *scenarios.Variant, x *interleave.Exploration, decisions []*interleave.Decision) {
	fmt.Fprintf(a.stdout, "%s\n%d executions, %d of them cut short because their orders were explored already\n", x, x.Executions, x.Pruned)
	for i, found := range x.Found {
		fmt.Fprintf(a.stdout, "\n%s in %d of %d orders; the first, with the fewest preemptions:\n", a.paint(red, fmt.Sprintf("violated: %q", found.What)), found.Orders, x.Orders)
		res := found.First
		if i > 0 && res == x.Found[0].First {
			fmt.Fprintln(a.stdout, "the order shown above")
			continue
		}
		a.printWorld(res, decisions[i])
		fmt.Fprintf(a.stdout, "replay:  %s\n", replayCommand(s, f.impl, v, f.redis, res.Trace.Schedule().String()))
	}
}

// exploration is the document of racebench explore.
func exploration(f exploreFlags, s *scenarios.Scenario, v *scenarios.Variant, x *interleave.Exploration, decisions []*interleave.Decision, b report.Backend, took time.Duration) report.Exploration {
	doc := report.Exploration{
		Head:       report.Head{Schema: report.Schema, Kind: report.KindExploration},
		Backend:    b,
		Scenario:   s.ID,
		Name:       s.Name,
		Impl:       f.impl,
		Variant:    v.Name,
		Strategy:   "exhaustive",
		Executions: x.Executions,
		Orders:     x.Orders,
		Pruned:     x.Pruned,
		Violating:  x.Violating,
		Exhausted:  x.Complete,
		Verdict:    x.Outcome(),
		Reason:     x.Bound,
		PerSecond:  float64(x.Executions) / took.Seconds(),
	}
	if x.Err != nil {
		doc.Reason = x.Err.Error()
	}
	for i, found := range x.Found {
		doc.Violations = append(doc.Violations, report.Violation{
			Invariant: found.What,
			Orders:    found.Orders,
			Schedule:  found.First.Trace.Schedule().String(),
			Steps:     len(found.First.Trace.Steps),
			Decision:  decided(decisions[i]),
		})
	}
	return doc
}
