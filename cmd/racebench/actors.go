package main

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/racebench/racebench/scenarios"
)

// actorsFlag is --actors.
type actorsFlag struct {
	n    int
	flag *pflag.Flag
}

func (f *actorsFlag) add(cmd *cobra.Command) {
	cmd.Flags().IntVar(&f.n, "actors", 0, "number of actors, where a scenario can have several (default as in the catalogue)")
	f.flag = cmd.Flag("actors")
	must(cmd.RegisterFlagCompletionFunc("actors", cobra.NoFileCompletions))
}

// apply gives a variant the number of actors.
func (f *actorsFlag) apply(s *scenarios.Scenario, v *scenarios.Variant) (*scenarios.Variant, error) {
	if !f.flag.Changed {
		return v, nil
	}
	sized, err := v.With(f.n)
	switch {
	case err == nil:
		return sized, nil
	case v.Sized == nil:
		return nil, usage("--actors is for "+join(withSizes()), "--actors: %s: %v", s.ID, err)
	}
	return nil, usage(fmt.Sprintf("--actors for %s takes a whole number from %d to %d", s.ID, v.Sizes.Least, v.Sizes.Most), "--actors %d is out of range", f.n)
}

// withSizes are the scenarios that can have several numbers of actors.
func withSizes() []string {
	var ids []string
	for _, s := range scenarios.All() {
		if s.Cases[0].Variants[0].Sized != nil {
			ids = append(ids, s.ID)
		}
	}
	return ids
}
