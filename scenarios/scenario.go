// Package scenarios is the catalogue of races: one file for each, the story first. A scenario is where a subject
// (package impl) and the harness (package interleave) meet; neither knows the other.
//
// The catalogue is data that go test and the racebench command both use.
package scenarios

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/racebench/racebench/interleave"
)

// Scenario is one race: who does what, which order of commands breaks which invariant, and what each implementation
// must show.
type Scenario struct {
	ID      string // A1
	Name    string // duplicate-acquire
	Subject string // jobs
	Title   string // one line
	Story   string // who, what goes wrong, for whom: a few sentences
	Window  string // the code path: which commands the window lies between
	Limit   string // a limit that lua shares and documents; empty when there is none
	Orders  int    // to explore for the columns of a run, where the usual number would take it too long; else 0
	Cases   []Case // one for each implementation that says something, naive first
	// Measurement is of the variants that say what it must give; nil for none.
	Measurement *Measurement
}

// Case is a scenario on one implementation.
type Case struct {
	Impl     string // naive, lua or setnx
	Variants []Variant
}

// Variant is one forced order of a case. Most cases have one.
type Variant struct {
	Name     string // empty when it is the only one; else what differs: "crash after HSET"
	Schedule string // in the grammar of package schedule
	// World describes the world for one target, so that repeats use keys of their own.
	World func(w *interleave.World, target string)
	// Sizes are the numbers of actors that the world can have; zero when there is one only. Sized then describes it, and
	// World is Sized with the usual number.
	Sizes Sizes
	Sized func(w *interleave.World, target string, actors int)
	// Actors is the number that With has chosen; 0 for the usual one.
	Actors int
	// Faults and Jumps are what an exploration has to allow to meet the race, as interleave.Faults and interleave.Jumps take
	// it; empty when the commands alone are enough.
	Faults string
	Jumps  []time.Duration
	// Breaks are the invariants that this order violates, with the step after which each is; empty when all hold.
	Breaks []Break
	// Shows is what a person sees, in a few words: "2 job hashes, 1 unreferenced, two workers started".
	Shows string
	// Count counts what the run left, from the keys and notes in the result: never from what should be there.
	Count func(*interleave.Result) Counts
	// Counts is what Count must give for one run.
	Counts Counts
	// Measured is what the measurement of the scenario must give for each number of actors; nil when it is not measured.
	Measured map[int]float64
}

// jumps is the Jumps of a variant.
func jumps(sizes ...time.Duration) []time.Duration { return sizes }

// Sizes are the numbers of actors that a world can have.
type Sizes struct{ Least, Usual, Most int }

// With is the variant with a number of actors. Its schedule and what it must show are then no longer promised. The error
// says which numbers can be had.
func (v *Variant) With(actors int) (*Variant, error) {
	switch {
	case v.Sized == nil:
		return nil, errors.New("the number of its actors is fixed")
	case actors < v.Sizes.Least || actors > v.Sizes.Most:
		return nil, fmt.Errorf("it has from %d to %d actors", v.Sizes.Least, v.Sizes.Most)
	}
	sized := *v
	sized.Actors = actors
	if actors == v.Sizes.Usual {
		sized.Actors = 0
	}
	sized.World = func(w *interleave.World, target string) { v.Sized(w, target, actors) }
	return &sized, nil
}

// Target is the target that schedules are written for, where they name a key.
const Target = "doc-1"

// ScheduleFor is the schedule for another target: the keys that it names are that target's.
func (v *Variant) ScheduleFor(target string) string {
	return strings.ReplaceAll(v.Schedule, "{"+Target+"}", "{"+target+"}")
}

// Run runs the variant once, on the keys of one target.
func (v *Variant) Run(r *interleave.Runner, target string) (*interleave.Result, error) {
	return r.Run(v.ScheduleFor(target), func(w *interleave.World) { v.World(w, target) })
}

// Break names an invariant that is violated and the step after which it is.
type Break struct {
	Invariant string `json:"invariant"`
	Step      int    `json:"step"`
}

