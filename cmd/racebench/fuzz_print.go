package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/interleave/schedule"
	"github.com/racebench/racebench/internal/report"
	"github.com/racebench/racebench/scenarios"
)

// printFuzz prints campaigns for a person.
func (a *app) printFuzz(f fuzzFlags, hunts []*hunt, backend string) {
	for i, h := range hunts {
		if i > 0 {
			fmt.Fprintln(a.stdout)
		}
		fmt.Fprintf(a.stdout, "%s\n", a.paint(bold, fmt.Sprintf("drawn worlds, %s, on %s, seed %d, faults %s", h.impl, backend, f.seed, f.faults)))
		for _, c := range h.found {
			fmt.Fprintf(a.stdout, "%s: found after %d worlds\n", c.title(), c.after)
		}
		fmt.Fprintf(a.stdout, "%s\n", plainLine(h.String()))
	}
	for _, h := range hunts {
		for _, c := range h.found {
			fmt.Fprintf(a.stdout, "\n%s\n", a.paint(bold, c.title()+", "+h.impl))
			a.printCatch(h, c)
		}
	}
}

// title names the race of a finding.
func (c catch) title() string {
	if c.race == "" {
		return fmt.Sprintf("no race of the catalogue, %q", c.kind())
	}
	s, err := findOne(c.race)
	must(err)
	return s.ID + " " + s.Name
}

// String says what a campaign came to.
func (h *hunt) String() string {
	ran := fmt.Sprintf("%d worlds of %d shapes", h.worlds, h.shapes)
	if h.undecided > 0 {
		ran += fmt.Sprintf(", %d of them undecided", h.undecided)
	}
	missing := h.missing()
	switch {
	case h.wanted == nil && len(h.found) == 0:
		return fmt.Sprintf("nothing found in %s; ended by %s", ran, h.ended)
	case h.wanted == nil:
		return fmt.Sprintf("%d found in %s, and nothing may be; ended by %s", len(h.found), ran, h.ended)
	case len(missing) > 0:
		return fmt.Sprintf("%d of %d races found in %s; not %s; ended by %s", len(h.wanted)-len(missing), len(h.wanted), ran, join(missing), h.ended)
	}
	return fmt.Sprintf("all %d races found in %s", len(h.wanted), ran)
}

func (a *app) printCatch(h *hunt, c catch) {
	fmt.Fprintf(a.stdout, "%s\n", plain(c.world.String()))
	// What else the invariants came to is of no use: the order ends where this one is violated.
	res := *c.shown()
	res.Verdicts = slices.DeleteFunc(slices.Clone(res.Verdicts), func(j interleave.Judged) bool { return j.Outcome != interleave.Violated })
	a.printWorld(&res, c.Decision)
	if c.Shrunk != nil {
		a.printStory(&c.Explanation, c.Shrunk)
	}
	fmt.Fprintf(a.stdout, "replay:  %s\n", plain(h.replay(c)))
}

// parts are the actors that take part; nil for all.
func (c catch) parts(h *hunt) []string {
	if c.only != nil {
		return c.only
	}
	return h.only
}

// replay is the command line that shows a finding again.
func (h *hunt) replay(c catch) string {
	more := ""
	if only := strings.Join(c.parts(h), ","); only != "" {
		more = " --only " + only
	}
	if h.faults != "crash:1,jump:2" {
		more += " --faults " + shellQuote(h.faults)
	}
	return fmt.Sprintf("racebench fuzz --impl %s --seed %d --shape %d%s%s --order %s", h.impl, h.seed, c.shape, more, h.redis.typed(), shellQuote(c.shown().Trace.Schedule().String()))
}

// fuzzOne runs one drawn world again: the orders that the campaign runs, or one of the user's.
func (a *app) fuzzOne(ctx context.Context, f fuzzFlags, runner *interleave.Runner) error {
	h := &hunt{fuzzFlags: f, impl: f.impl[0], runner: runner, ran: new(atomic.Int64)}
	whole := hunt{fuzzFlags: f, impl: h.impl}
	whole.only = nil
	all, _ := whole.drawn(f.shape)
	for _, name := range f.only {
		if !slices.Contains(all.Actors(), name) {
			return usage("it has "+join(all.Actors()), "the drawn world %d of seed %d has no actor %q", f.shape, f.seed, name)
		}
	}
	shape, _ := h.drawn(f.shape)
	if !f.ordered {
		err := h.try(ctx, f.shape)
		if err != nil {
			return unjudged(err)
		}
		name, version := runner.Backend()
		doc := f.document([]*hunt{h}, report.Backend{Name: name, Version: version})
		err = a.present(&f.outputs, f.json, &doc, func() {
			fmt.Fprintf(a.stdout, "drawn world %d of seed %d, %s: %d orders, %d findings\n", f.shape, f.seed, h.impl, h.worlds, len(h.found))
			fmt.Fprintf(a.stdout, "%s\n", plain(shape.String()))
			for _, c := range h.found {
				fmt.Fprintf(a.stdout, "\n%s\n", a.paint(bold, c.title()))
				a.printCatch(h, c)
			}
		})
		switch {
		case context.Cause(ctx) != nil:
			return context.Cause(ctx)
		case err == nil && len(h.found) > 0:
			return silent(codeUnexpected)
		}
		return err
	}
	if f.json {
		return usage("leave --json out", "--order prints no JSON")
	}
	if err := f.outputs.refuse("--order is for a person to look at"); err != nil {
		return err
	}
	order, err := schedule.Parse(f.order)
	if err != nil {
		return err
	}
	world := func(w *interleave.World) { shape.World(w, scenarios.Target) }
	res := runner.RunSchedule(order, world)
	var x *interleave.Explanation
	if res.Err == nil {
		x = runner.Explain(ctx, res, world)
	}
	fmt.Fprintf(a.stdout, "drawn world %d of seed %d, %s\n%s\n\n", f.shape, f.seed, h.impl, plain(shape.String()))
	if x == nil {
		a.printWorld(res, nil)
	} else {
		a.printWorld(res, x.Decision)
		a.printStory(x, res)
	}
	switch {
	case res.Err != nil:
		return unjudged(res.Err)
	case res.Outcome() != interleave.Held:
		return silent(codeUnexpected)
	}
	return nil
}

// document is the document of campaigns.
func (f fuzzFlags) document(hunts []*hunt, b report.Backend) report.Fuzz {
	doc := report.Fuzz{
		Head:    report.Head{Schema: report.Schema, Kind: report.KindFuzz},
		Backend: b, Seed: f.seed, Faults: f.faults, Impls: []report.FuzzImpl{},
	}
	for _, h := range hunts {
		verdict, _ := h.verdict()
		impl := report.FuzzImpl{
			Impl: h.impl, Verdict: verdict, Reason: h.ended, Shapes: h.shapes, Worlds: h.worlds, Undecided: h.undecided,
			Missing: append([]string{}, h.missing()...), Found: []report.Drawn{},
		}
		for _, c := range h.found {
			t := c.shown().Trace
			doc.Examples = append(doc.Examples, report.NewExample(c.title()+", "+h.impl, c.shown(), c.Decision))
			impl.Found = append(impl.Found, report.Drawn{
				Scenario: c.race, Invariant: c.what, After: c.after, Shape: c.shape, World: strings.Split(c.world.String(), "\n"),
				Schedule: t.Schedule().String(), Steps: len(t.Steps),
				Class: c.Class, Story: c.Story, Decides: decidesText(c.Decision), Replay: h.replay(c),
			})
		}
		doc.Impls = append(doc.Impls, impl)
	}
	return doc
}
