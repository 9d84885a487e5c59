package scenarios

import (
	"fmt"
	"maps"
	"slices"

	"github.com/racebench/racebench/interleave"
)

// Measurement is a number that a scenario is about and that depends on how many actors there are. Each value comes out of
// a run of its own; none is worked out.
type Measurement struct {
	Title string // what is measured: "virtual time until the last request has computed"
	X     string // what the actors are: "requests"
	Unit  string // of a value: "s"
	// Of reads the value from what a run with a number of actors has left. It is an error when the run has not come to it.
	Of func(res *interleave.Result, actors int) (float64, error)
}

// Measures are the numbers of actors that a variant is measured with.
func (v *Variant) Measures() []int { return slices.Sorted(maps.Keys(v.Measured)) }

// Measure runs a variant with a number of actors, in the order in which they come by themselves, and reads the value.
func (m *Measurement) Measure(r *interleave.Runner, v *Variant, actors int) (float64, error) {
	with, err := v.With(actors)
	if err != nil {
		return 0, fmt.Errorf("%d %s: %w", actors, m.X, err)
	}
	res, err := r.Run("", func(w *interleave.World) { with.World(w, Target) })
	if err == nil {
		err = res.Err
	}
	if err != nil {
		return 0, fmt.Errorf("%d %s: %w", actors, m.X, err)
	}
	return m.Of(res, actors)
}
