package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/internal/report"
	"github.com/racebench/racebench/scenarios"
)

// hopeless is after how many trials without a find a strategy is given up. The result says how many trials there were.
const hopeless = 5

// compared are the strategies that --strategy all compares, the ones that draw nothing first.
var compared = []string{exhaustive, depthFirst, "portfolio", "random", "pct", "pos", "surw"}

// fixed are those of them that draw nothing: one trial stands for all.
func fixed(strategy string) bool { return strategy == exhaustive || strategy == depthFirst }

// timeToBug prints how many worlds each strategy runs until it finds the first violation.
func (a *app) timeToBug(ctx context.Context, f exploreFlags, words []string) error {
	races, err := chosenRaces(f, words)
	if err != nil {
		return err
	}
	ctx, free := f.until(ctx)
	defer free()
	runner, err := f.redis.open()
	if err != nil {
		return err
	}
	doc := report.TimeToBug{
		Head: report.Head{Schema: report.Schema, Kind: report.KindTimeToBug},
		Seed: f.seed, Trials: f.trials, Max: f.max, Rows: []report.Search{},
	}
	doc.Backend.Name, doc.Backend.Version = runner.Backend()
	var executions atomic.Int64
	stop := a.watchExploration(f, &executions, &live{})
	for _, r := range races {
		for _, strategy := range compared {
			row, err := r.search(ctx, runner, f, strategy, &executions)
			if err != nil {
				stop()
				runner.Close()
				return err
			}
			doc.Rows = append(doc.Rows, row)
		}
	}
	stop()
	if err := runner.Close(); err != nil {
		return err
	}
	return a.presentComparison(f.outputs, f.json, doc, func() { a.printTimeToBug(doc) })
}

// presentComparison is present for a comparison of strategies, which has no verdict.
func (a *app) presentComparison(o outputFlags, json bool, doc report.TimeToBug, person func()) error {
	if err := o.refuseVerdicts(); err != nil {
		return err
	}
	o.writes = map[string]func(io.Writer, any) error{"markdown": func(w io.Writer, _ any) error { return markdown(w, doc) }}
	return a.present(&o, json, &doc, person)
}

// refuseVerdicts refuses the formats that a comparison of strategies can't have.
func (o *outputFlags) refuseVerdicts() error {
	return o.refuse("a comparison of strategies has no verdict", "markdown", "html")
}

// race is a world in which strategies look for a violation.
type race struct {
	scenario *scenarios.Scenario
	variant  *scenarios.Variant
}

// chosenRaces are the first variants of the scenarios that words name, on the implementation that is asked for.
func chosenRaces(f exploreFlags, words []string) ([]race, error) {
	found, err := find(words...)
	if err != nil {
		return nil, err
	}
	if _, err := checkImpls([]string{f.impl}); err != nil {
		return nil, err
	}
	var races []race
	for _, s := range found {
		v, err := variant(s, f.impl, f.variant)
		if err != nil {
			return nil, err
		}
		if v, err = f.actors.apply(s, v); err != nil {
			return nil, err
		}
		races = append(races, race{s, v})
	}
	return races, nil
}

// budget is what the flags allow or, when they say nothing, what the race needs.
func (r race) budget(f exploreFlags) faultFlags {
	return f.budget.or(faultFlags{faults: r.variant.Faults, jumps: r.variant.Jumps})
}

// search runs the trials of one strategy.
func (r race) search(ctx context.Context, runner *interleave.Runner, f exploreFlags, strategy string, executions *atomic.Int64) (report.Search, error) {
	row := report.Search{
		Scenario: r.scenario.ID, Name: r.scenario.Name, Impl: f.impl, Variant: r.variant.Name, Actors: r.variant.Actors, Strategy: strategy,
	}
	budget := r.budget(f)
	row.Needs = budget.String()
	trials := f.trials
	if fixed(strategy) {
		trials = 1
	}
	var took []int
	for n := range trials {
		x, err := runner.ExploreWith(ctx, func(w *interleave.World) { r.variant.World(w, scenarios.Target) },
			interleave.Strategy(strategy), interleave.Seed(f.seed+uint64(n)), interleave.MaxExecutions(f.max), interleave.StopAtFirst(), interleave.Unexplained(),
			interleave.Faults(budget.faults), interleave.Jumps(budget.jumps...),
			interleave.Watch(func(interleave.Progress) { executions.Add(1) }))
		switch {
		case err != nil:
			return row, err
		case ctx.Err() != nil:
			return row, outOfTime(ctx, r, strategy)
		case x.Err != nil:
			return row, unjudged(fmt.Errorf("%s, strategy %s: %w", r.scenario.ID, strategy, x.Err))
		}
		if x.FirstAt > 0 {
			row.Found++
			took = append(took, x.FirstAt)
			continue
		}
		took = append(took, x.Executions)
		if row.Exhausted = x.Complete; x.Complete || row.Found == 0 && n+1 == hopeless {
			break
		}
	}
	row.Measure(took)
	return row, nil
}

