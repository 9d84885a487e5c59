package scenarios

import "github.com/racebench/racebench/impl/calibration"

// earlyTail is how many commands of its own each actor of X6 sends after the counter. Depth-first search without
// reduction runs all 20!/(9!·11!) = 167,960 orders that begin with GET and SET of A before it first lets B read in between.
const earlyTail = 9

var x06 = &Scenario{
	ID:      "X6",
	Name:    "early-window",
	Subject: calibrationSubject,
	Title:   "a lost update at the beginning of two long requests",
	Story: `Two requests add to a counter first and then do nine things of their own. The race is that of X1, and half of all walks at
random meet it. But who searches depth-first, and changes the last choice before the first, tries every way to mix the private commands
before the ones that matter: 167,960 orders hold before the first that does not.`,
	Window: "Add: between GET and SET of the counter",
	Cases: []Case{
		{Impl: "naive", Variants: []Variant{{
			Schedule: "A.GET B.GET A.. B..",
			World:    twoOf(addition((*calibration.Counter).Add, 0, earlyTail)),
			Breaks:   []Break{{everyAddition, 22}},
			Shows:    "two additions, the counter is 1",
			Count:    countAdditions,
			Counts:   Counts{additions: 2, onCounter: 1},
		}}},
		{Impl: "lua", Variants: []Variant{{
			Schedule: "A.EVAL B.EVAL A.. B..",
			World:    twoOf(addition((*calibration.Counter).AddScript, 0, earlyTail)),
			Shows:    "two additions, the counter is 2",
			Count:    countAdditions,
			Counts:   Counts{additions: 2, onCounter: 2},
		}}},
	},
}
