package main

import (
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"github.com/racebench/racebench/internal/report"
	"github.com/racebench/racebench/scenarios"
)

func newList(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the races",
		Example: "  racebench list\n  racebench list --json | jq '.scenarios[].id'",
		Args:    exactly(0, ""),
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return report.Encode(exact{a.stdout}, catalogue(scenarios.All()))
			}
			a.list()
			return nil
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the whole catalogue as JSON")
	return cmd
}

func (a *app) list() {
	t := a.newTable("", "name", "what goes wrong", "implementations")
	for _, s := range scenarios.All() {
		var names []string
		for _, c := range s.Cases {
			names = append(names, c.Impl)
		}
		t.AppendRow([]any{s.ID, s.Name, text.WrapSoft(s.Title, 60), strings.Join(names, ", ")})
	}
	a.printTable(t)
	fmt.Fprintln(a.stdout, "\nracebench show A1 tells the story of one, racebench run runs them.")
}

// catalogue describes scenarios for other programs.
func catalogue(list []*scenarios.Scenario) report.Catalogue {
	out := report.Catalogue{Head: report.Head{Schema: report.Schema, Kind: report.KindCatalogue}, Scenarios: []report.Scenario{}}
	for _, s := range list {
		d := report.Scenario{ID: s.ID, Name: s.Name, Subject: s.Subject, Title: s.Title, Story: s.Story, Window: s.Window, Limit: s.Limit}
		for _, c := range s.Cases {
			for i := range c.Variants {
				v := &c.Variants[i]
				d.Orders = append(d.Orders, report.Order{Impl: c.Impl, Variant: v.Name, Schedule: v.Schedule, Expected: expected(v)})
			}
		}
		out.Scenarios = append(out.Scenarios, d)
	}
	return out
}

// expected is what the catalogue says of one repeat.
func expected(v *scenarios.Variant) report.Expected {
	e := report.Expected{Shows: v.Shows, Counts: v.Counts, Measured: v.Measured}
	for _, b := range v.Breaks {
		e.Breaks = append(e.Breaks, report.Break(b))
	}
	return e
}