// outOfTime is the error of a comparison that was not finished. A part of it would not be what the seed says.
func outOfTime(ctx context.Context, r race, strategy string) error {
	if context.Cause(ctx) == errInterrupted {
		return errInterrupted
	}
	return &failure{code: codeUndecided, text: fmt.Sprintf("%v: %s with strategy %s was under way", context.Cause(ctx), r.scenario.ID, strategy), hint: "fewer --trials or a smaller --max take less"}
}

// printTimeToBug prints one row for each strategy.
func (a *app) printTimeToBug(doc report.TimeToBug) {
	fmt.Fprintf(a.stdout, "executions to the first violation, on %s (%s); %d trials from seed %d, at most %d executions each\n\n",
		doc.Backend.Name, doc.Backend.Version, doc.Trials, doc.Seed, doc.Max)
	t := a.newTable("race", "strategy", "mean", "median", "deviation", "least", "most", "found")
	last := ""
	for _, row := range doc.Rows {
		name := strings.TrimSpace(row.Scenario + " " + row.Name + "\n" + row.Needs)
		if name == last {
			name = ""
		} else {
			last = name
		}
		t.AppendRow([]any{name, row.Strategy, bound(row, short2(row.Mean)), bound(row, short2(row.Median)), short2(row.Deviation), row.Least, row.Most, foundIn(row)})
	}
	a.printTable(t)
	fmt.Fprintf(a.stdout, "\n%s and %s draw nothing: one trial stands for all. > is a lower bound: a trial that found nothing counts with all that it ran.\n", exhaustive, depthFirst)
}

// bound marks a number that is too small.
func bound(row report.Search, text string) string {
	if row.Found < row.Trials && !row.Exhausted {
		return ">" + text
	}
	return text
}

func foundIn(row report.Search) string {
	if row.Exhausted {
		return "none is there"
	}
	return fmt.Sprintf("%d of %d", row.Found, row.Trials)
}

// short2 is a number with at most two decimals.
func short2(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// markdown writes one row for each race, with the mean of each strategy.
func markdown(w io.Writer, doc report.TimeToBug) error {
	t := table.NewWriter()
	header := table.Row{"race"}
	for _, s := range compared {
		header = append(header, s)
	}
	t.AppendHeader(header)
	for len(doc.Rows) > 0 {
		first := doc.Rows[0]
		name := first.Scenario + " " + first.Name
		if first.Needs != "" {
			name += " (" + first.Needs + ")"
		}
		row := table.Row{name}
		for _, r := range doc.Rows[:len(compared)] {
			row = append(row, cell(r))
		}
		t.AppendRow(row)
		doc.Rows = doc.Rows[len(compared):]
	}
	_, err := fmt.Fprintln(w, t.RenderMarkdown())
	return err
}

// cell is one strategy on one race: "4.1 (3; 1–12)", the mean, the median, the least and the most.
func cell(r report.Search) string {
	switch {
	case r.Exhausted:
		return "none is there"
	case r.Found == 0:
		return fmt.Sprintf(">%d (%s)", r.Most, foundIn(r))
	case r.Trials == 1:
		return strconv.Itoa(r.Most)
	}
	text := fmt.Sprintf("%s%.1f (%s; %d–%d)", bound(r, ""), r.Mean, short2(r.Median), r.Least, r.Most)
	if r.Found < r.Trials {
		text += ", " + foundIn(r)
	}
	return text
}
