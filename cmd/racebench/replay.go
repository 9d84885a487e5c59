package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/interleave/wire"
	"github.com/racebench/racebench/internal/report"
	"github.com/racebench/racebench/scenarios"
)

type replayFlags struct {
	redis                 redisFlags
	impl, variant, before string
	actors                actorsFlag
	mode                  string
	steps, max            int
	json, changes         bool
	outputs               outputFlags
	given                 func(flag string) bool
}

func newReplay(a *app) *cobra.Command {
	var f replayFlags
	cmd := &cobra.Command{
		Use:   "replay A1 [schedule] | replay TOKEN",
		Short: "Run one race in an order of your own, or that of a token",
		Long: "Runs one world in the order that the schedule says, what it leaves open in a fair order, and prints every step,\n" +
			"what each invariant came to, and the keys at the end. Without a schedule the order is that of the catalogue; with\n" +
			"--before and without a schedule nothing is forced but the constraints.\n" +
			"A token that another command has printed stands for a whole run and says of which world: race, implementation, variant\n" +
			"and number of actors come from it. racebench help schedule shows how an order is written.\n\n" +
			"--mode says what becomes of an order that does not fit the program: strict makes it an error with step, actor, expected\n" +
			"and met operation, best-effort leaves out what does not fit and lists it, prefix is strict to its end, or for --steps,\n" +
			"and then explores every order of what comes after it and prints what racebench explore does.",
		Example: "  racebench replay A1 'A.GET B.GET A.. B..'\n" +
			"  racebench replay A1 'A.. B..'\n" +
			"  racebench replay A1 --impl lua --redis process '+10m'\n" +
			"  racebench replay A1 --before 'A.GET B.GET < A.HSET B.HSET'\n" +
			"  racebench replay 1.A1.naive.qYpl2XoNxI7t3083-UABlYXD\n" +
			"  racebench replay A1 --mode best-effort 'A.GET B.SET A.. B..'\n" +
			"  racebench replay 1.A1.naive.qYpl2XoNxI7t3083-UABlYXD --mode prefix --steps 2",
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: completeReplay,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("usage: "+cmd.UseLine(), "the scenario is missing")
			}
			if err := f.check(cmd); err != nil {
				return err
			}
			if err := f.outputs.check(cmd, f.json); err != nil {
				return err
			}
			return a.replay(cmd.Context(), f, args)
		},
	}
	cmd.Flags().StringVar(&f.impl, "impl", "naive", "implementation")
	cmd.Flags().StringVar(&f.variant, "variant", "", "variant of the world, where a scenario has several (default the first)")
	cmd.Flags().StringVar(&f.before, "before", "", "constraints on what the schedule leaves open: 'A.GET B.GET < A.SET B.SET'")
	f.actors.add(cmd)
	f.addModes(cmd)
	f.redis.add(cmd)
	cmd.Flags().BoolVar(&f.changes, "changes", false, "list what each step changed, and when, below the table")
	cmd.Flags().BoolVar(&f.json, "json", false, "print JSON only")
	f.outputs.add(cmd)
	a.addTalk(cmd)
	must(cmd.RegisterFlagCompletionFunc("impl", completeImpls))
	must(cmd.RegisterFlagCompletionFunc("variant", cobra.NoFileCompletions))
	must(cmd.RegisterFlagCompletionFunc("before", cobra.NoFileCompletions))
	return cmd
}

