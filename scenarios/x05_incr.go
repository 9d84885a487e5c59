package scenarios

import "github.com/racebench/racebench/impl/calibration"

var x05 = &Scenario{
	ID:      "X5",
	Name:    "one-command-counter",
	Subject: calibrationSubject,
	Title:   "nothing: a counter with INCR, the control",
	Story: `The counter of X1, with INCR instead of GET and SET. The server reads and writes in one command, so there is nothing between
the two and nothing goes wrong, in any order. A tool that finds a race here is wrong.`,
	Window: "none: INCR is one command",
	Cases: []Case{
		{Impl: "naive", Variants: []Variant{sized(counters8, addition((*calibration.Counter).Incr, 0, 0), Variant{
			Schedule: "A.INCR B.INCR",
			Shows:    "two additions, the counter is 2",
			Count:    countAdditions,
			Counts:   Counts{additions: 2, onCounter: 2},
		})}},
		{Impl: "lua", Variants: []Variant{sized(counters8, addition((*calibration.Counter).AddScript, 0, 0), Variant{
			Schedule: "A.EVAL B.EVAL",
			Shows:    "two additions, the counter is 2",
			Count:    countAdditions,
			Counts:   Counts{additions: 2, onCounter: 2},
		})}},
	},
}
