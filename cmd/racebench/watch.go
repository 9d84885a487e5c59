package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/racebench/racebench/interleave"
)

// watchFlags show the orders of an exploration while they are run.
type watchFlags struct {
	on   bool
	pace time.Duration
}

func (w *watchFlags) add(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&w.on, "watch", false, "show each order as it is run, step by step at a human pace, in one process; Ctrl-C ends it")
	cmd.Flags().DurationVar(&w.pace, "pace", 300*time.Millisecond, "with --watch: how long a step is shown; 0 for no wait")
	must(cmd.RegisterFlagCompletionFunc("pace", cobra.FixedCompletions([]cobra.Completion{"100ms", "300ms", "1s"}, cobra.ShellCompDirectiveNoFileComp)))
}

// check refuses what can't be watched. A watched exploration is one of this process.
func (w *watchFlags) check(f *exploreFlags, given func(string) bool) error {
	switch {
	case given("pace") && !w.on:
		return usage("--watch", "--pace is for --watch")
	case w.pace < 0:
		return usage("--pace takes a duration of 0 or more: 300ms, 1s", "--pace %v is out of range", w.pace)
	case !w.on:
		return nil
	case f.json:
		return usage("leave one of them out", "--watch is for a person, and --json for a program")
	case f.campaign.shard != "" || f.campaign.shards != 0 || f.strategy == allStrategies:
		return usage("racebench explore A1 --watch", "--watch shows one exploration, not a shard and not a comparison")
	case given("jobs") && f.campaign.jobs != 1:
		return usage("leave --jobs out", "--watch shows what this process runs, and --jobs %d lets others run it", f.campaign.jobs)
	}
	f.campaign.jobs = 1
	return nil
}

// watcher shows one order after another.
type watcher struct {
	a      *app
	ctx    context.Context
	pace   time.Duration
	orders int
}

// show prints an order step by step. The world has ended already, so that a human pace costs it nothing.
func (w *watcher) show(res *interleave.Result) {
	w.orders++
	if w.ctx.Err() != nil {
		return
	}
	if w.a.stdout.terminal() {
		fmt.Fprint(w.a.stdout, "\x1b[H\x1b[2J") // from the top of an empty screen
	}
	fmt.Fprintf(w.a.stdout, "%s\n", w.a.paint(bold, fmt.Sprintf("order %d", w.orders)))
	table := plain(res.Trace.Table(interleave.TableOptions{Width: w.a.tableWidth(), ASCII: w.a.asciiOnly()}))
	head := 2 // the names of the columns and a line
	for i, line := range strings.Split(table, "\n") {
		if i >= head && startsStep(line) {
			w.wait(1)
		}
		if w.ctx.Err() != nil {
			return
		}
		fmt.Fprintln(w.a.stdout, line)
	}
	w.wait(1)
	for _, j := range res.Verdicts {
		w.a.printVerdict(j)
	}
	if res.Err != nil {
		fmt.Fprintln(w.a.stdout, plainLine(res.Err.Error()))
	}
	fmt.Fprintln(w.a.stdout)
	w.wait(3)
}

// startsStep reports whether a line of a table is the first of a step: it has a number.
func startsStep(line string) bool {
	first, _, _ := strings.Cut(line, " │")
	first, _, _ = strings.Cut(first, " |")
	return strings.ContainsAny(first, "0123456789")
}

// wait lets a person look, for some paces.
func (w *watcher) wait(paces int) {
	if w.pace <= 0 || w.a.stdout.closed() { // nobody looks any more
		return
	}
	timer := time.NewTimer(w.pace * time.Duration(paces))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-w.ctx.Done():
	}
}
