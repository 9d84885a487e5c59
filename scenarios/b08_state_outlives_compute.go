package scenarios

import (
	"time"

	"github.com/racebench/racebench/impl"
	"github.com/racebench/racebench/interleave"
)

var b08 = &Scenario{
	ID:      "B8",
	Name:    "state-outlives-compute",
	Subject: locksSubject,
	Title:   "a request is refused although nobody computes any more",
	Story: `Processing this document takes no time at all. A second later its owner wants to cancel it and is told that it is
being processed, and is told so for thirty seconds, since nothing clears the state but its TTL.`,
	Window: "from the end of a compute to the expiry of its state",
	Cases: []Case{
		{Impl: "naive", Variants: []Variant{{
			Schedule: "P.. +1s C..",
			World:    stateOutlives("naive"),
			Breaks:   []Break{{requests.RefusedForCause(0).Name, 12}, {computing.WaitingWhenIdle("", 0).Name, 12}},
			Shows:    "refused though nothing runs, for up to 30 s",
			Count:    countLeft,
			Counts:   Counts{admitted: 1, refused: 1, stateLeft: 1},
		}}},
		{Impl: "lua", Variants: []Variant{{
			Schedule: "P.. +1s C..",
			World:    stateOutlives("lua"),
			Shows:    "admitted",
			Count:    countLeft,
			Counts:   Counts{admitted: 2, refused: 0, stateLeft: 0},
		}}},
	},
}

func stateOutlives(name string) func(*interleave.World, string) {
	return func(w *interleave.World, target string) {
		l := locks(w, name, target)
		l.request("P", 0, impl.Processing, 0)
		l.request("C", time.Second, impl.Cancelling, 0)
		w.Check(computing.OneState(), requests.RefusedForCause(impl.DefaultStateTTL), computing.WaitingWhenIdle(l.status(), impl.DefaultStateTTL))
	}
}

var countLeft = countingLocks(admitted, refused, stateLeft)
