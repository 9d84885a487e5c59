package page

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/racebench/racebench/internal/diagram"
	"github.com/racebench/racebench/internal/report"
)

func newModel(document any, o Options) (*model, error) {
	bound := o.Bound
	if bound == 0 {
		bound = MaxBytes
	}
	m := &model{Bound: fmt.Sprintf("%.3g MB", float64(bound)/(1<<20))}
	b := &builder{m: m, o: o, left: bound - fixedBytes}
	if x, ok := document.(*report.TimeToBug); ok {
		m.Command, m.Backend, m.Plots = "racebench explore --strategy all", x.Backend, strategyPlots(x)
		return m, nil
	}
	sum, err := report.Summarize(document)
	if err != nil {
		return nil, err
	}
	m.Command, m.Backend = cmp.Or(o.Command, sum.Command), sum.Backend
	if run, ok := document.(*report.Run); ok {
		for i := range run.Measurements {
			m.Plots = append(m.Plots, measurementPlot(&run.Measurements[i]))
		}
		b.run(run)
	} else {
		b.findings(sum)
	}
	if x, ok := document.(*report.Exploration); ok {
		b.exploration(x)
	}
	return m, b.draw()
}

type builder struct {
	m    *model
	o    Options
	left int // bytes
}

// fixedBytes is more than a page with nothing in it has.
const fixedBytes = 24 << 10

func (b *builder) race(id, name string) *race {
	for _, r := range b.m.Races {
		if r.ID == id {
			return r
		}
	}
	r := &race{ID: id, Name: name}
	if b.o.About != nil {
		r.About = b.o.About(id)
	}
	b.m.Races = append(b.m.Races, r)
	return r
}

// add gives an entry the anchor that links to it, which stays the same as long as the entries before it do.
func (r *race) add(e *entry) {
	n := 1
	for _, other := range r.Cases {
		if other.Impl == e.Impl {
			n++
		}
	}
	e.ID = fmt.Sprintf("%s-%s-%d", r.ID, e.Impl, n)
	r.Cases = append(r.Cases, e)
}

// run makes an entry of each order of a run.
func (b *builder) run(d *report.Run) {
	for i := range d.Results {
		res := &d.Results[i]
		r := b.race(res.Scenario, res.Name)
		for k := range res.Runs {
			o := &res.Runs[k]
			e := &entry{Impl: res.Impl, Variant: res.Variant, Verdict: o.Outcome, Title: res.Expected.Shows, Schedule: o.Order, Unexpected: !res.AsExpected,
				Lines: slices.Clone(res.Differences), replay: replayOf(res.Scenario, res.Impl, res.Variant), seen: o, decision: res.Decision}
			e.Command = e.replay(o.Order)
			if k == 0 {
				e.Token = res.Token
			}
			if len(res.Runs) > 1 {
				e.Outcomes = fmt.Sprintf("%d outcomes of %d repeats; this is that of %s", len(res.Runs), res.Repeats, o.Repeats)
			}
			for j := range d.Orders {
				if w := &d.Orders[j]; w.Scenario == res.Scenario && w.Impl == res.Impl && w.Variant == res.Variant {
					e.Orders = w
				}
			}
			r.add(e)
		}
	}
	for _, r := range b.m.Races {
		r.pair()
	}
	for i := range d.Orders {
		w := &d.Orders[i]
		b.race(w.Scenario, "").space(w.Impl, w.Variant, w.Orders, w.Kept)
	}
}

// findings makes an entry of each finding of a document.
func (b *builder) findings(sum *report.Summary) {
	for _, c := range sum.Cases {
		for _, f := range c.Findings {
			e := &entry{Impl: c.Impl, Variant: f.Variant, Title: f.Title, Schedule: f.Schedule, Lines: slices.Clone(f.Lines), Command: f.Replay, Token: f.Token,
				seen: f.Seen, decision: f.Decision, Verdict: map[report.Grade]string{report.Passed: "held", report.Unknown: "undecided", report.Failed: "violated"}[f.Grade]}
			e.Verdict = cmp.Or(f.Outcome, e.Verdict)
			if f.Seen != nil {
				e.Schedule, e.Verdict = f.Seen.Order, f.Seen.Outcome
			}
			if b.o.Replay != nil {
				e.replay = b.o.Replay
			} else if sum.Command != "racebench fuzz" { // whose worlds only the command of a finding draws again
				e.replay = replayOf(c.Scenario, c.Impl, f.Variant)
			}
			b.race(c.Scenario, c.Name).add(e)
		}
	}
}

// exploration says how the orders of an exploration end.
func (b *builder) exploration(x *report.Exploration) {
	r := b.m.Races[0]
	for _, e := range r.Cases {
		e.Orders = &report.Orders{Violating: x.Violating, Orders: x.Orders, Complete: x.Exhausted, Faults: x.Faults}
	}
	for _, e := range x.Endings {
		c := class{Verdict: e.Outcome.String(), Orders: e.Orders, Percent: percent(e.Orders, x.Orders)}
		switch {
		case len(e.Violates) > 0:
			c.Name = strings.Join(e.Violates, ", ")
			if i := slices.IndexFunc(x.Violations, func(v report.Violation) bool { return v.Invariant == e.Violates[0] }); i >= 0 {
				c.Link = r.Cases[i].ID
			}
		case c.Verdict == "held":
			c.Name = "every invariant holds"
		default:
			c.Name = x.Reason
		}
		r.Classes = append(r.Classes, c)
	}
	r.Orders = x.Orders
	r.space(x.Impl, x.Variant, x.Orders, x.Kept)
}

// pair puts each broken version beside the fixed one, as far as there is one, with the same things at the same height.
func (r *race) pair() {
	var broken, fixed, out []*entry
	for _, e := range r.Cases {
		if e.Impl == "lua" {
			fixed = append(fixed, e)
		} else {
			broken = append(broken, e)
		}
	}
	for len(broken) > 0 || len(fixed) > 0 {
		if len(broken) > 0 && len(fixed) > 0 {
			broken[0].rows, fixed[0].rows = diagram.Align(broken[0].seen.Trace.Steps, fixed[0].seen.Trace.Steps)
		}
		if len(broken) > 0 {
			out, broken = append(out, broken[0]), broken[1:]
		}
		if len(fixed) > 0 {
			out, fixed = append(out, fixed[0]), fixed[1:]
		}
	}
	r.Cases = out
}

// replayOf makes the command that runs an order of a race again.
func replayOf(scenario, impl, variant string) func(order string) string {
	text := "racebench replay " + scenario + " --impl " + impl
	if variant != "" {
		text += " --variant " + quote(variant)
	}
	return func(order string) string { return text + " " + quote(order) }
}

func quote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// room takes some bytes of what the file may have, if there are so many.
func (b *builder) room(size int) bool {
	if size > b.left {
		return false
	}
	b.left -= size
	return true
}

// size is about how much a file takes for a value.
func size(v any) int {
	text, err := json.Marshal(v)
	if err != nil {
		return MaxBytes // it does not fit, and the template says why
	}
	return len(text)
}

// percent is a share, rounded up so that what is there is seen.
func percent(part, whole int) int {
	if whole == 0 {
		return 0
	}
	return (100*part + whole - 1) / whole
}

// Width is the share of the orders that violate, in percent.
func (m *model) Width(w *report.Orders) int { return percent(w.Violating, w.Orders) }
