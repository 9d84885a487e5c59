package main

import (
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/scenarios"
)

// completeReplay offers scenarios and then, word by word, what can come next in an order of the one that is named: it runs
// what is typed already on the built-in Redis, and looks what each actor does after it.
func completeReplay(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return completeScenarios(1)(cmd, args, typed)
	}
	const none = cobra.ShellCompDirectiveNoFileComp
	impl, variant := cmd.Flag("impl").Value.String(), cmd.Flag("variant").Value.String()
	_, v, err := chosen(args[0], impl, variant)
	if err != nil {
		return nil, none
	}
	// An order in quotes is one word of the shell, and is completed at its end.
	done := typed[:strings.LastIndexByte(typed, ' ')+1]
	begun := strings.Join(append(slices.Clone(args[1:]), done), " ")
	runner, err := interleave.Open()
	if err != nil {
		return nil, none
	}
	defer runner.Close()
	res, err := runner.Run(begun, func(w *interleave.World) { v.World(w, scenarios.Target) })
	if err != nil || res.Err != nil {
		return nil, none // what is typed already is no order of this race
	}
	var out []cobra.Completion
	offer := func(token, meaning string) { out = append(out, cobra.CompletionWithDesc(done+token, meaning)) }
	seen := map[string]bool{}
	for _, step := range res.Trace.Steps[res.Trace.Forced():] {
		if step.Actor == "" || seen[step.Actor] {
			continue
		}
		seen[step.Actor] = true
		token := step.Token()
		token.Match.Nth = 1
		name := token.String()
		offer(name, step.Summary())
		offer(step.Actor+"..", step.Actor+" runs until it is done or waits")
		if step.Kind == interleave.StepOperation {
			offer(name+"!crash", "executed, then "+step.Actor+" dies before the reply")
			offer(name+"!lost", "executed, the reply is lost")
			offer(name+"!unsent", "not executed, connection closed")
		}
		offer(step.Actor+"!crash", step.Actor+" dies before it")
	}
	if len(seen) > 0 {
		for _, jump := range append(slices.Clone(v.Jumps), time.Minute) {
			offer("+"+jump.String(), "the clock moves, everything waiting stays waiting")
		}
	}
	slices.Sort(out)
	return slices.Compact(out), none | cobra.ShellCompDirectiveNoSpace
}
