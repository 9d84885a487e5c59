package main

import (
	"cmp"
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
	actors        actorsFlag
	within        time.Duration
	preemptions   int
	trials        int
	bounded       bool // --preemptions was given
	fingerprints  bool
	first, json   bool
	why           bool
	from          string     // what every order begins with, of racebench replay --mode prefix
	steps         int        // of it; 0 for all
	confirm       redisFlags // the second throwaway Redis; no spec: none
	serial        string     // level of the serial oracle; empty: none
	campaign      campaignFlags
	outputs       outputFlags
	watch         watchFlags
}

const (
	exhaustive    = "exhaustive" // the strategy that is used when none is named
	depthFirst    = "dfs"        // the other one that draws nothing
	allStrategies = "all"        // stands for each of them
)

// maxExecutions bounds --max and maxTrials --trials, as everything has a bound.
const (
	maxExecutions = 100_000_000
	maxTrials     = 10_000
)

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
		Use:   "explore A1 [X1 A* … with --strategy all]",
		Short: "Run one race in every inequivalent order",
		Long: "Runs the world of a race in every order of its commands, leaving out those that only swap commands about different\n" +
			"keys, the ones with the fewest preemptions first. Prints how many orders there are, how many violate each invariant,\n" +
			"and the shortest that does. The faults and moves of the clock that the race needs are choices too, each at every place;\n" +
			"--faults and --jump allow others, --faults none allows none.\n\n" +
			"Strategies:\n\n" + strategiesHelp() + "\n" +
			"Those that draw run as many worlds as --max says, may run an order twice, and never prove that all hold: without a\n" +
			"violation they end undecided (a portfolio, when its 500 were not all). The same seed gives the same exploration.\n\n" +
			"--strategy all compares them: how many worlds each runs until it finds the first violation, in --trials trials, of which\n" +
			"the n-th draws with the seed plus n. One that finds nothing in its first " + fmt.Sprint(hopeless) + " trials is given up. The faults and\n" +
			"jumps that a race of the catalogue needs are then allowed without being asked for.",
		Example: "  racebench explore A1\n" +
			"  racebench explore A1 --impl lua --redis process\n" +
			"  racebench explore A6 --impl setnx --json\n" +
			"  racebench explore A1 --confirm process\n" +
			"  racebench explore A1 --strategy pct --seed 7 --max 1000 --first\n" +
			"  racebench explore X1 --actors 4\n" +
			"  racebench explore X1 --actors 6 --for 30s --max 1000000\n" +
			"  racebench explore X4 --preemptions 1\n" +
			"  racebench explore A1 --watch\n" +
			"  racebench explore X1 --strategy all --trials 100\n" +
			"  racebench explore 'X*' 'A*' --strategy all --trials 20 --markdown -",
		Args:              atLeastOne("the scenario"),
		ValidArgsFunction: completeScenarios(-1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(cmd); err != nil {
				return err
			}
			if err := f.outputs.check(cmd, f.json); err != nil {
				return err
			}
			if f.strategy == allStrategies {
				if err := f.outputs.refuseVerdicts(); err != nil {
					return err
				}
				return a.timeToBug(cmd.Context(), f, args)
			}
			if len(args) > 1 {
				return usage("several scenarios are for --strategy all", "%q is one argument too many", args[1])
			}
			if f.campaign.shard != "" || f.campaign.shards != 0 {
				if err := f.outputs.refuse("a shard proves nothing about the whole; racebench merge --json has what racebench report reads"); err != nil {
					return err
				}
			}
			if err := f.campaign.check(cmd); err != nil {
				return err
			}
			return a.explore(cmd.Context(), f, args[0])
		},
	}
	cmd.Flags().StringVar(&f.impl, "impl", "naive", "implementation")
	cmd.Flags().StringVar(&f.variant, "variant", "", "variant of the world, where a scenario has several (default the first)")
	cmd.Flags().StringVar(&f.strategy, "strategy", exhaustive, "how orders are chosen: "+join(interleave.Strategies())+"; all compares them")
	f.actors.add(cmd)
	cmd.Flags().Uint64Var(&f.seed, "seed", 0, "what a strategy that draws depends on")
	cmd.Flags().IntVar(&f.max, "max", 10_000, "worlds to run at most; an exploration that needs more is undecided")
	cmd.Flags().DurationVar(&f.within, "for", 0, "real time to search at most, such as 30s; an exploration that needs more is undecided")
	cmd.Flags().IntVar(&f.preemptions, "preemptions", 0, "run only the orders in which an actor that could go on is interrupted at most so often (exhaustive only)")
	cmd.Flags().BoolVar(&f.fingerprints, "fingerprints", false, "cut the search where it meets a state again (exhaustive only): as many violations in fewer orders")
	cmd.Flags().IntVar(&f.trials, "trials", 100, "with --strategy all: how often each strategy searches")
	cmd.Flags().BoolVar(&f.first, "first", false, "stop at the first order that goes wrong")
	f.addOracles(cmd)
	f.addConfirm(cmd)
	f.redis.add(cmd)
	f.campaign.add(cmd)
	cmd.Flags().BoolVar(&f.json, "json", false, "print JSON only")
	f.outputs.add(cmd)
	f.watch.add(cmd)
	f.budget.add(cmd)
	a.addTalk(cmd)
	must(cmd.RegisterFlagCompletionFunc("impl", completeImpls))
	must(cmd.RegisterFlagCompletionFunc("variant", cobra.NoFileCompletions))
	must(cmd.RegisterFlagCompletionFunc("strategy", completeStrategies))
	for _, name := range []string{"seed", "max", "preemptions", "trials"} {
		must(cmd.RegisterFlagCompletionFunc(name, cobra.NoFileCompletions))
	}
	must(cmd.RegisterFlagCompletionFunc("for", cobra.FixedCompletions([]cobra.Completion{"30s", "10m", "1h"}, cobra.ShellCompDirectiveNoFileComp)))
	return cmd
}

