package scenarios

import "github.com/racebench/racebench/impl/calibration"

var x04 = &Scenario{
	ID:      "X4",
	Name:    "mostly-own-keys",
	Subject: calibrationSubject,
	Title:   "three lost updates among commands that concern nobody else",
	Story: `Three processes send six commands each. Four of the six are about a key of the process's own, and only a GET and a SET
touch a counter that all share. There are 17,153,136 orders of these commands, but orders that differ only in where the private ones fall
are the same to everybody: 36 are inequivalent, as in X1 with three. Who can't tell runs millions; who can, 36.`,
	Window: "Add: between GET and SET of the counter",
	Cases: []Case{
		{Impl: "naive", Variants: []Variant{sized(ownKeys, addition((*calibration.Counter).Add, 2, 2), Variant{
			Schedule: "A..SET B..SET C..SET A.. B.. C..",
			Breaks:   []Break{{everyAddition, 18}},
			Shows:    "three additions, the counter is 1",
			Count:    countAdditions,
			Counts:   Counts{additions: 3, onCounter: 1},
		})}},
		{Impl: "lua", Variants: []Variant{sized(ownKeys, addition((*calibration.Counter).AddScript, 2, 2), Variant{
			Schedule: "A..EVAL B..EVAL C..EVAL A.. B.. C..",
			Shows:    "three additions, the counter is 3",
			Count:    countAdditions,
			Counts:   Counts{additions: 3, onCounter: 3},
		})}},
	},
}

// ownKeys are the numbers of actors of X4.
var ownKeys = Sizes{Least: 2, Usual: 3, Most: 8}
