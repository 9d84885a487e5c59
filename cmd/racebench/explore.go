package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/internal/report"
	"github.com/racebench/racebench/scenarios"
)

type exploreFlags struct {
	redis         redisFlags
	budget        faultFlags
	impl, variant string
	strategy      string
	seed          uint64
	max           int
	first, json   bool
	why           bool
	serial        string // level of the serial oracle; empty: none
	campaign      campaignFlags
}

// exhaustive is the strategy that is used when none is named.
const exhaustive = "exhaustive"

// maxExecutions bounds --max, as everything has a bound.
const maxExecutions = 100_000_000

// strategies says what each is good for; the text of the help and the completion.
var strategies = []struct{ name, good string }{
	{exhaustive, "every inequivalent order, the fewest preemptions first: proves that all hold"},
	{"portfolio", "500 worlds of the exhaustive search, then surw, pct and pos in turn: for worlds too large to exhaust"},
	{"random", "each step equally likely: quick, but some orders hardly ever come"},
	{"pct", "few preemptions at random places: finds races that need few of them, with a known least probability"},
	{"pos", "priorities, drawn anew where commands meet on a key: for races between commands about the same keys"},
	{"surw", "by how many steps each actor has left: nearly uniform over the orders, good for actors of unequal length"},
	{"dfs", "every order, equivalent ones too, the last choice changed first: for comparison"},
}

func strategiesHelp() string {
	var b strings.Builder
	for _, s := range strategies {
		fmt.Fprintf(&b, "  %-10s  %s\n", s.name, s.good)
	}
	return b.String()
}

func newExplore(a *app) *cobra.Command { return newExploreOf(a, nil) }

// newExploreOf is the command for parts that have been explored already, if there are any.
func newExploreOf(a *app, parts []report.Parts) *cobra.Command {
	f := exploreFlags{campaign: campaignFlags{merged: parts}}
	cmd := &cobra.Command{
		Use:   "explore A1",
		Short: "Run one race in every inequivalent order",
		Long: "Runs the world of a race in every order of its commands, leaving out those that only swap commands about different\n" +
			"keys, the ones with the fewest preemptions first. Prints how many orders there are, how many violate each invariant,\n" +
			"and the first that does. Faults and clock moves of the catalogue's own order are not part of it; see --faults, --jump.\n\n" +
			"Strategies:\n\n" + strategiesHelp() + "\n" +
			"Those that draw run as many worlds as --max says, may run an order twice, and never prove that all hold: without a\n" +
			"violation they end undecided (a portfolio, when its 500 were not all). The same seed gives the same exploration.",
		Example: "  racebench explore A1\n" +
			"  racebench explore A1 --impl lua --redis process\n" +
			"  racebench explore A6 --impl setnx --json\n" +
			"  racebench explore A1 --strategy pct --seed 7 --max 1000 --first",
		Args:              exactly(1, "the scenario"),
		ValidArgsFunction: completeScenarios(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.max < 1 || f.max > maxExecutions {
				return usage(allowed(cmd.Flag("max")), "--max %d is out of range", f.max)
			}
			if known := interleave.Strategies(); !slices.Contains(known, f.strategy) {
				return usage(suggest(f.strategy, known, "it is one of "+join(known)), "unknown strategy %q", f.strategy)
			}
			if err := f.checkOracles(); err != nil {
				return err
			}
			if cmd.Flags().Changed("seed") && f.strategy == exhaustive {
				return usage("--strategy portfolio", "--seed is for a strategy that draws, not for %s", f.strategy)
			}
			if err := f.campaign.check(cmd); err != nil {
				return err
			}
			return a.explore(cmd.Context(), f, args[0])
		},
	}
	cmd.Flags().StringVar(&f.impl, "impl", "naive", "implementation")
	cmd.Flags().StringVar(&f.variant, "variant", "", "variant of the world, where a scenario has several (default the first)")
	cmd.Flags().StringVar(&f.strategy, "strategy", exhaustive, "how orders are chosen: "+join(interleave.Strategies()))
	cmd.Flags().Uint64Var(&f.seed, "seed", 0, "what a strategy that draws depends on")
	cmd.Flags().IntVar(&f.max, "max", 10_000, "worlds to run at most; an exploration that needs more is undecided")
	cmd.Flags().BoolVar(&f.first, "first", false, "stop at the first order that goes wrong")
	f.addOracles(cmd)
	f.redis.add(cmd)
	f.campaign.add(cmd)
	cmd.Flags().BoolVar(&f.json, "json", false, "print JSON only")
	f.budget.add(cmd)
	must(cmd.RegisterFlagCompletionFunc("impl", completeImpls))
	must(cmd.RegisterFlagCompletionFunc("variant", cobra.NoFileCompletions))
	must(cmd.RegisterFlagCompletionFunc("strategy", completeStrategies))
	must(cmd.RegisterFlagCompletionFunc("seed", cobra.NoFileCompletions))
	must(cmd.RegisterFlagCompletionFunc("max", cobra.NoFileCompletions))
	return cmd
}