// check refuses flags that say nothing or do not go together.
func (f *exploreFlags) check(cmd *cobra.Command) error {
	given := cmd.Flags().Changed
	f.bounded = given("preemptions")
	known := append(interleave.Strategies(), allStrategies)
	all := f.strategy == allStrategies
	switch {
	case f.max < 1 || f.max > maxExecutions:
		return usage(allowed(cmd.Flag("max")), "--max %d is out of range", f.max)
	case f.trials < 1 || f.trials > maxTrials:
		return usage(allowed(cmd.Flag("trials")), "--trials %d is out of range", f.trials)
	case f.preemptions < 0 || f.preemptions > maxExecutions:
		return usage(allowed(cmd.Flag("preemptions")), "--preemptions %d is out of range", f.preemptions)
	case given("for") && f.within <= 0:
		return usage(allowed(cmd.Flag("for")), "--for %v is out of range", f.within)
	case !slices.Contains(known, f.strategy):
		return usage(suggest(f.strategy, known, "it is one of "+join(known)), "unknown strategy %q", f.strategy)
	case given("seed") && (f.strategy == exhaustive || f.strategy == depthFirst):
		return usage("--strategy portfolio", "--seed is for a strategy that draws, not for %s", f.strategy)
	case f.fingerprints && f.strategy != exhaustive:
		return usage("leave one of them out", "--fingerprints is for the exhaustive search, not for %s", f.strategy)
	case f.bounded && f.strategy != exhaustive:
		return usage("leave one of them out", "--preemptions bounds the exhaustive search, not %s", f.strategy)
	case all && f.first:
		return usage("leave it out: every trial stops at the first", "--first says nothing with --strategy all")
	}
	if err := cmp.Or(f.checkOracles(), f.checkConfirm(), f.watch.check(f, given)); err != nil {
		return err
	}
	if given("trials") && !all {
		return usage("--strategy all", "--trials is for --strategy all, not for %s", f.strategy)
	}
	return nil
}

// until is a context that ends with the time that there is to search.
func (f *exploreFlags) until(ctx context.Context) (context.Context, func()) {
	if f.within <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, f.within, fmt.Errorf("--for %v is over", f.within))
}

