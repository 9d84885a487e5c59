package scenarios

import (
	"github.com/racebench/racebench/impl"
	"github.com/racebench/racebench/interleave"
)

var b02 = &Scenario{
	ID:      "B2",
	Name:    "opposite-state",
	Subject: locksSubject,
	Title:   "a request is refused while another computes in the opposite state",
	Story: `A document is being processed when somebody wants to cancel it, or the other way round. The second request must be
refused at once. It is, with the lock as published, as long as nobody is slow: B3 to B7 are what it takes for both to get in.`,
	Window: "Do: between GET of the state and SET of the state, under the lock",
	Cases: []Case{
		{Impl: "naive", Variants: []Variant{
			opposite("naive", "CANCEL while PROCESSING", "P.. C.."),
			opposite("naive", "PROCESS while CANCELLING", "C.. P.."),
		}},
		{Impl: "lua", Variants: []Variant{
			opposite("lua", "CANCEL while PROCESSING", "P.EVAL C.EVAL"),
			opposite("lua", "PROCESS while CANCELLING", "C.EVAL P.EVAL"),
		}},
	},
}

func opposite(name, variant, schedule string) Variant {
	return Variant{
		Name:     variant,
		Schedule: schedule,
		World: func(w *interleave.World, target string) {
			l := locks(w, name, target)
			l.timed = true
			l.request("P", 0, impl.Processing, 2*slow)
			l.request("C", 0, impl.Cancelling, 2*slow)
			l.meet()
			w.Check(computing.OneState(), requests.RefusedForCause(impl.DefaultStateTTL), l.answeredInTime())
		},
		Shows:  "the second is refused",
		Count:  countAdmitted,
		Counts: Counts{admitted: 1, refused: 1, atOnce: 1},
	}
}
