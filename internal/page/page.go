// Package page makes one HTML file of a document of racebench: what was found, for a person to look at. The file needs
// nothing but itself, says its main facts without JavaScript, and is the same bytes for the same document.
package page

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/racebench/racebench/internal/diagram"
	"github.com/racebench/racebench/internal/report"
)

// MaxBytes bounds what traces and pictures add to a file. What is left out is said, with the command that shows it.
const MaxBytes = 16 << 20

// Options are what a document does not say itself. The zero value leaves it out.
type Options struct {
	About func(scenario string) About // the race
	Line  func(caller string) string  // the line of source at file:line
	Bound int                         // instead of MaxBytes
}

// About is what the catalogue says of a race.
type About struct{ Subject, Title, Story string }

//go:embed page.html page.css page.js
var files embed.FS

// Write makes the file of a *report.Run, *report.Replay, *report.Exploration or *report.Fuzz.
func Write(w io.Writer, document any, o Options) error {
	m, err := newModel(document, o)
	if err != nil {
		return err
	}
	css, err := files.ReadFile("page.css")
	if err != nil {
		return err
	}
	js, err := files.ReadFile("page.js")
	if err != nil {
		return err
	}
	t, err := template.New("page.html").Funcs(template.FuncMap{
		"css": func() template.CSS { return template.CSS(string(css) + diagram.Style) },
		"js":  func() template.JS { return template.JS(js) },
	}).ParseFS(files, "page.html")
	if err != nil {
		return err
	}
	return t.Execute(w, m)
}

type model struct {
	Command  string
	Backend  report.Backend
	Races    []*race
	Left     int // cases whose trace is left out
	Bound    int // MB
	Measures []report.Measurement
}

type race struct {
	ID, Name string
	About
	Cases []*entry
}

// entry is one implementation, or one order of it, with its trace where there is one.
type entry struct {
	ID, Impl, Variant, Verdict, Title, Schedule, Command string
	Unexpected                                           bool
	Lines                                                []string
	Decides                                              string
	Flipped                                              *flipped
	Classes                                              string // of invariants that are violated
	Orders                                               *report.Orders
	Outcomes                                             string
	Picture                                              template.HTML
	Data                                                 *data
	Last                                                 int

	replay func(order string) string // the command that runs an order of this race
}

// data is what the page needs to go from step to step.
type data struct {
	Before   []report.Key      `json:"before"`
	Steps    []report.Step     `json:"steps"`
	Verdicts []report.Verdict  `json:"verdicts"`
	Lines    map[string]string `json:"lines"`
}

func newModel(document any, o Options) (*model, error) {
	sum, err := report.Summarize(document)
	if err != nil {
		return nil, err
	}
	bound := o.Bound
	if bound == 0 {
		bound = MaxBytes
	}
	m := &model{Command: sum.Command, Backend: sum.Backend, Bound: bound >> 20}
	b := &builder{m: m, o: o, left: bound}
	switch d := document.(type) {
	case *report.Run:
		m.Measures = d.Measurements
		return m, b.run(d)
	case *report.Replay:
		f := sum.Cases[0].Findings[0]
		e := &entry{Impl: d.Impl, Variant: d.Variant, Verdict: d.Outcome, Title: d.Class, Schedule: d.Order, Lines: f.Lines, Command: f.Replay, replay: replayOf(d.Scenario, d.Impl, d.Variant)}
		b.race(d.Scenario, d.Name).add(e)
		return m, b.trace(e, &d.Observed, d.Decision)
	}
	for _, c := range sum.Cases {
		for _, f := range c.Findings {
			verdict := map[report.Grade]string{report.Passed: "held", report.Unknown: "undecided", report.Failed: "violated"}[f.Grade]
			b.race(c.Scenario, c.Name).add(&entry{Impl: c.Impl, Variant: f.Variant, Verdict: verdict, Title: f.Title, Schedule: f.Schedule, Lines: f.Lines, Command: f.Replay})
		}
	}
	if x, ok := document.(*report.Exploration); ok {
		orders := &report.Orders{Violating: x.Violating, Orders: x.Orders, Complete: x.Exhausted, Faults: x.Faults}
		for _, e := range m.Races[0].Cases {
			e.Orders = orders
		}
	}
	return m, nil
}

type builder struct {
	m    *model
	o    Options
	left int // bytes
}

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

func (b *builder) run(d *report.Run) error {
	for i := range d.Results {
		res := &d.Results[i]
		for k := range res.Runs {
			o := &res.Runs[k]
			e := &entry{Impl: res.Impl, Variant: res.Variant, Verdict: o.Outcome, Title: res.Expected.Shows, Schedule: o.Order, Unexpected: !res.AsExpected,
				Lines: res.Differences, replay: replayOf(res.Scenario, res.Impl, res.Variant)}
			e.Command = e.replay(o.Order)
			if len(res.Runs) > 1 {
				e.Outcomes = fmt.Sprintf("%d outcomes of %d repeats; this is that of %s", len(res.Runs), res.Repeats, o.Repeats)
			}
			r := b.race(res.Scenario, res.Name)
			for j := range d.Orders {
				if w := &d.Orders[j]; w.Scenario == res.Scenario && w.Impl == res.Impl && w.Variant == res.Variant {
					e.Orders = w
				}
			}
			r.add(e)
			if err := b.trace(e, o, res.Decision); err != nil {
				return err
			}
		}
	}
	for _, r := range b.m.Races {
		r.pair()
	}
	return nil
}

// pair puts each broken version beside the fixed one, as far as there is one.
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

// trace gives an entry its picture and what time travel needs, while there is room.
func (b *builder) trace(e *entry, o *report.Observed, decision *report.Decision) (err error) {
	var opts diagram.Options
	opts.Inline, opts.Title = true, "Space-time diagram of "+e.ID
	var classes []string
	for _, v := range o.Verdicts {
		if v.Outcome == "violated" {
			opts.Broken = append(opts.Broken, v.Step)
			classes = append(classes, v.Invariant)
			e.Lines = append(e.Lines, fmt.Sprintf("%s: violated after step %d. %s", v.Invariant, v.Step, v.Detail))
		}
	}
	if o.Error != "" {
		e.Lines = append(e.Lines, o.Error)
	}
	e.Classes = strings.Join(classes, "|")
	if decision != nil && o.Outcome == "violated" {
		opts.Decide, e.Decides = decision.Steps, decision.Text
		if e.Flipped, err = b.flip(e, decision); err != nil {
			return err
		}
	}
	var svg bytes.Buffer
	if err = diagram.SVG(&svg, &o.Trace, opts); err != nil {
		return err
	}
	d := &data{Before: o.Trace.Before, Steps: o.Trace.Steps, Verdicts: o.Verdicts, Lines: map[string]string{}}
	if b.o.Line != nil {
		for _, s := range d.Steps {
			if s.Caller != "" {
				d.Lines[s.Caller] = b.o.Line(s.Caller)
			}
		}
	}
	if !b.room(svg.Len() + d.size()) {
		b.m.Left++
		return nil
	}
	e.Picture, e.Data, e.Last = template.HTML(svg.String()), d, len(d.Steps)
	return nil
}