// Counts are named numbers, such as "job hashes".
type Counts map[string]int

// Add adds the numbers of d to c.
func (c Counts) Add(d Counts) {
	for k, n := range d { // any order: sums of their own
		c[k] += n
	}
}

// String prints the numbers in the order of their names: "job hashes=2 unreferenced jobs=1".
func (c Counts) String() string {
	names := slices.Sorted(maps.Keys(c))
	for i, k := range names {
		names[i] = fmt.Sprintf("%s=%d", k, c[k])
	}
	return strings.Join(names, " ")
}

// Case returns the case of an implementation.
func (s *Scenario) Case(impl string) (*Case, bool) {
	for i := range s.Cases {
		if s.Cases[i].Impl == impl {
			return &s.Cases[i], true
		}
	}
	return nil, false
}

// Check compares a result with what the variant must show, and returns what differs; nothing when all is as expected.
func (v *Variant) Check(res *interleave.Result) []string {
	var wrong []string
	if res.Err != nil {
		return append(wrong, res.Err.Error())
	}
	var got []Break
	for _, j := range res.Verdicts {
		switch j.Outcome {
		case interleave.Violated:
			got = append(got, Break{j.Invariant, j.Step})
			if !slices.Contains(v.Breaks, Break{j.Invariant, j.Step}) {
				wrong = append(wrong, fmt.Sprintf("%q is violated after step %d, which the catalogue does not expect: %s", j.Invariant, j.Step, j.Detail))
			}
		case interleave.Undecided:
			wrong = append(wrong, fmt.Sprintf("%q is undecided: %s", j.Invariant, j.Detail))
		}
	}
	for _, b := range v.Breaks {
		if !slices.Contains(got, b) {
			wrong = append(wrong, fmt.Sprintf("%q is not violated after step %d, as the catalogue expects", b.Invariant, b.Step))
		}
	}
	if v.Count == nil {
		return wrong
	}
	have := v.Count(res)
	names := Counts{}
	names.Add(have)
	names.Add(v.Counts)
	for _, k := range slices.Sorted(maps.Keys(names)) {
		if have[k] != v.Counts[k] {
			wrong = append(wrong, fmt.Sprintf("%s: %d, the catalogue expects %d", k, have[k], v.Counts[k]))
		}
	}
	return wrong
}

// All returns the catalogue in order.
func All() []*Scenario { return slices.Clone(catalogue) }

var catalogue = []*Scenario{
	a01, a02, a03, a04, a05, a06, a07, a08, a09, a10, a11,
	// the lock with a state key
	b01, b02, b03, b04, b05, b06, b07, b08, b09, b10, b11, b12,
	// the queue and its rows
	c01, c02, c03, c04, c05, c06, c07, c08, c09, c10, c11, c12, c13, c14,
	// calibration
	x01, x02, x03, x04, x05, x06, x07,
}

// Find returns the scenarios that the words name: by id (A1), by name (duplicate-acquire), or by a pattern (A*). No words
// name all. The error is an *UnknownError.
func Find(words ...string) ([]*Scenario, error) {
	if len(words) == 0 {
		return All(), nil
	}
	chosen := map[*Scenario]bool{}
	for _, w := range words {
		found := false
		for _, s := range catalogue {
			if s.matches(w) {
				chosen[s], found = true, true
			}
		}
		if !found {
			return nil, &UnknownError{Word: w}
		}
	}
	var out []*Scenario
	for _, s := range catalogue {
		if chosen[s] {
			out = append(out, s)
		}
	}
	return out, nil
}

func (s *Scenario) matches(word string) bool {
	w := strings.ToLower(word)
	if prefix, ok := strings.CutSuffix(w, "*"); ok {
		return strings.HasPrefix(strings.ToLower(s.ID), prefix) || strings.HasPrefix(s.Name, prefix)
	}
	return w == strings.ToLower(s.ID) || w == s.Name
}

// UnknownError says that no scenario has this id or name.
type UnknownError struct{ Word string }

func (e *UnknownError) Error() string { return fmt.Sprintf("no scenario %q", e.Word) }
