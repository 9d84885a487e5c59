package scenarios

import (
	"time"

	"github.com/racebench/racebench/impl"
	"github.com/racebench/racebench/impl/naive"
	"github.com/racebench/racebench/interleave"
)

var b07 = &Scenario{
	ID:      "B7",
	Name:    "first-finisher-clears",
	Subject: locksSubject,
	Title:   "the first of two to finish clears the state under the other",
	Story: `Because the state outlives its compute (B8), somebody lets each request delete it at its end. Two requests process the
same document. The short one ends and deletes the state, which was that of the long one too. A request to cancel finds none and
is admitted while the long one computes. A state that several hold must be cleared by the last.`,
	Window: "Do: DEL of the state at the end of a compute, while another request computes in it",
	Cases: []Case{
		{Impl: "naive", Variants: []Variant{{
			Schedule: "P.. Q.. +1s P.. +1s C..",
			World:    firstFinisher("naive"),
			Breaks:   []Break{{computing.OneState().Name, 21}},
			Shows:    "CANCEL is admitted while the second computes",
			Count:    countExpired,
			Counts:   Counts{admitted: 3, refused: 0, atOnce: 2, lostLease: 0},
		}}},
		{Impl: "lua", Variants: []Variant{{
			Schedule: "P.EVAL Q.EVAL +1s P.EVAL +1s C.EVAL",
			World:    firstFinisher("lua"),
			Shows:    "the state stays with its second holder, and CANCEL is refused",
			Count:    countExpired,
			Counts:   Counts{admitted: 2, refused: 1, atOnce: 2, lostLease: 0},
		}}},
	},
}

func firstFinisher(name string) func(*interleave.World, string) {
	return func(w *interleave.World, target string) {
		l := locks(w, name, target)
		l.opt = naive.LockOptions{ClearOnFinish: true}
		l.request("P", 0, impl.Processing, time.Second)
		l.request("Q", 0, impl.Processing, 3*slow) // and renews its lease twice
		l.request("C", 2*time.Second, impl.Cancelling, slow)
		l.duringCompute("Q", "C")
		w.Check(computing.OneState())
	}
}
