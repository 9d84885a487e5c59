package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/scenarios"
)

// addOracles adds the flags for what needs no invariant.
func (f *exploreFlags) addOracles(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.serial, "serial", "", "compare every order with the serial ones, in which the actors come one after the other: by the final state and\n"+
		"what the actors are told (replies), or by the state alone (state). What no serial order gives is a hint, and no violation")
	cmd.Flags().BoolVar(&f.why, "why", false, "say what was looked at: operations, shared keys, and what was seen in one order only")
	cmd.Flag("serial").NoOptDefVal = string(interleave.SerialReplies)
	must(cmd.RegisterFlagCompletionFunc("serial", completeSerial))
}

func completeSerial(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return serialLevels(), cobra.ShellCompDirectiveNoFileComp
}

func serialLevels() []string {
	var out []string
	for _, l := range interleave.SerialLevels() {
		out = append(out, string(l))
	}
	return out
}

func (f *exploreFlags) checkOracles() error {
	if known := serialLevels(); f.serial != "" && !slices.Contains(known, f.serial) {
		return usage(suggest(f.serial, known, "it is one of "+join(known)), "unknown level %q of --serial", f.serial)
	}
	return nil
}

// oracles are the options for what needs no invariant.
func (f *exploreFlags) oracles() []interleave.Option {
	var out []interleave.Option
	if f.serial != "" {
		out = append(out, interleave.SerialOracle(interleave.SerialLevel(f.serial)))
	}
	if f.why {
		out = append(out, interleave.WhyNoBug())
	}
	return out
}

// printSerial prints what the serial oracle has found, with the first order that is equivalent to no serial one, unless a
// violation shows it already.
func (a *app) printSerial(f exploreFlags, s *scenarios.Scenario, v *scenarios.Variant, x *interleave.Exploration) {
	if x.Serial == nil {
		return
	}
	fmt.Fprintln(a.stdout, plainLine(x.Serial.String()))
	if x.Serial.First == nil {
		return
	}
	if len(x.Found) == 0 {
		a.printWorld(x.Serial.First, nil)
	}
	fmt.Fprintf(a.stdout, "replay:  %s\n", plain(replayCommand(s, f.impl, v, f.redis, x.Serial.Schedule)))
}

// printWindows says in how many orders the race was reached: of the windows that the world declares, or else of any two
// actors.
func (a *app) printWindows(x *interleave.Exploration) {
	declared := false
	for _, c := range x.Windows {
		declared = declared || c.Declared
	}
	for _, c := range x.Windows {
		if c.Declared == declared {
			fmt.Fprintln(a.stdout, plainLine(c.String()))
		}
	}
}
