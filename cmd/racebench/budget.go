package main

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/racebench/racebench/interleave"
)

// faultFlags are the faults and moves of the clock that an exploration may choose.
type faultFlags struct {
	faults string
	jumps  []time.Duration
}

func (f *faultFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.faults, "faults", "", "faults that a world may have, at most so many of each kind: crash:1,lost:1, or none (default, without --jump: what the race needs)")
	cmd.Flags().DurationSliceVar(&f.jumps, "jump", nil, "size of a move of the clock while operations wait, once in a world; can be repeated")
	must(cmd.RegisterFlagCompletionFunc("faults", cobra.NoFileCompletions))
	must(cmd.RegisterFlagCompletionFunc("jump", cobra.NoFileCompletions))
}

// options adds what the flags ask for.
func (f *faultFlags) options(to []interleave.Option) []interleave.Option {
	return append(to, interleave.Faults(f.faults), interleave.Jumps(f.jumps...))
}

// noFaults is the value of --faults that allows nothing.
const noFaults = "none"

// or is the budget that the flags give or, when they say nothing, the one that a race needs.
func (f faultFlags) or(needs faultFlags) faultFlags {
	switch {
	case f.faults == noFaults:
		return faultFlags{jumps: f.jumps}
	case f.faults != "" || len(f.jumps) > 0:
		return f
	}
	return needs
}

// String is the budget as the flags say it, without their dashes: "crash:1, jump 10m0s".
func (f faultFlags) String() string {
	var parts []string
	if f.faults != "" {
		parts = append(parts, f.faults)
	}
	for _, d := range f.jumps {
		parts = append(parts, "jump "+d.String())
	}
	return strings.Join(parts, ", ")
}
