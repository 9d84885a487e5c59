package main

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/racebench/racebench/internal/report"
	"github.com/racebench/racebench/scenarios"
)

// measurements measures what the planned races are measured by. A value other than the catalogue's makes its order not as
// expected.
func (m *measurer) measurements(ctx context.Context, plan []*planned) ([]report.Measurement, error) {
	var out []report.Measurement
	for _, race := range byRace(plan) {
		measures := race[0].scenario.Measurement
		if measures == nil {
			continue
		}
		x := report.Measurement{Scenario: race[0].scenario.ID, Title: measures.Title, X: measures.X, Unit: measures.Unit}
		for _, p := range race {
			if p.variant.Measured == nil {
				continue
			}
			x.Series = append(x.Series, report.Series{Impl: p.impl, Variant: p.variant.Name})
			for i, actors := range p.variant.Measures() {
				if err := context.Cause(ctx); err != nil {
					return nil, err
				}
				value, err := measures.Measure(m.runner, p.variant, actors)
				if err != nil {
					return nil, fmt.Errorf("%s on %s: %w", p.scenario.ID, title(p.impl, p.variant), err)
				}
				if want := p.variant.Measured[actors]; value != want {
					p.result.AsExpected = false
					p.result.Differences = append(p.result.Differences, fmt.Sprintf("%s: %d: %s, the catalogue expects %s",
						measures.X, actors, withUnit(value, measures.Unit), withUnit(want, measures.Unit)))
				}
				if i == len(x.Rows) {
					x.Rows = append(x.Rows, report.Row{Actors: actors})
				}
				x.Rows[i].Values = append(x.Rows[i].Values, value)
			}
		}
		out = append(out, x)
	}
	return out, nil
}

func withUnit(value float64, unit string) string {
	return strconv.FormatFloat(value, 'g', -1, 64) + " " + unit
}

// measured is what a measurement must give: "2, 10, 40 s with 1, 5, 20 requests".
func measured(m *scenarios.Measurement, v *scenarios.Variant) string {
	var values, actors []string
	for _, n := range v.Measures() {
		values, actors = append(values, strconv.FormatFloat(v.Measured[n], 'g', -1, 64)), append(actors, strconv.Itoa(n))
	}
	return fmt.Sprintf("%s %s with %s %s", join(values), m.Unit, join(actors), m.X)
}

// printMeasurement prints a measurement as a table and as bars.
func (a *app) printMeasurement(m report.Measurement) {
	fmt.Fprintf(a.stdout, "\n%s\n", a.paint(bold, "measured: "+m.Title))
	header, names, most, widest := []any{m.X}, []string(nil), 0.0, 0
	for _, s := range m.Series {
		name := title(s.Impl, &scenarios.Variant{Name: s.Variant})
		header, names, widest = append(header, name), append(names, name), max(widest, len(name))
	}
	t := a.newTable(header...)
	aligned := make([]table.ColumnConfig, len(header))
	for i := range aligned {
		aligned[i] = table.ColumnConfig{Number: i + 1, Align: text.AlignRight}
	}
	t.SetColumnConfigs(aligned)
	for _, r := range m.Rows {
		row := []any{r.Actors}
		for _, v := range r.Values {
			row, most = append(row, withUnit(v, m.Unit)), max(most, v)
		}
		t.AppendRow(row)
	}
	a.printTable(t)
	const longest = 40 // of a bar
	for _, r := range m.Rows {
		fmt.Fprintf(a.stdout, "\n%s: %d\n", m.X, r.Actors)
		for i, v := range r.Values {
			bar := 0
			if most > 0 {
				bar = int(math.Round(v / most * longest))
			}
			fmt.Fprintf(a.stdout, "  %-*s  %s %s\n", widest, names[i], strings.Repeat("█", bar), withUnit(v, m.Unit))
		}
	}
}
