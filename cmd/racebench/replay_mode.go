package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/interleave/schedule"
	"github.com/racebench/racebench/scenarios"
)

// addModes adds the flags for an order that does not fit.
func (f *replayFlags) addModes(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.mode, "mode", string(interleave.Strict), "what becomes of an order that does not fit: "+join(modes()))
	cmd.Flags().IntVar(&f.steps, "steps", 0, "with --mode prefix: follow the order for so many steps only (default all of it)")
	cmd.Flags().IntVar(&f.max, "max", 10_000, "with --mode prefix: worlds to run at most")
	must(cmd.RegisterFlagCompletionFunc("mode", completeModes))
	for _, name := range []string{"steps", "max"} {
		must(cmd.RegisterFlagCompletionFunc(name, cobra.NoFileCompletions))
	}
}

func modes() []string {
	var out []string
	for _, m := range interleave.Modes() {
		out = append(out, string(m))
	}
	return out
}

func completeModes(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	good := map[interleave.Mode]string{
		interleave.Strict:     "an error",
		interleave.BestEffort: "what does not fit is left out and listed",
		interleave.Prefix:     "strict to its end, then every order of the rest",
	}
	var out []cobra.Completion
	for _, m := range interleave.Modes() {
		out = append(out, cobra.CompletionWithDesc(string(m), good[m]))
	}
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// check refuses flags that say nothing or do not go together.
func (f *replayFlags) check(cmd *cobra.Command) error {
	f.given = cmd.Flags().Changed
	prefix := f.mode == string(interleave.Prefix)
	switch {
	case !slices.Contains(modes(), f.mode):
		return usage(suggest(f.mode, modes(), "it is one of "+join(modes())), "unknown mode %q", f.mode)
	case f.given("steps") && !prefix:
		return usage("--mode prefix", "--steps is for --mode prefix, not for %s", f.mode)
	case f.given("max") && !prefix:
		return usage("--mode prefix", "--max is for --mode prefix, not for %s", f.mode)
	case f.given("steps") && f.steps < 1:
		return usage(allowed(cmd.Flag("steps")), "--steps %d is out of range", f.steps)
	case f.max < 1 || f.max > maxExecutions:
		return usage(allowed(cmd.Flag("max")), "--max %d is out of range", f.max)
	case f.changes && prefix:
		return usage("leave it out", "--changes is of one world, and --mode prefix runs many")
	}
	return nil
}

// asked is the order that the command line asks for, and in which world.
type asked struct {
	scenario *scenarios.Scenario
	impl     string
	variant  *scenarios.Variant
	text     string // a schedule or a token
}

func (o *asked) isToken() bool { return schedule.IsCompact(o.text) }

// asked reads the arguments: a race, and perhaps a schedule or a token of it; or a token alone. No race begins with a digit.
func (f *replayFlags) asked(args []string) (*asked, error) {
	word, text := args[0], strings.Join(args[1:], " ")
	if schedule.IsCompact(word) {
		word, text = "", strings.Join(args, " ")
	}
	if schedule.IsCompact(text) {
		return f.askedToken(word, text)
	}
	s, v, err := chosen(word, f.impl, f.variant)
	if err != nil {
		return nil, err
	}
	if v, err = f.actors.apply(s, v); err != nil {
		return nil, err
	}
	if len(args) == 1 && f.before == "" {
		text = v.Schedule
	}
	if _, err := schedule.Parse(text); err != nil {
		return nil, err
	}
	return &asked{s, f.impl, v, text}, nil
}

func (f *replayFlags) askedToken(word, text string) (*asked, error) {
	c, err := schedule.ParseCompact(text)
	if err != nil {
		return nil, err
	}
	s, impl, v, err := ofToken(c.Name)
	if err != nil {
		return nil, err
	}
	if err := f.agree(word, c, s, impl, v); err != nil {
		return nil, err
	}
	return &asked{s, impl, v, c.String()}, nil
}

// replayPrefix explores every order that begins as the one asked for.
func (a *app) replayPrefix(ctx context.Context, f replayFlags, o *asked) error {
	runner, err := f.redis.open(interleave.Before(f.before), interleave.From(o.text, f.steps), interleave.MaxExecutions(f.max))
	if err != nil {
		return err
	}
	started := time.Now()
	x := runner.Explore(ctx, func(w *interleave.World) { o.variant.World(w, scenarios.Target) })
	e := exploreFlags{redis: f.redis, impl: o.impl, strategy: exhaustive, max: f.max, json: f.json, from: o.text, steps: f.steps, outputs: f.outputs}
	return a.explored(ctx, e, o.scenario, o.variant, runner, nil, x, time.Since(started))
}

// begins says with what every order of an exploration began.
func (f exploreFlags) begins() string {
	switch {
	case f.from == "":
		return ""
	case f.steps == 1:
		return ", each beginning with the first step of " + oneLine(f.from)
	case f.steps > 0:
		return fmt.Sprintf(", each beginning with the first %d steps of %s", f.steps, oneLine(f.from))
	}
	return ", each beginning with " + oneLine(f.from)
}

// tokensOf are the tokens of the orders that are shown, one for each finding.
func tokensOf(ctx context.Context, r *interleave.Runner, x *interleave.Exploration, name string, world func(*interleave.World)) []string {
	tokens := make([]string, len(x.Found))
	for i, found := range x.Found {
		shown := found.Shrunk
		if shown == nil {
			shown = found.First
		}
		if ctx.Err() == nil && x.Err == nil {
			tokens[i] = r.Token(shown, name, world)
		} else {
			tokens[i] = shown.Token(name)
		}
	}
	return tokens
}
