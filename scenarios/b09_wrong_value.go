package scenarios

import (
	"time"

	"github.com/racebench/racebench/impl"
	"github.com/racebench/racebench/impl/naive"
	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/invariants"
)

var b09 = &Scenario{
	ID:      "B9",
	Name:    "wrong-value",
	Subject: locksSubject,
	Title:   "a state is stored that the machine does not know",
	Story: `The published listing has a slip: where a request to process sets the state, it writes the word of a cancelled one,
which is none of the three states. Nothing checks it. The next request to process, which should run beside the first, finds a
state other than its own and is refused. States that are values of a type, and not words, can't be confused.`,
	Window: "Do: SET of the state, which takes any word",
	Cases: []Case{
		{Impl: "naive", Variants: []Variant{{
			Schedule: "P.. +1s Q.. +1s C..",
			World:    wrongValue("naive"),
			Breaks:   []Break{{invariants.OneOf("").Name, 3}, {requests.RefusedForCause(0).Name, 12}},
			Shows:    "a state outside the machine is stored, and a second PROCESS is refused by it",
			Count:    countAdmitted,
			Counts:   Counts{admitted: 1, refused: 2, atOnce: 1},
		}}},
		{Impl: "lua", Variants: []Variant{{
			Schedule: "P.EVAL +1s Q.EVAL +1s C.EVAL",
			World:    wrongValue("lua"),
			Shows:    "impossible, states are typed: PROCESS runs beside PROCESS, CANCEL is refused",
			Count:    countAdmitted,
			Counts:   Counts{admitted: 2, refused: 1, atOnce: 2},
		}}},
	},
}

func wrongValue(name string) func(*interleave.World, string) {
	return func(w *interleave.World, target string) {
		l := locks(w, name, target)
		l.opt = naive.LockOptions{WrongValue: true}
		l.request("P", 0, impl.Processing, slow)
		l.request("Q", time.Second, impl.Processing, slow)
		l.request("C", 2*time.Second, impl.Cancelling, slow)
		l.duringCompute("P", "Q")
		w.Check(invariants.OneOf(l.status(), impl.Processing.String(), impl.Cancelling.String()),
			requests.RefusedForCause(impl.DefaultStateTTL), computing.OneState())
	}
}
