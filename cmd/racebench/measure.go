package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/interleave/backend"
	"github.com/racebench/racebench/internal/report"
	"github.com/racebench/racebench/scenarios"
)

// outcome is what came of a planned order.
type outcome struct {
	result   report.Result
	counts   scenarios.Counts        // of all repeats
	shown    *interleave.Result      // the first repeat, or the first that is not as expected
	decision *interleave.Decision    // of shown
	about    *interleave.Explanation // of shown, when it violates something
	diverged error
	took     time.Duration
}

// measurer runs what is planned on one throwaway Redis.
type measurer struct {
	runner   *interleave.Runner
	progress *progress
	note     func(format string, args ...any)
	pictures bool // a page is asked for, which shows more than the documents have
}

// measure runs everything that is planned. It ends early when the context does, between two worlds, and when the
// throwaway Redis is gone.
func (m *measurer) measure(ctx context.Context, plan []*planned) error {
	for _, p := range plan {
		if err := m.repeat(ctx, p); err != nil {
			return err
		}
		m.note("%s %s, %s: %d worlds in %v", p.scenario.ID, p.scenario.Name, title(p.impl, p.variant), p.repeats, p.took.Round(time.Microsecond))
	}
	return nil
}

// repeat runs one order as often as planned, each time on a target of its own.
func (m *measurer) repeat(ctx context.Context, p *planned) error {
	started := time.Now()
	p.result = report.Result{
		Scenario: p.scenario.ID, Name: p.scenario.Name, Impl: p.impl, Variant: p.variant.Name,
		Schedule: p.variant.Schedule, Expected: expected(p.variant), AsExpected: true, Repeats: p.repeats,
	}
	p.counts = scenarios.Counts{}
	groups := &grouping{}
	shownTarget := ""
	for i := range p.repeats {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		target := target(i + 1)
		res, err := p.variant.Run(m.runner, target)
		if err != nil {
			return fmt.Errorf("%s on %s: %w", p.scenario.ID, p.impl, err)
		}
		m.progress.step()
		if err := fatal(res.Err); err != nil {
			if cause := context.Cause(ctx); cause != nil {
				return cause // the signal may have reached the server too
			}
			return err
		}
		if p.diverged == nil && isDivergence(res.Err) {
			p.diverged = res.Err
		}
		wrong := p.variant.Check(res)
		if p.shown == nil || len(wrong) > 0 && p.result.AsExpected {
			p.shown, shownTarget = res, target
		}
		if len(wrong) > 0 {
			p.result.AsExpected = false
			p.result.Differences = appendNew(p.result.Differences, wrong, target)
		}
		if p.variant.Count != nil && res.Err == nil {
			p.counts.Add(p.variant.Count(res))
		}
		groups.add(i+1, target, res)
	}
	if len(p.counts) > 0 {
		p.result.Counts = p.counts
	}
	if p.shown.Err == nil {
		world := func(w *interleave.World) { p.variant.World(w, shownTarget) }
		p.decision = m.runner.Decide(p.shown, world)
		p.about = m.runner.Explain(whole, p.shown, world)
		p.result.Decision = report.Decided(p.decision, m.pictures)
		p.result.Token = m.runner.Token(p.shown, scenarios.Name(p.scenario, p.impl, p.variant), world)
	}
	var err error
	p.result.Runs, err = groups.observed()
	p.took = time.Since(started)
	return err
}

// target names what the n-th repeat works on. The first is the one that schedules are written for.
func target(n int) string {
	if n == 1 {
		return scenarios.Target
	}
	return strings.TrimSuffix(scenarios.Target, "1") + fmt.Sprint(n)
}

// whole is a context that has ended, in which Explain shrinks nothing: a run need not wait for what it does not print.
var whole = func() context.Context {
	ctx, end := context.WithCancel(context.Background())
	end()
	return ctx
}()

// fatal returns err if no other world can be run after it.
func fatal(err error) error {
	var gone *backend.UnavailableError
	var refused *backend.RefusedError
	if errors.As(err, &gone) || errors.As(err, &refused) {
		return err
	}
	return nil
}

func isDivergence(err error) bool {
	var d *interleave.DivergedError
	return errors.As(err, &d)
}

// appendNew adds what is not there yet. A difference is not new because its target is.
func appendNew(list, more []string, target string) []string {
	for _, m := range more {
		if m = strings.ReplaceAll(m, target, scenarios.Target); !slices.Contains(list, m) {
			list = append(list, m)
		}
	}
	return list
}

// grouping collects repeats that differ in nothing but their target.
type grouping struct {
	groups []*group
	byText map[string]*group
}

type group struct {
	target string
	first  *interleave.Result
	which  []int
}

func (g *grouping) add(n int, target string, res *interleave.Result) {
	text := strings.ReplaceAll(fingerprint(res), target, "\x00")
	if same, ok := g.byText[text]; ok {
		same.which = append(same.which, n)
		return
	}
	if g.byText == nil {
		g.byText = map[string]*group{}
	}
	fresh := &group{target: target, first: res, which: []int{n}}
	g.byText[text] = fresh
	g.groups = append(g.groups, fresh)
}

// fingerprint is text that is equal for equal results.
func fingerprint(res *interleave.Result) string {
	return fmt.Sprintf("%s\n%v\n%v\n%v\n%v", res.Trace, res.Verdicts, res.Trace.Notes, res.Notes, res.Err)
}

func (g *grouping) observed() ([]report.Observed, error) {
	out := make([]report.Observed, 0, len(g.groups))
	for _, x := range g.groups {
		o, err := report.Observe(x.first, x.target)
		if err != nil {
			return nil, err
		}
		o.Repeats = ranges(x.which)
		out = append(out, o)
	}
	return out, nil
}

// ranges is a rising list of numbers as text: "1-40,42".
func ranges(list []int) string {
	var parts []string
	for i := 0; i < len(list); {
		j := i
		for j+1 < len(list) && list[j+1] == list[j]+1 {
			j++
		}
		if part := fmt.Sprint(list[i]); j > i {
			parts = append(parts, fmt.Sprintf("%s-%d", part, list[j]))
		} else {
			parts = append(parts, part)
		}
		i = j + 1
	}
	return strings.Join(parts, ",")
}
