package scenarios

import (
	"github.com/racebench/racebench/impl/naive"
)

var c01 = &Scenario{
	ID:      "C1",
	Name:    "legacy-crash",
	Subject: queueSubject,
	Title:   "a worker that dies takes its task with it",
	Story: `The first version pops a task from the list and works on it. When the worker is killed in the middle, by a deployment
or for its memory, the task is in no list any more: it was only in the worker's head. Its row says processing, for ever. The
customer waits, support finds a row that looks busy, and nothing is left that could be tried again.`,
	Window: "Work: from BRPOP to the UPDATE that says done",
	Orders: queueOrders,
	Cases: []Case{
		{Impl: "naive", Variants: []Variant{{
			Schedule: "W.BRPOP W.UPDATE W.point(execute) W!crash",
			Faults:   "crash:1",
			World:    recovery("naive", legacy),
			Breaks:   breaks(11, noneLost, allEnd, rowAgrees),
			Shows:    "task lost, row processing for ever",
			Count:    countQueue,
			Counts:   Counts{begun: 1, rowsProcessing: 1},
		}}},
		{Impl: "lua", Variants: []Variant{{
			Schedule: "W.EVAL W.UPDATE W.point(execute) W!crash",
			Faults:   "crash:1",
			World:    recovery("lua"),
			Shows:    "not applicable, it has no such version; the same death is recovered",
			Count:    countQueue,
			Counts:   endedAfter(1),
		}}},
	},
}

// legacy is the version before the repair.
func legacy(q *queueWorld) { q.opt = naive.QueueOptions{Legacy: true} }
