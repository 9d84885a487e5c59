package scenarios

import "github.com/racebench/racebench/impl/calibration"

var x01 = &Scenario{
	ID:      "X1",
	Name:    "lost-update",
	Subject: calibrationSubject,
	Title:   "two additions to a counter, and one is lost",
	Story: `Several processes count on one key: each reads the counter, adds one in the process and writes it back. Two that
read the same number write the same number. This is the smallest race there is, and its numbers are known: of the 6 orders of two
such processes 4 are inequivalent, of the 90 of three 36, of the 2,520 of four 576. Only those in which nobody reads between
another's read and write hold: 2, 6 and 24.`,
	Window: "Add: between GET and SET of the counter",
	Cases: []Case{
		{Impl: "naive", Variants: []Variant{sized(counters8, addition((*calibration.Counter).Add, 0, 0), Variant{
			Schedule: "A.GET B.GET A.. B..",
			Breaks:   []Break{{everyAddition, 4}},
			Shows:    "two additions, the counter is 1",
			Count:    countAdditions,
			Counts:   Counts{additions: 2, onCounter: 1},
		})}},
		{Impl: "lua", Variants: []Variant{sized(counters8, addition((*calibration.Counter).AddScript, 0, 0), Variant{
			Schedule: "A.EVAL B.EVAL A.. B..",
			Shows:    "two additions, the counter is 2",
			Count:    countAdditions,
			Counts:   Counts{additions: 2, onCounter: 2},
		})}},
	},
}

// calibrationSubject is the subject of the X scenarios.
const calibrationSubject = "calibration"

// counters8 are the numbers of actors of a world of counters: there are 40,320² inequivalent orders of eight.
var counters8 = Sizes{Least: 2, Usual: 2, Most: 8}
