package scenarios

import (
	"time"

	"github.com/racebench/racebench/impl"
	"github.com/racebench/racebench/interleave"
)

var b06 = &Scenario{
	ID:      "B6",
	Name:    "state-expires-during-compute",
	Subject: locksSubject,
	Title:   "the state expires while its request still computes",
	Story: `Processing a document seldom takes longer than a few seconds, so the state is stored for thirty. This document takes
forty-five. After thirty the key is gone, and a request to cancel finds a document on which nobody computes. The state has to live as
long as its compute: whoever computes renews it, and stops when it can't.`,
	Window: "from the expiry of the state to the end of its compute",
	Limit: "a process that stands still for longer than its lease can't renew it, and another state is let in; the compute is told " +
		"by its context, and Do returns that the lease is lost",
	Cases: []Case{
		{Impl: "naive", Variants: []Variant{{
			Schedule: "P.. +31s C..",
			World:    stateExpires("naive"),
			Breaks:   []Break{{computing.OneState().Name, 13}},
			Shows:    "CANCEL is admitted while P computes",
			Count:    countExpired,
			Counts:   Counts{admitted: 2, refused: 0, atOnce: 2, lostLease: 0},
		}}},
		{Impl: "lua", Variants: []Variant{
			{
				Name:     "renewed",
				Schedule: "P.EVAL run 31s",
				World:    stateExpires("lua"),
				Shows:    "the lease is renewed three times, and CANCEL is refused",
				Count:    countExpired,
				Counts:   Counts{admitted: 1, refused: 1, atOnce: 1, lostLease: 0},
			},
			{
				Name:     "the process stands still",
				Schedule: "P.EVAL +31s C.EVAL",
				World:    stateExpires("lua"),
				Shows:    "P is told that its lease is lost and stops computing, then CANCEL is admitted",
				Count:    countExpired,
				Counts:   Counts{admitted: 2, refused: 0, atOnce: 1, lostLease: 1},
			},
		}},
	},
}

func stateExpires(name string) func(*interleave.World, string) {
	return func(w *interleave.World, target string) {
		l := locks(w, name, target)
		l.request("P", 0, impl.Processing, 45*time.Second)
		l.request("C", impl.DefaultStateTTL+time.Second, impl.Cancelling, slow)
		l.duringCompute("P", "C")
		w.Check(computing.OneState())
	}
}

var countExpired = countingLocks(admitted, refused, atOnce, lostLease)
