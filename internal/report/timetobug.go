package report

import (
	"math"
	"slices"
)

// TimeToBug compares strategies by how many worlds each runs until it finds the first violation.
type TimeToBug struct {
	Head
	Backend Backend  `json:"backend"`
	Seed    uint64   `json:"seed"`   // trial n draws with it plus n, from 0
	Trials  int      `json:"trials"` // asked for
	Max     int      `json:"max"`    // executions of one trial at most
	Rows    []Search `json:"rows"`   // in the order of the catalogue, then of the strategies
}

// Search is what came of one strategy on one race.
type Search struct {
	Scenario string `json:"scenario"`          // A1
	Name     string `json:"name"`              // duplicate-acquire
	Impl     string `json:"impl"`              // naive
	Variant  string `json:"variant,omitempty"` // empty where there is only one
	Actors   int    `json:"actors,omitempty"`  // where another number than usual was asked for
	Needs    string `json:"needs,omitempty"`   // faults and jumps that were allowed
	Strategy string `json:"strategy"`          // how orders were chosen
	Trials   int    `json:"trials"`            // run
	Found    int    `json:"found"`             // of the trials, those that found a violation
	// Exhausted says that all orders were run and none violates.
	Exhausted bool `json:"exhausted"`
	// The executions to the first violation. A trial that found none counts with all of its executions, so that Mean, Median
	// and Most are then too small.
	Mean      float64 `json:"mean"`
	Median    float64 `json:"median"`    // of all trials
	Deviation float64 `json:"deviation"` // standard deviation
	Least     int     `json:"least"`     // of all trials
	Most      int     `json:"most"`      // of all trials
}

// Measure fills in the numbers from the executions of each trial.
func (s *Search) Measure(executions []int) {
	sorted := slices.Sorted(slices.Values(executions))
	s.Trials = len(sorted)
	if s.Trials == 0 {
		return
	}
	n := float64(s.Trials)
	for _, x := range sorted {
		s.Mean += float64(x) / n
	}
	for _, x := range sorted {
		s.Deviation += (float64(x) - s.Mean) * (float64(x) - s.Mean) / n
	}
	s.Mean, s.Deviation = round(s.Mean), round(math.Sqrt(s.Deviation))
	s.Least, s.Most = sorted[0], sorted[s.Trials-1]
	s.Median = float64(sorted[(s.Trials-1)/2]+sorted[s.Trials/2]) / 2
}

// round keeps two decimals, which is more than the trials tell.
func round(x float64) float64 { return math.Round(x*100) / 100 }