// options are the options of the exploration.
func (f *exploreFlags) options() []interleave.Option {
	options := []interleave.Option{interleave.MaxExecutions(f.max), interleave.Strategy(f.strategy), interleave.Seed(f.seed)}
	if f.first {
		options = append(options, interleave.StopAtFirst())
	}
	if f.fingerprints {
		options = append(options, interleave.Fingerprints())
	}
	if f.bounded {
		options = append(options, interleave.Preemptions(f.preemptions))
	}
	if f.outputs.wants("html") {
		options = append(options, interleave.KeepOrders())
	}
	return f.budget.options(append(options, f.oracles()...))
}

func completeStrategies(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var out []cobra.Completion
	for _, s := range strategies {
		out = append(out, cobra.CompletionWithDesc(s.name, s.good))
	}
	out = append(out, cobra.CompletionWithDesc(allStrategies, "compares them"))
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

func (a *app) explore(ctx context.Context, f exploreFlags, word string) error {
	s, v, err := chosen(word, f.impl, f.variant)
	if err != nil {
		return err
	}
	if v, err = f.actors.apply(s, v); err != nil {
		return err
	}
	f.budget = race{s, v}.budget(f)
	search, free := f.until(ctx)
	defer free()
	options := append(f.options(), interleave.Until(search))
	if f.watch.on {
		shown := &watcher{a: a, ctx: search, pace: f.watch.pace}
		options = append(options, interleave.EachOrder(shown.show))
	}
	runner, err := f.redis.open(options...)
	if err != nil {
		return err
	}
	second, err := f.openConfirm()
	if err != nil {
		return errors.Join(err, runner.Close())
	}
	world := func(w *interleave.World) { v.World(w, scenarios.Target) }
	var executions atomic.Int64
	started := time.Now()
	var seen live
	stop := a.watchExploration(f, &executions, &seen)
	c := &campaign{live: &seen, campaignFlags: &f.campaign, a: a, name: s.ID + "-" + f.impl, runner: runner, ran: &executions, world: func(w *interleave.World) {
		executions.Add(1)
		world(w)
	}}
	if f.campaign.worker {
		stop()
		return errors.Join(c.serve(ctx), runner.Close())
	}
	x, err := c.run(ctx, search, s.ID)
	stop()
	if err != nil {
		return errors.Join(err, runner.Close(), second.close())
	}
	if c.mine != nil {
		return errors.Join(c.printShard(s.ID, f.json, x), runner.Close(), second.close())
	}
	return a.explored(ctx, f, s, v, runner, second, x, time.Since(started))
}

// explored prints what an exploration came to, and closes its runner.
func (a *app) explored(ctx context.Context, f exploreFlags, s *scenarios.Scenario, v *scenarios.Variant, runner *interleave.Runner, second *confirmer, x *interleave.Exploration, took time.Duration) (err error) {
	world := func(w *interleave.World) { v.World(w, scenarios.Target) }
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
	second.confirm(ctx, runner, x, world)
	tokens := tokensOf(ctx, runner, x, scenarios.Name(s, f.impl, v), world)
	name, version := runner.Backend()
	if err := errors.Join(runner.Close(), second.close()); err != nil && x.Err == nil {
		return err
	}
	a.note("%s %s; %s in %v", name, version, strings.ReplaceAll(x.Statistics(), "\n", "; "), took.Round(time.Millisecond))
	doc := exploration(f, s, v, x, decisions, tokens, second, report.Backend{Name: name, Version: version}, took)
	err = a.present(&f.outputs, f.json, &doc, func() {
		fmt.Fprintf(a.stdout, "%s %s, %s, on %s (%s)\n\n", s.ID, s.Name, title(f.impl, v), name, version)
		a.printExploration(f, s, v, x, tokens, second)
	})
	switch {
	case err != nil:
		return err
	case context.Cause(ctx) != nil:
		return context.Cause(ctx) // what is printed is a part
	case x.Err != nil:
		return unjudged(x.Err)
	case second.refuted() != nil:
		return second.refuted()
	case x.Outcome() == interleave.Violated:
		return silent(codeUnexpected)
	case x.Outcome() == interleave.Undecided:
		return silent(codeUndecided)
	case x.Serial != nil && x.Serial.NotSerial > 0:
		return silent(codeHint)
	}
	return nil
}