func (a *app) replay(ctx context.Context, f replayFlags, args []string) error {
	o, err := f.asked(args)
	if err != nil {
		return err
	}
	if f.mode == string(interleave.Prefix) {
		return a.replayPrefix(ctx, f, o)
	}
	runner, err := f.redis.open(interleave.Before(f.before), interleave.ReplayMode(interleave.Mode(f.mode)))
	if err != nil {
		return err
	}
	world := func(w *interleave.World) { o.variant.World(w, scenarios.Target) }
	res, err := runner.Run(o.text, world)
	if err != nil {
		return errors.Join(err, runner.Close())
	}
	if err := fatal(res.Err); err != nil && len(res.Trace.Steps) == 0 { // there is nothing to see
		return errors.Join(unjudged(err), runner.Close())
	}
	seen := replayedOrder{Result: res}
	if !isDivergence(res.Err) {
		seen.token = runner.Token(res, scenarios.Name(o.scenario, o.impl, o.variant), world)
		seen.explanation = runner.Explain(ctx, res, world)
	}
	if seen.explanation == nil && res.Err == nil {
		seen.explanation = &interleave.Explanation{Decision: runner.Decide(res, world)}
	}
	if err := runner.Close(); err != nil && res.Err == nil {
		return err
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	a.note("%s %s; %d steps, %d of them forced, %v of virtual time", res.Backend, res.Version, len(res.Trace.Steps), res.Trace.Forced(), res.Trace.Lasted())
	doc, err := f.document(o, seen)
	if err == nil {
		err = a.present(&f.outputs, f.json, doc, func() { a.printReplay(f, o, seen) })
	}
	switch {
	case err != nil:
		return err
	case res.Err != nil:
		return unjudged(res.Err)
	case res.Outcome() != interleave.Held:
		return silent(codeUnexpected)
	}
	return nil
}

// replayedOrder is what came of an order.
type replayedOrder struct {
	*interleave.Result
	explanation *interleave.Explanation
	token       string // empty when there is none
}

func (r *replayedOrder) decision() *interleave.Decision {
	if r.explanation == nil {
		return nil
	}
	return r.explanation.Decision
}

// unjudged is the failure of a world that could not be judged.
func unjudged(err error) error {
	f := explain(err)
	switch f.code {
	case codeBackend:
	case codeUsage:
		if !isDivergence(err) {
			f.code = codeUnexpected
		}
	}
	return f
}

func (a *app) printReplay(f replayFlags, o *asked, seen replayedOrder) {
	res := seen.Result
	fmt.Fprintf(a.stdout, "%s %s, %s, on %s (%s)\n\n", o.scenario.ID, o.scenario.Name, title(o.impl, o.variant), res.Backend, res.Version)
	a.printWorld(res, seen.decision())
	if seen.explanation != nil {
		a.printStory(seen.explanation, res)
	}
	if f.changes {
		a.printChanges(res.Trace)
	}
	for _, what := range res.Skipped {
		fmt.Fprintf(a.stdout, "skipped: %s\n", plainLine(what))
	}
	switch {
	case res.Err != nil:
		// The steps that were made are not what went wrong: what was asked for is.
		cmd := replayToken(f.redis, o.text)
		if !o.isToken() {
			cmd = replayCommand(o.scenario, o.impl, o.variant, f.redis, o.text)
		}
		if f.before != "" {
			cmd += " --before " + shellQuote(f.before)
		}
		fmt.Fprintf(a.stdout, "replay:  %s\n", plain(cmd))
	case len(res.Trace.Steps) > 0:
		a.printAgain(o.scenario, o.impl, o.variant, f.redis, res, seen.token)
	}
}

// printChanges prints what each step did to keys, and when in virtual time.
func (a *app) printChanges(t *interleave.Trace) {
	fmt.Fprintln(a.stdout, "changes:")
	n := 0
	for _, s := range t.Steps {
		for _, c := range s.Changes {
			n++
			fmt.Fprintf(a.stdout, "  step %d at +%s: %s\n", s.N, s.At, a.clip(plainLine(c.String())))
		}
	}
	for _, c := range t.Undeclared {
		n++
		fmt.Fprintf(a.stdout, "  no command named it: %s\n", a.clip(plainLine(c.String())))
	}
	if n == 0 {
		fmt.Fprintln(a.stdout, "  none")
	}
}

// printWorld prints what happened in a world: the steps, the keys at the end, the verdicts, and what decides.
func (a *app) printWorld(res *interleave.Result, d *interleave.Decision) {
	options := interleave.TableOptions{Width: a.tableWidth(), ASCII: a.asciiOnly()}
	if d != nil {
		options.Mark = d.Steps
	}
	if a.quiet {
		a.printJudgements(res, d)
		return
	}
	if len(res.Trace.Before) > 0 {
		a.printKeys("keys before the first step:", res.Trace.Before)
	}
	if len(res.Trace.Steps) > 0 {
		fmt.Fprintln(a.stdout, plain(res.Trace.Table(options)))
	}
	a.printKeys("keys after the last step:", res.Trace.After)
	for _, n := range res.Notes {
		fmt.Fprintf(a.stdout, "remark:  %s\n", plainLine(n))
	}
	a.printJudgements(res, d)
}

// printJudgements prints what the invariants came to, and what that hangs on.
func (a *app) printJudgements(res *interleave.Result, d *interleave.Decision) {
	for _, j := range res.Verdicts {
		// Of a world that was given up nothing is known but what has been violated.
		if res.Err == nil || j.Outcome == interleave.Violated {
			a.printVerdict(j)
		}
	}
	switch {
	case d != nil:
		fmt.Fprintf(a.stdout, "decides: %s\n", plainLine(d.Text))
	case res.Err == nil && res.Outcome() == interleave.Violated:
		fmt.Fprintln(a.stdout, "decides: no single pair of steps, and no single fault")
	}
}

func (a *app) printKeys(heading string, keys []interleave.KeyState) {
	fmt.Fprintln(a.stdout, heading)
	for _, k := range keys {
		fmt.Fprintf(a.stdout, "  %s\n", a.keyLine(k))
	}
	if len(keys) == 0 {
		fmt.Fprintln(a.stdout, "  none")
	}
}

func (a *app) printVerdict(j interleave.Judged) {
	line := fmt.Sprintf("%-9s %q", j.Outcome.String()+":", j.Invariant)
	switch j.Outcome {
	case interleave.Held:
		line = a.paint(green, line)
	case interleave.Violated:
		line = a.paint(red, line) + fmt.Sprintf(" after step %d: %s", j.Step, a.clip(plainLine(j.Detail)))
	default:
		line += ": " + a.clip(plainLine(j.Detail))
	}
	fmt.Fprintln(a.stdout, line)
}

// keyLine is a key with its value and when it goes: "job:1 = {status: RUNNING} until +1h0m0s".
func (a *app) keyLine(k interleave.KeyState) string {
	line := a.clip(wire.Quote(k.Key)) + " = " + a.clip(k.Value.String())
	if k.Value != nil && k.Value.Expires >= 0 {
		line += " until +" + k.Value.Expires.String()
	}
	return line
}

// document is the document of a replay.
func (f replayFlags) document(o *asked, r replayedOrder) (*report.Replay, error) {
	seen, err := report.Observe(r.Result, scenarios.Target)
	if err != nil {
		return nil, err
	}
	doc := &report.Replay{
		Head:     report.Head{Schema: report.Schema, Kind: report.KindReplay},
		Backend:  report.Backend{Name: r.Backend, Version: r.Version},
		Scenario: o.scenario.ID,
		Name:     o.scenario.Name,
		Impl:     o.impl,
		Variant:  o.variant.Name,
		Actors:   o.variant.Actors,
		Schedule: o.text,
		Before:   f.before,
		Mode:     f.mode,
		Skipped:  r.Skipped,
		Token:    r.token,
		Decision: report.Decided(r.decision(), f.outputs.wants("html")),
		Observed: seen,
	}
	if x := r.explanation; x != nil {
		doc.Class, doc.Story, doc.Shorter = x.Class, x.Story, x.Shorter(r.Result)
	}
	return doc, nil
}
