package scenarios

import (
	"time"

	"github.com/racebench/racebench/impl"
	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/invariants"
)

var b05 = &Scenario{
	ID:      "B5",
	Name:    "foreign-unlock",
	Subject: locksSubject,
	Title:   "an owner whose lease is over deletes the lock of the next one",
	Story: `P is done and gives the lock back. It reads that the lock is still its own, and stands still. The lease runs out, C
takes the lock, and now P deletes it: what it has read is not true any more. D finds no lock and takes it while C is inside.`,
	Window: "Unlock: between GET of the lock and DEL of the lock",
	Cases: []Case{
		{Impl: "naive", Variants: []Variant{{
			Schedule: "P.SET P.GET +11s C.SET P.DEL P.PUBLISH +1s D.SET",
			Jumps:    jumps(11 * time.Second),
			World:    foreignUnlock("naive"),
			Breaks:   []Break{{lockOfOwner, 5}, {computing.Alone().Name, 8}},
			Shows:    "two inside",
			Count:    countOwners,
			Counts:   Counts{admitted: 3, atOnce: 2, lostLease: 0, timeouts: 0},
		}}},
		{Impl: "lua", Variants: []Variant{{
			Schedule: "P.EVAL +11s C.EVAL P.EVAL +1s D.EVAL",
			Jumps:    jumps(11 * time.Second),
			World:    foreignUnlock("lua"),
			Shows:    "compare-and-delete: P is told that its lease is lost, and D waits for C",
			Count:    countOwners,
			Counts:   Counts{admitted: 3, atOnce: 1, lostLease: 1, timeouts: 0},
		}}},
	},
}

// lockOfOwner is the name of the invariant that a lock is released by its owner.
var lockOfOwner = invariants.ReleasedByOwner("", false).Name

func foreignUnlock(name string) func(*interleave.World, string) {
	return func(w *interleave.World, target string) {
		l := locks(w, name, target)
		const holds = 3 * time.Second // less than anybody waits
		l.owner("P", 0, 0)
		l.owner("C", impl.DefaultLease+time.Second, holds)
		l.owner("D", impl.DefaultLease+2*time.Second, holds)
		gives, takes := span{Actor: "P", From: on("EVAL", l.lock()), To: on("EVAL", l.lock())}, span{Actor: "C", At: on("EVAL", l.lock())}
		if name == "naive" {
			gives.From, gives.To, takes.At = on("GET", l.lock()), on("DEL", l.lock()), on("SET", l.lock())
		}
		w.Window("another takes the lock while P gives it back", gives, takes)
		w.Check(invariants.ReleasedByOwner(l.lock(), false), computing.Alone())
	}
}

var countOwners = countingLocks(admitted, atOnce, lostLease, timeouts)
