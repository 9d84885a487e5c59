package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/internal/report"
)

func addConfirm(cmd *cobra.Command, spec, image *string) {
	cmd.Flags().StringVar(spec, "confirm", "", "replay every counterexample on a second Redis too: process, container, or a redis:// URL. A difference is a fault of\n"+
		"one of the two, and no race")
	cmd.Flags().StringVar(image, "confirm-image", "", "image for --confirm container (default redis:7-alpine)")
	must(cmd.RegisterFlagCompletionFunc("confirm", cobra.FixedCompletions(backendWords(), cobra.ShellCompDirectiveNoFileComp)))
	must(cmd.RegisterFlagCompletionFunc("confirm-image", cobra.NoFileCompletions))
}

func (f *exploreFlags) addConfirm(cmd *cobra.Command) {
	addConfirm(cmd, &f.confirm.spec, &f.confirm.image)
}

func (f *exploreFlags) checkConfirm() error {
	c := f.confirm
	switch {
	case c.spec == "" && c.image == "":
		return nil
	case c.image != "" && c.spec != "container":
		return usage("--confirm container --confirm-image "+c.image, "--confirm-image is for --confirm container")
	case f.strategy == allStrategies:
		return usage("leave one of them out", "--confirm says nothing with --strategy all")
	case c.spec == f.redis.spec && c.image == f.redis.image:
		return usage("name another one: "+strings.Join(backendWords(), ", ")+", redis://…", "--confirm names the Redis that explores")
	}
	f.confirm.sql = f.redis.sql // Redis is what is compared
	// A runner of Bazel or Kubernetes says that it wants a shard in its environment, a person with a flag.
	mine, err := f.campaign.share()
	if err == nil && mine != nil {
		return usage("racebench merge --confirm process FILE...", "--confirm is for the whole exploration, not for shard %s", mine)
	}
	return nil
}

// confirmer replays counterexamples on a second Redis; nil when nobody has asked for it.
type confirmer struct {
	runner *interleave.Runner
	faults []error // one for each finding; nil where both did the same
}

// openConfirm starts the second Redis, before anything is explored: one that is not there is known at once.
func (f *exploreFlags) openConfirm() (*confirmer, error) {
	if f.confirm.spec == "" || f.campaign.worker {
		return nil, nil
	}
	runner, err := f.confirm.open()
	if err != nil {
		return nil, err
	}
	return &confirmer{runner: runner}, nil
}

func (c *confirmer) close() error {
	if c == nil {
		return nil
	}
	return c.runner.Close()
}

func (c *confirmer) confirm(ctx context.Context, from *interleave.Runner, x *interleave.Exploration, world func(*interleave.World)) {
	if c != nil && ctx.Err() == nil && x.Err == nil {
		c.faults = c.runner.ConfirmFindings(x, from, world)
	}
}

// refuted is the error of an exploration that found violations of which none is one on the second Redis; else nil.
func (c *confirmer) refuted() error {
	if c == nil || len(c.faults) == 0 {
		return nil
	}
	var first error
	for _, err := range c.faults {
		if err == nil {
			return nil
		}
		// A server that has gone says more than a difference.
		if first == nil || fatal(err) != nil && fatal(first) == nil {
			first = err
		}
	}
	f := explain(first)
	f.code = codeBackend
	return f
}

// said is what the i-th finding came to: a line.
func (c *confirmer) said(i int) string {
	name, version := c.runner.Backend()
	var fault *interleave.FidelityError
	switch err := c.faults[i]; {
	case err == nil:
		return fmt.Sprintf("the same on %s (%s)", name, version)
	case errors.As(err, &fault):
		return fault.Error()
	default:
		line, _, _ := strings.Cut(err.Error(), "\n")
		return fmt.Sprintf("it could not be run on %s (%s): %s", name, version, line)
	}
}

func (a *app) printConfirmed(c *confirmer, i int) {
	if c != nil && i < len(c.faults) {
		fmt.Fprintf(a.stdout, "confirm: %s\n", plainLine(c.said(i)))
	}
}

func (c *confirmer) document(i int) *report.Confirmed {
	if c == nil || i >= len(c.faults) {
		return nil
	}
	doc := &report.Confirmed{Same: c.faults[i] == nil}
	doc.Backend.Name, doc.Backend.Version = c.runner.Backend()
	if !doc.Same {
		doc.Fault = c.said(i)
	}
	return doc
}
