package scenarios

import (
	"time"

	"github.com/racebench/racebench/impl"
	"github.com/racebench/racebench/impl/naive"
	"github.com/racebench/racebench/interleave"
)

var b03 = &Scenario{
	ID:      "B3",
	Name:    "no-lock-check-then-set",
	Subject: locksSubject,
	Title:   "two requests read the state before either has set it",
	Story: `Somebody found that reading and writing one key is too short to need a lock, and left it out. A request to process a
document and one to cancel it come at the same moment. Both read that nobody computes, both set their state, and both compute:
the document is cancelled while it is being processed. One script that reads and sets needs no lock and leaves no room between.`,
	Window: "Do: between GET of the state and SET of the state, without the lock",
	Cases: []Case{
		{Impl: "naive", Variants: []Variant{{
			Schedule: "P.GET C.GET P.SET C.SET",
			World:    noLock("naive"),
			Breaks:   []Break{{computing.OneState().Name, 4}},
			Shows:    "both admitted",
			Count:    countAdmitted,
			Counts:   Counts{admitted: 2, refused: 0, atOnce: 2},
		}}},
		{Impl: "lua", Variants: []Variant{{
			Schedule: "P.EVAL C.EVAL",
			World:    noLock("lua"),
			Shows:    "one admitted, the other refused",
			Count:    countAdmitted,
			Counts:   Counts{admitted: 1, refused: 1, atOnce: 1},
		}}},
	},
}

// slow is how long a compute of these scenarios takes unless it matters: never as long as it takes to renew a lease, for what
// happens at the same instant has no order.
const slow = 7 * time.Second

func noLock(name string) func(*interleave.World, string) {
	return func(w *interleave.World, target string) {
		l := locks(w, name, target)
		l.opt = naive.LockOptions{NoLock: true}
		l.request("P", 0, impl.Processing, slow)
		l.request("C", 0, impl.Cancelling, slow)
		l.guardsMeet()
		w.Check(computing.OneState())
	}
}

var countAdmitted = countingLocks(admitted, refused, atOnce)
