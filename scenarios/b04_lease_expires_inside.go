package scenarios

import (
	"time"

	"github.com/racebench/racebench/impl"
	"github.com/racebench/racebench/interleave"
)

var b04 = &Scenario{
	ID:      "B4",
	Name:    "lease-expires-inside",
	Subject: locksSubject,
	Title:   "the lease of the lock runs out between reading and setting the state",
	Story: `A request to process a document takes the lock and reads that nobody computes. Then its process stands still for
eleven seconds: a garbage collection, a paused virtual machine, a swapped page. The lock is a lease of ten seconds and goes. A
request to cancel takes it, reads, sets its state and computes. The first wakes up, sets its own state, and computes too.`,
	Window: "Do: between GET of the state and SET of the state, from the end of the lease on",
	Cases: []Case{
		{Impl: "naive", Variants: []Variant{{
			Schedule: "P.SET P.GET +11s C.. P..",
			Jumps:    jumps(11 * time.Second),
			World:    leaseExpiresInside("naive"),
			Breaks:   []Break{{computing.OneState().Name, 11}, {statusKept, 10}},
			Shows:    "both admitted",
			Count:    countAdmitted,
			Counts:   Counts{admitted: 2, refused: 0, atOnce: 2},
		}}},
		{Impl: "lua", Variants: []Variant{{
			Schedule: "P.EVAL +11s C.EVAL",
			Jumps:    jumps(11 * time.Second),
			World:    leaseExpiresInside("lua"),
			Shows:    "there is no inside: reading and setting is one script, and the other is refused",
			Count:    countAdmitted,
			Counts:   Counts{admitted: 1, refused: 1, atOnce: 1},
		}}},
	},
}

func leaseExpiresInside(name string) func(*interleave.World, string) {
	return func(w *interleave.World, target string) {
		l := locks(w, name, target)
		l.request("P", 0, impl.Processing, 3*slow)
		l.request("C", 0, impl.Cancelling, 3*slow)
		l.guardsMeet()
		w.Check(computing.OneState(), l.statusKept())
	}
}
