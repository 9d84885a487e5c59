package scenarios

import (
	"github.com/racebench/racebench/impl"
	"github.com/racebench/racebench/interleave"
)

var b01 = &Scenario{
	ID:      "B1",
	Name:    "same-state",
	Subject: locksSubject,
	Title:   "two requests of the same state compute at the same time, as they should",
	Story: `Two requests to process the same document come at the same moment. Nothing speaks against both: the state is the
same. The published design holds its lock only while it looks at the state, so that the second waits for some commands and not
for the compute of the first. Where the lock is held during the compute, they queue up (what that costs: B10).`,
	Window: "Do: from the admission of one request to the end of its compute",
	Cases: []Case{
		{Impl: "naive", Variants: []Variant{{
			Schedule: "P.. Q..",
			World:    sameState("naive"),
			Shows:    "both compute at the same time",
			Count:    countAdmitted,
			Counts:   Counts{admitted: 2, refused: 0, atOnce: 2},
		}}},
		{Impl: "lua", Variants: []Variant{{
			Schedule: "P.EVAL Q.EVAL",
			World:    sameState("lua"),
			Shows:    "both compute at the same time",
			Count:    countAdmitted,
			Counts:   Counts{admitted: 2, refused: 0, atOnce: 2},
		}}},
	},
}

func sameState(name string) func(*interleave.World, string) {
	return func(w *interleave.World, target string) {
		l := locks(w, name, target)
		l.timed = true
		l.request("P", 0, impl.Processing, 2*slow)
		l.request("Q", 0, impl.Processing, 2*slow)
		l.meet()
		w.Check(computing.OneState(), requests.Together(), l.answeredInTime())
	}
}
