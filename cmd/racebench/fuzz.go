package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/interleave/schedule"
	"github.com/racebench/racebench/internal/report"
	"github.com/racebench/racebench/scenarios"
)

type fuzzFlags struct {
	redis   redisFlags
	impl    []string
	seed    uint64
	max     int
	within  time.Duration
	faults  string
	shape   int
	order   string
	only    []string
	json    bool
	outputs outputFlags

	one, ordered bool // --shape and --order were given
}

// drawnSubject is the subject that worlds can be drawn of.
const drawnSubject = "jobs"

// ordersEach is how many orders of a drawn world are run before the next is drawn.
const ordersEach = 4

// fuzzDefault bounds the worlds of one implementation when nobody says how many.
const fuzzDefault = 5_000

// drawing are the strategies of drawn worlds, in turn.
var drawing = []string{"random", "pct", "pos", "surw"}

// lossy are faults by which a server loses what it has promised to keep. What is lost then is no implementation's doing.
var lossy = []string{"restart", "failover", "evict"}

func newFuzz(a *app) *cobra.Command {
	var f fuzzFlags
	cmd := &cobra.Command{
		Use:   "fuzz [A1 late-success A* …]",
		Short: "Look for races in worlds that nobody has written down",
		Long: "Draws worlds of the job subject: 2 to 5 actors, each of which starts, reports, succeeds, fails, polls or applies\n" +
			"jobs, up to three times; jobs that are there before; crashes and jumps of the clock. Runs 4 orders of each and judges\n" +
			"them by what the subject promises. In naive it looks for the races of the scenarios that are named (default all that\n" +
			"naive is known for), until all are found; what else it meets is shown too. In lua nothing may be found: it goes on\n" +
			"until --max or --for. Every finding is shrunk, and shown with the world and the order that it takes.\n\n" +
			"One process draws, one world after the other, so that the same --seed with --max prints the same. More seeds in more\n" +
			"processes are more worlds.",
		Example: "  racebench fuzz\n" +
			"  racebench fuzz 'A*' --for 10m\n" +
			"  racebench fuzz A1 A5 --impl naive --seed 7\n" +
			"  racebench fuzz --impl naive --seed 7 --shape 12                the world with number 12 again\n" +
			"  racebench fuzz --impl naive --seed 7 --shape 12 --order 'A..'  in an order of your own",
		ValidArgsFunction: completeScenarios(-1),
		RunE: func(cmd *cobra.Command, args []string) error {
			given := cmd.Flags().Changed
			f.one, f.ordered = given("shape"), given("order")
			if err := f.check(cmd, given); err != nil {
				return err
			}
			if err := f.outputs.check(cmd, f.json); err != nil {
				return err
			}
			return a.fuzz(cmd.Context(), f, args)
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&f.impl, "impl", []string{"naive", "lua"}, "implementations, with commas between them")
	flags.Uint64Var(&f.seed, "seed", 0, "what all that is drawn depends on")
	flags.IntVar(&f.max, "max", fuzzDefault, "worlds to run at most, of each implementation; no bound when --for alone is given")
	flags.DurationVar(&f.within, "for", 0, "real time at most, such as 30s, shared by the implementations")
	flags.StringVar(&f.faults, "faults", "crash:1,jump:2", "faults that a world may have, at most so many of each kind")
	flags.IntVar(&f.shape, "shape", 0, "run the drawn world of this number alone")
	flags.StringVar(&f.order, "order", "", "schedule for --shape")
	flags.StringSliceVar(&f.only, "only", nil, "actors of --shape that take part, with commas between them (default all)")
	f.redis.add(cmd)
	flags.BoolVar(&f.json, "json", false, "print JSON only")
	f.outputs.add(cmd)
	a.addTalk(cmd)
	must(cmd.RegisterFlagCompletionFunc("impl", cobra.FixedCompletions([]string{"naive", "lua"}, cobra.ShellCompDirectiveNoFileComp)))
	for _, name := range []string{"seed", "max", "faults", "shape", "order", "only"} {
		must(cmd.RegisterFlagCompletionFunc(name, cobra.NoFileCompletions))
	}
	must(cmd.RegisterFlagCompletionFunc("for", cobra.FixedCompletions([]cobra.Completion{"30s", "10m", "1h"}, cobra.ShellCompDirectiveNoFileComp)))
	return cmd
}

// check refuses what makes no sense.
func (f *fuzzFlags) check(cmd *cobra.Command, given func(string) bool) error {
	known := []string{"naive", "lua"}
	for _, name := range f.impl {
		if !slices.Contains(known, name) {
			return usage(suggest(name, known, "it is one of "+join(known)), "no worlds are drawn for the implementation %q", name)
		}
	}
	switch {
	case len(f.impl) == 0:
		return usage("it is one of "+join(known), "--impl names no implementation")
	case f.max < 1 || f.max > maxExecutions:
		return usage(allowed(cmd.Flag("max")), "--max %d is out of range", f.max)
	case given("for") && f.within <= 0:
		return usage(allowed(cmd.Flag("for")), "--for %v is out of range", f.within)
	case f.shape < 0:
		return usage("--shape takes a whole number from 0", "--shape %d is out of range", f.shape)
	case f.ordered && !f.one:
		return usage("--shape N says which world it is", "--order is for one world")
	case len(f.only) > 0 && !f.one:
		return usage("--shape N says which world it is", "--only is for one world")
	case f.one && len(f.impl) != 1:
		return usage("--impl naive", "--shape is for one implementation")
	}
	for _, kind := range lossy {
		if strings.Contains(f.faults, kind) {
			return usage("explore takes every kind", "--faults %s: a server that loses what it has promised breaks every implementation", kind)
		}
	}
	if given("for") && !given("max") {
		f.max = maxExecutions
	}
	f.impl = slices.Compact(f.impl)
	return nil
}

// options are the options of the exploration of a drawn world.
func (f *fuzzFlags) options() []interleave.Option {
	return []interleave.Option{interleave.Faults(f.faults), interleave.Jumps(scenarios.JumpsOfShapes()...), interleave.Unexplained()}
}

// hunt is a campaign on one implementation.
type hunt struct {
	fuzzFlags
	impl   string
	runner *interleave.Runner
	ran    *atomic.Int64
	seen   *live    // what is shown meanwhile; nil for nothing
	wanted []string // ids of the races to find; nil where nothing may be found

	shapes, worlds, undecided int
	found                     []catch
	ended                     string // why; empty when all that is wanted is found
}

// catch is one finding in a drawn world.
type catch struct {
	race  string // id of the scenario, or empty
	what  string // invariant
	shape int
	after int // worlds
	world *scenarios.Shape
	only  []string // the actors of the shape that are left; nil for all
	interleave.Finding
}

// drawn is a world by its number, with the options of its exploration.
func (h *hunt) drawn(number int) (*scenarios.Shape, []interleave.Option) {
	rng := rand.New(rand.NewPCG(h.seed, uint64(number)))
	shape := scenarios.DrawShape(rng.IntN, h.impl)
	if len(h.only) > 0 {
		shape = shape.Only(h.only...)
	}
	return shape, []interleave.Option{interleave.Strategy(drawing[number%len(drawing)]), interleave.Seed(rng.Uint64())}
}

// sort puts what the catalogue has no story for last.
func (h *hunt) sort() {
	slices.SortStableFunc(h.found, func(c, d catch) int { return c.rank() - d.rank() })
}

// run draws worlds until it has found what it looks for, or a bound ends it.
func (h *hunt) run(ctx context.Context) error {
	for number := 0; ; number++ {
		switch {
		case ctx.Err() != nil:
			h.ended = context.Cause(ctx).Error()
			return nil
		case h.worlds >= h.max:
			h.ended = fmt.Sprintf("--max %d", h.max)
			return nil
		case h.wanted != nil && len(h.missing()) == 0:
			return nil
		}
		if h.seen != nil {
			text := fmt.Sprintf("%s, %d found, executions", h.impl, len(h.found))
			h.seen.text.Store(&text)
		}
		if err := h.try(ctx, number); err != nil {
			return err
		}
	}
}

// try runs some orders of one drawn world.
func (h *hunt) try(ctx context.Context, number int) error {
	shape, options := h.drawn(number)
	world := func(w *interleave.World) {
		h.ran.Add(1)
		shape.World(w, scenarios.Target)
	}
	x, err := h.runner.ExploreWith(ctx, world, append(options, interleave.MaxExecutions(min(ordersEach, h.max-h.worlds)))...)
	if err != nil {
		return err
	}
	h.worlds += x.Executions
	h.undecided += x.Undecided
	if x.Executions > 0 {
		h.shapes++
	}
	if x.Err != nil {
		return fmt.Errorf("in the drawn world %d of %s: %w", number, h.impl, x.Err)
	}
	for _, f := range x.Found {
		c := catch{race: shape.Race(f.First, f.What), what: f.What, shape: number, after: h.worlds, world: shape, Finding: f}
		if slices.ContainsFunc(h.found, c.like) {
			continue
		}
		h.explain(ctx, &c)
		h.found = append(h.found, c)
	}
	return nil
}

// explain shrinks a finding: its order, and then the world, of which the actors that have no part in it are left out.
func (h *hunt) explain(ctx context.Context, c *catch) {
	same := func(res *interleave.Result) bool { return c.world.Race(res, c.what) == c.race }
	world := func(w *interleave.World) { c.world.World(w, scenarios.Target) }
	h.runner.ExplainFinding(ctx, &c.Finding, same, world)
	if c.Shrunk == nil {
		return
	}
	order, part := c.Shrunk.Trace.Schedule(), c.world.Actors()
	for len(order) > 0 && order[0].Fault == schedule.CrashBefore { // that is how an actor has no part
		part = slices.DeleteFunc(part, func(name string) bool { return name == order[0].Actor })
		order = order[1:]
	}
	smaller := *c
	smaller.world, smaller.only = c.world.Only(part...), part
	world = func(w *interleave.World) { smaller.world.World(w, scenarios.Target) }
	smaller.First = h.runner.RunSchedule(order, world)
	smaller.Explanation = interleave.Explanation{}
	if len(part) == len(c.world.Actors()) || !same(smaller.First) {
		return
	}
	h.runner.ExplainFinding(ctx, &smaller.Finding, same, world)
	if smaller.Shrunk != nil {
		*c = smaller
	}
}

// rank is 0 for a race of the catalogue, which comes first, and 1 for anything else.
func (c catch) rank() int {
	if c.race != "" {
		return 0
	}
	return 1
}

// like reports whether two findings are of one race, or of none and violate the same.
func (c catch) like(d catch) bool { return c.race == d.race && (c.race != "" || c.kind() == d.kind()) }

// kind is what is violated; whose error it is makes no difference.
func (c catch) kind() string {
	if strings.HasPrefix(c.what, "actor ") {
		return "no actor returns an error"
	}
	return c.what
}

// shown is the order to show.
func (c catch) shown() *interleave.Result {
	if c.Shrunk != nil {
		return c.Shrunk
	}
	return c.First
}

// missing are the races that are wanted and have not been found.
func (h *hunt) missing() []string {
	return slices.DeleteFunc(slices.Clone(h.wanted), func(id string) bool {
		return slices.ContainsFunc(h.found, func(c catch) bool { return c.race == id })
	})
}

// verdict is what a campaign came to, in a word, and the exit code for it.
func (h *hunt) verdict() (string, int) {
	switch {
	case h.wanted == nil && len(h.found) > 0:
		return "violated", codeUnexpected
	case h.wanted == nil && h.worlds > h.undecided:
		return "held", codeOK
	case h.wanted != nil && len(h.missing()) == 0:
		return "found", codeOK
	}
	return "undecided", codeUndecided
}

func (a *app) fuzz(ctx context.Context, f fuzzFlags, words []string) error {
	wanted, err := wantedRaces(words)
	if err != nil {
		return err
	}
	runner, err := f.redis.open(f.options()...)
	if err != nil {
		return err
	}
	if f.one {
		return errors.Join(a.fuzzOne(ctx, f, runner), runner.Close())
	}
	within := ctx
	if f.within > 0 {
		var free func()
		within, free = context.WithTimeoutCause(ctx, f.within, fmt.Errorf("--for %v", f.within))
		defer free()
	}
	var (
		ran  atomic.Int64
		seen live
	)
	stop := a.watchExploration(exploreFlags{json: f.json, max: f.max * len(f.impl)}, &ran, &seen)
	var hunts []*hunt
	for i, name := range f.impl {
		h := &hunt{fuzzFlags: f, impl: name, runner: runner, ran: &ran, seen: &seen}
		if name != "lua" {
			h.wanted = wanted
		}
		hunts = append(hunts, h)
		own, free := partOf(within, len(f.impl)-i)
		err = h.run(own)
		h.sort()
		free()
		if err != nil || ctx.Err() != nil {
			break
		}
	}
	stop()
	name, version := runner.Backend()
	if cerr := runner.Close(); err == nil {
		err = cerr
	}
	for _, h := range hunts {
		a.note("%s on %s %s: %d worlds of %d shapes, %d findings, ended by %s", h.impl, name, version, h.worlds, h.shapes, len(h.found), h.ended)
	}
	doc := f.document(hunts, report.Backend{Name: name, Version: version})
	err = errors.Join(err, a.present(&f.outputs, f.json, &doc, func() { a.printFuzz(f, hunts, name+" ("+version+")") }))
	code := codeOK
	for _, h := range hunts {
		if _, c := h.verdict(); code != codeUnexpected && c != codeOK {
			code = c
		}
	}
	switch {
	case context.Cause(ctx) != nil:
		return context.Cause(ctx)
	case err != nil:
		return unjudged(err)
	case code != codeOK:
		return silent(code)
	}
	return nil
}

// partOf is a context with an equal part of the time that is left, when it is to be shared by some.
func partOf(ctx context.Context, by int) (context.Context, func()) {
	end, bounded := ctx.Deadline()
	if !bounded || by < 2 {
		return ctx, func() {}
	}
	part := time.Until(end) / time.Duration(by)
	return context.WithTimeoutCause(ctx, part, errors.New("its part of the time of --for"))
}

// wantedRaces are the scenarios named by words whose race naive is known for, and which can come about in a drawn world.
func wantedRaces(words []string) ([]string, error) {
	all := len(words) == 0
	found, err := find(words...)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, s := range found {
		breaks := false
		if c, ok := s.Case("naive"); ok && s.Subject == drawnSubject {
			for _, v := range c.Variants {
				breaks = breaks || len(v.Breaks) > 0
			}
		}
		if breaks {
			out = append(out, s.ID)
		}
	}
	if len(out) == 0 && !all {
		return nil, usage("A1 to A11, but A7", "nothing can be found of %s in a drawn world: they are worlds of the job subject, judged by its invariants", join(words))
	}
	return out, nil
}
