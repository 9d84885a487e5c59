package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/internal/report"
	"github.com/racebench/racebench/scenarios"
)

const (
	green = text.FgGreen
	red   = text.FgRed
	bold  = text.Bold
)

// printRun prints a run for a person.
func (a *app) printRun(f runFlags, plan []*planned, doc *report.Run) {
	for _, line := range doc.Published {
		fmt.Fprintln(a.stdout, line)
	}
	if a.quiet {
		for _, p := range plan {
			a.printDifferences(p)
		}
		return
	}
	if len(doc.Published) > 0 {
		fmt.Fprintln(a.stdout)
	}
	a.printSummary(f, plan, doc.Orders)
	a.printRaces(f, plan, doc.Measurements)
	expected := 0
	for _, p := range plan {
		if p.result.AsExpected {
			expected++
		}
	}
	on := fmt.Sprintf("%s (%s)", doc.Backend.Name, doc.Backend.Version)
	if doc.Database.Name != "" {
		on += fmt.Sprintf(" and %s (%s)", doc.Database.Name, doc.Database.Version)
	}
	fmt.Fprintf(a.stdout, "\n%d of %d orders as expected on %s; results in %s\n", expected, len(plan), on, filepath.Join(f.out, report.RunFile))
}

// printSummary prints a table with one row for each race.
func (a *app) printSummary(f runFlags, plan []*planned, orders []report.Orders) {
	header := []any{"race"}
	for _, impl := range f.impl {
		header = append(header, impl+" shows")
	}
	fixed := 60 // the other columns
	if len(orders) > 0 {
		for _, impl := range f.impl {
			header = append(header, impl+" orders")
			fixed += 14
		}
	}
	t := a.newTable(append(header, "as expected", "time")...)
	const least, narrow = 20, 12 // below the least a cell is no help
	cell := max((a.width()-fixed)/len(f.impl), least)
	t.SetColumnConfigs([]table.ColumnConfig{{Number: len(header) + 2, Align: text.AlignRight}})
	for _, race := range byRace(plan) {
		row := []any{race[0].scenario.ID + " " + race[0].scenario.Name}
		right, took := true, time.Duration(0)
		for _, impl := range f.impl {
			row = append(row, shows(race, impl, cell))
		}
		if len(orders) > 0 {
			for _, impl := range f.impl {
				row = append(row, text.WrapSoft(ordersOf(orders, race[0].scenario.ID, impl), narrow))
			}
		}
		for _, p := range race {
			right = right && p.result.AsExpected
			took += p.took
		}
		word := a.paint(green, "yes")
		if !right {
			word = a.paint(red, "NO")
		}
		t.AppendRow(append(row, word, short(took)))
	}
	a.printTable(t)
	if len(orders) > 0 {
		fmt.Fprintln(a.stdout, "orders: how many violate an invariant, of all inequivalent ones; racebench explore shows them")
	}
}

// byRace cuts a plan into what belongs to one race.
func byRace(plan []*planned) [][]*planned {
	var out [][]*planned
	for i, p := range plan {
		if i == 0 || p.scenario != plan[i-1].scenario {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], p)
	}
	return out
}

// shows is what an implementation has shown in a race. The catalogue's words stand for what was found only where both
// agree. Each variant begins on a line of its own.
func shows(race []*planned, impl string, width int) string {
	var lines []string
	for _, p := range race {
		if p.impl != impl {
			continue
		}
		line := p.variant.Shows
		if !p.result.AsExpected {
			line = "not as expected, see below"
		}
		if p.variant.Name != "" {
			line = p.variant.Name + ": " + line
		}
		lines = append(lines, trimLines(text.WrapSoft(line, width)))
	}
	return strings.Join(lines, "\n")
}

// printRaces prints, for each race, the orders that violate something or are not as expected, or its first order when
// there is none; a line for each of the others.
func (a *app) printRaces(f runFlags, plan []*planned, measured []report.Measurement) {
	for _, race := range byRace(plan) {
		fmt.Fprintf(a.stdout, "\n%s\n", a.paint(bold, race[0].scenario.ID+" "+race[0].scenario.Name+": "+race[0].scenario.Title))
		violated := slices.ContainsFunc(race, func(p *planned) bool { return p.shown.Outcome() == interleave.Violated })
		for i, p := range race {
			if p.shown.Outcome() == interleave.Held && p.result.AsExpected && (violated || i > 0) {
				fmt.Fprintf(a.stdout, "\n%s: %s; every invariant holds\n", a.paint(bold, title(p.impl, p.variant)), p.variant.Shows)
				fmt.Fprintf(a.stdout, "replay:  %s\n", replayCommand(p.scenario, p.impl, p.variant, f.redis, p.variant.Schedule))
				continue
			}
			a.printOrder(f, p)
		}
		for _, m := range measured {
			if m.Scenario == race[0].scenario.ID {
				a.printMeasurement(m)
			}
		}
	}
}

// printOrder prints one order, step by step.
func (a *app) printOrder(f runFlags, p *planned) {
	fmt.Fprintf(a.stdout, "\n%s: %s\n", a.paint(bold, title(p.impl, p.variant)), oneLine(p.variant.Schedule))
	a.printWorld(p.shown, p.decision)
	if p.about != nil {
		about := *p.about
		about.Shrunk = nil // the race is told with the catalogue's order
		a.printStory(&about, p.shown)
	}
	if p.repeats > 1 {
		fmt.Fprintf(a.stdout, "in all:  %d repeats%s\n", p.repeats, totals(p.counts))
	}
	a.printDifferences(p)
	fmt.Fprintf(a.stdout, "replay:  %s\n", replayCommand(p.scenario, p.impl, p.variant, f.redis, p.variant.Schedule))
}

func totals(c scenarios.Counts) string {
	if len(c) == 0 {
		return ""
	}
	return ", " + c.String()
}

func (a *app) printDifferences(p *planned) {
	for _, d := range p.result.Differences {
		line, _, _ := strings.Cut(d, "\n")
		fmt.Fprintf(a.stdout, "%s %s on %s: %s\n", a.paint(red, "not as expected:"), p.scenario.ID, title(p.impl, p.variant), plainLine(line))
	}
}

// short is a duration with about three digits.
func short(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return d.Round(time.Microsecond).String()
	case d < time.Second:
		return d.Round(100 * time.Microsecond).String()
	}
	return d.Round(10 * time.Millisecond).String()
}

// printStory prints the class, the story and the simpler order of an explanation.
func (a *app) printStory(x *interleave.Explanation, shown *interleave.Result) {
	if a.quiet {
		return
	}
	if x.Class != "" {
		fmt.Fprintf(a.stdout, "class:   %s\n", x.Class)
	}
	if x.Story != "" {
		fmt.Fprintf(a.stdout, "story:   %s\n", plainLine(x.Story))
	}
	if s := x.Shorter(shown); s != "" {
		fmt.Fprintf(a.stdout, "shorter: %s\n", plainLine(s))
	}
}

func join(words []string) string { return strings.Join(words, ", ") }

func contains(list []string, word string) bool { return slices.Contains(list, word) }
