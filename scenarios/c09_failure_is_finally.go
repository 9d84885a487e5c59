package scenarios

import (
	"github.com/racebench/racebench/interleave"
)

var c09 = &Scenario{
	ID:      "C9",
	Name:    "failure-is-finally",
	Subject: queueSubject,
	Title:   "a task that fails once is never tried again",
	Story: `The slow call fails: the model answers 503. The worker writes failed into the row, and its finally removes the entry, as
it does after a success. So the one case in which trying again would help is the one that is never tried again: to have crashed
would have been better. And there is no list of what was given up.`,
	Window: "none: the finally of Work runs whatever happened",
	Orders: queueOrders,
	Cases: []Case{
		{Impl: "naive", Variants: []Variant{{
			Schedule: "W..",
			World:    failing("naive", (*queueProcess).failOne),
			Breaks:   breaks(14, noneLost, allEnd, rowAgrees),
			Shows:    "finally removes the entry: never retried",
			Count:    countQueue,
			Counts:   Counts{begun: 1, rowsFailed: 1},
		}}},
		{Impl: "lua", Variants: []Variant{
			{
				Name:     "fails once",
				Schedule: "W..",
				World:    failing("lua", (*queueProcess).failOne),
				Shows:    "retried at once, and done",
				Count:    countQueue,
				Counts:   endedAfter(1),
			},
			{
				Name:     "fails each time",
				Schedule: "W..",
				World:    failing("lua", (*queueProcess).failAll),
				Shows:    "retried 3 times, then among the dead",
				Count:    countQueue,
				Counts:   Counts{inDead: 1, rowsDead: 1, begun: 4, requeues: 3, retries: 3},
			},
		}},
	},
}

// failing is a world in which the calls of W fail. N comes later.
func failing(impl string, does func(*queueProcess) error) func(*interleave.World, string) {
	return func(w *interleave.World, target string) {
		q := queue(w, impl, target)
		q.given(1)
		q.actor("W", does)
		q.actor("N", later(nextWork), (*queueProcess).workAll)
		q.over()
		q.judged()
	}
}
