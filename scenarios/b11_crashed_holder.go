package scenarios

import (
	"time"

	"github.com/racebench/racebench/impl"
	"github.com/racebench/racebench/interleave"
)

var b11 = &Scenario{
	ID:      "B11",
	Name:    "crashed-holder",
	Subject: locksSubject,
	Title:   "a holder dies while it computes, and the state stays",
	Story: `A process dies while it processes a document. Nobody clears its state, so that a request to cancel, E, is refused;
there is no telling a dead process from a slow one but by time. At twenty seconds a second request to process, Q,
is admitted, computes and ends. At thirty-one seconds, C wants to cancel. The state of the dead is over by then. But naive has one
TTL for all: Q has set it anew, and has not cleared it. Where each holder has a lease of its own, Q's went with Q.`,
	Window: "from the death of a holder to the end of the state",
	Limit: "the other state is refused until the lease of a dead holder has run out, up to 30 s after its last renewal: a dead process " +
		"can't be told from a slow one before",
	Cases: []Case{
		{Impl: "naive", Variants: []Variant{{
			Schedule: "P.. P!crash E.. +20s Q.. +1s +10s C..",
			Faults:   "crash:1",
			World:    crashedHolder("naive"),
			Breaks:   []Break{{requests.RefusedForCause(0).Name, 26}},
			Shows:    "E is refused, and C too: the state blocks the other side until its TTL, which Q has set anew",
			Count:    countLeft,
			Counts:   Counts{admitted: 2, refused: 2, stateLeft: 1},
		}}},
		{Impl: "lua", Variants: []Variant{{
			Schedule: "P.EVAL P!crash E.. +20s Q.. +1s Q.. +10s C..",
			Faults:   "crash:1",
			World:    crashedHolder("lua"),
			Shows:    "E is refused; the lease of P ends by itself, then C is admitted",
			Count:    countLeft,
			Counts:   Counts{admitted: 3, refused: 1, stateLeft: 0},
		}}},
	},
}

func crashedHolder(name string) func(*interleave.World, string) {
	return func(w *interleave.World, target string) {
		l := locks(w, name, target)
		l.request("P", 0, impl.Processing, slow)
		l.request("E", 0, impl.Cancelling, time.Second)
		l.request("Q", 20*time.Second, impl.Processing, time.Second)
		l.request("C", impl.DefaultStateTTL+time.Second, impl.Cancelling, time.Second)
		l.diesInCompute("P", "E")
		w.Check(computing.OneState(), requests.RefusedForCause(impl.DefaultStateTTL))
	}
}
