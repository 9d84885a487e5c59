package scenarios

import (
	"github.com/racebench/racebench/interleave"
)

var c13 = &Scenario{
	ID:      "C13",
	Name:    "lost-reply-on-move",
	Subject: queueSubject,
	Title:   "a worker is given a task and does not know it",
	Story: `A worker asks for a task. The server moves one to active, and the connection breaks before the reply is there. The client
asks again, as clients do, and is given the next task. The first is active without a worker that knows of it and without a start
time, and so without anybody who would put it back. No process has died, and nothing is logged.`,
	Window: "Work: between BRPOPLPUSH on the server and its reply",
	Orders: queueOrders,
	Cases: []Case{
		{Impl: "naive", Variants: []Variant{{
			Schedule: "W.BRPOPLPUSH!lost W.BRPOPLPUSH",
			Faults:   "lost:1",
			World:    lostReply("naive"),
			Breaks:   breaks(15, allEnd, rowAgrees),
			Shows:    "first task in active with no worker and no start time; stuck",
			Count:    countQueue,
			Counts:   Counts{inActive: 1, begun: 1, completions: 1, rowsDone: 1, rowsPending: 1},
		}}},
		{Impl: "lua", Variants: []Variant{{
			Schedule: "W.EVAL!lost W.EVAL",
			Faults:   "lost:1",
			World:    lostReply("lua"),
			Shows:    "the move is idempotent per worker: it is given the same attempt again",
			Count:    countQueue,
			Counts:   Counts{inDone: 2, begun: 2, completions: 2, rowsDone: 2},
		}}},
	},
}

// lostReply is a world with two tasks and one worker.
func lostReply(impl string) func(*interleave.World, string) {
	return func(w *interleave.World, target string) {
		q := queue(w, impl, target)
		q.given(1, 2)
		q.actor("W", (*queueProcess).workAll)
		q.over()
		q.judged()
	}
}