func completeStrategies(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var out []cobra.Completion
	for _, s := range strategies {
		out = append(out, cobra.CompletionWithDesc(s.name, s.good))
	}
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

func (a *app) explore(ctx context.Context, f exploreFlags, word string) error {
	s, v, err := chosen(word, f.impl, f.variant)
	if err != nil {
		return err
	}
	options := []interleave.Option{interleave.MaxExecutions(f.max), interleave.Strategy(f.strategy), interleave.Seed(f.seed)}
	options = append(options, f.oracles()...)
	if f.first {
		options = append(options, interleave.StopAtFirst())
	}
	runner, err := f.redis.open(f.budget.options(options)...)
	if err != nil {
		return err
	}
	world := func(w *interleave.World) { v.World(w, scenarios.Target) }
	var executions atomic.Int64
	started := time.Now()
	stop := a.watchExploration(f, &executions)
	c := &campaign{campaignFlags: &f.campaign, a: a, name: s.ID + "-" + f.impl, runner: runner, ran: &executions, world: func(w *interleave.World) {
		executions.Add(1)
		world(w)
	}}
	if f.campaign.worker {
		stop()
		return errors.Join(c.serve(ctx), runner.Close())
	}
	x, err := c.run(ctx, s.ID)
	stop()
	if err != nil {
		return errors.Join(err, runner.Close())
	}
	if c.mine != nil {
		return errors.Join(c.printShard(s.ID, f.json, x), runner.Close())
	}
	took := time.Since(started)
	x.Bound = strings.ReplaceAll(x.Bound, "MaxExecutions", "--max") // as it is called here
	if context.Cause(ctx) != nil && x.Err != nil {
		return context.Cause(ctx) // the signal may have reached the server too
	}
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
	if f.json {
		err = report.Encode(a.stdout, exploration(f, s, v, x, decisions, report.Backend{Name: name, Version: version}, took))
	} else {
		fmt.Fprintf(a.stdout, "%s %s, %s, on %s (%s)\n\n", s.ID, s.Name, title(f.impl, v), name, version)
		a.printExploration(f, s, v, x, decisions)
	}
	switch {
	case err != nil:
		return err
	case context.Cause(ctx) != nil:
		return context.Cause(ctx) // what is printed is a part
	case x.Err != nil:
		return unjudged(x.Err)
	case x.Outcome() == interleave.Violated:
		return silent(codeUnexpected)
	case x.Outcome() == interleave.Undecided:
		return silent(codeUndecided)
	case x.Serial != nil && x.Serial.NotSerial > 0:
		return silent(codeHint)
	}
	return nil
}

func (a *app) printExploration(f exploreFlags, s *scenarios.Scenario, v *scenarios.Variant, x *interleave.Exploration, decisions []*interleave.Decision) {
	fmt.Fprintf(a.stdout, "%s\n%d executions%s%s\n", plain(x.String()), x.Executions, f.drawn(), pruned(x))
	a.printWindows(x)
	a.printSerial(f, s, v, x)
	if x.Coverage != nil {
		fmt.Fprintf(a.stdout, "\n%s\n", plain(x.Coverage.String()))
	}
	for i, found := range x.Found {
		fmt.Fprintf(a.stdout, "\n%s in %d of %d orders; the first%s:\n", a.paint(red, fmt.Sprintf("violated: %q", found.What)), found.Orders, x.Orders, f.order())
		if found.Shrunk == nil {
			res := found.First
			if i > 0 && res == x.Found[0].First {
				fmt.Fprintln(a.stdout, "the order shown above")
				continue
			}
			a.printWorld(res, nil)
			fmt.Fprintf(a.stdout, "replay:  %s\n", plain(replayCommand(s, f.impl, v, f.redis, res.Trace.Schedule().String())))
			continue
		}
		a.printWorld(found.Shrunk, found.Decision)
		a.printStory(&found.Explanation, found.Shrunk)
		fmt.Fprintf(a.stdout, "replay:  %s\n", plain(replayCommand(s, f.impl, v, f.redis, found.Shrunk.Trace.Schedule().String())))
	}
}

// drawn says what orders have been drawn with.
func (f exploreFlags) drawn() string {
	if f.strategy == exhaustive {
		return ""
	}
	return fmt.Sprintf(" with strategy %s and seed %d", f.strategy, f.seed)
}

// order says which order is found first.
func (f exploreFlags) order() string {
	if f.strategy == exhaustive {
		return ", with the fewest preemptions"
	}
	return " found"
}

func pruned(x *interleave.Exploration) string {
	if x.Pruned == 0 {
		return ""
	}
	return fmt.Sprintf(", %d of them cut short because their orders were explored already", x.Pruned)
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
		Strategy:   f.strategy,
		Executions: x.Executions,
		Orders:     x.Orders,
		Pruned:     x.Pruned,
		Undecided:  x.Undecided,
		Violating:  x.Violating,
		FirstAt:    x.FirstAt,
		Exhausted:  x.Complete,
		Verdict:    x.Outcome(),
		Reason:     x.Bound,
		PerSecond:  float64(x.Executions) / took.Seconds(),
	}
	if f.strategy != exhaustive {
		doc.Seed = &f.seed
	}
	switch {
	case x.Err != nil:
		doc.Reason = x.Err.Error()
	case doc.Reason == "":
		doc.Reason = x.Why
	}
	observed(&doc, x)
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
