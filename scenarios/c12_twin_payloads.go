package scenarios

import (
	"github.com/racebench/racebench/interleave"
)

var c12 = &Scenario{
	ID:      "C12",
	Name:    "twin-payloads",
	Subject: queueSubject,
	Title:   "two equal entries, and the end of one is taken for that of the other",
	Story: `A producer pushes a task, the reply is lost, and its client pushes it again: two equal entries. Two workers take one each.
The one that ends first removes an entry and the start time, and can't say which: an entry is its payload. What is left is the
entry of the second without a start time. If the second dies, no reaper looks at it. And if nobody dies, the task is done twice.`,
	Window: "Work: between BRPOPLPUSH and LREM, for two workers with equal entries",
	Orders: queueOrders,
	Cases: []Case{
		{Impl: "naive", Variants: []Variant{
			{
				Name: "the second dies",
				Schedule: "P.INSERT P.LPUSH!lost P.LPUSH W.BRPOPLPUSH W.HSET W.UPDATE N.BRPOPLPUSH N.HSET " +
					"W.point(execute) W.UPDATE N.UPDATE W.LREM W.HDEL N!crash",
				Faults: "lost:1,crash:1",
				World:  twins("naive"),
				Breaks: []Break{{neverInTwo, 3}, {allEnd, 24}, {retriesCounted, 24}, {endedByLast, 13}},
				Shows:  "the start time of the wrong twin is removed: stuck for ever",
				Count:  countQueue,
				Counts: Counts{requeues: 2, inActive: 1, begun: 2, completions: 1, rowsProcessing: 1},
			},
			{
				Name: "both end",
				Schedule: "P.INSERT P.LPUSH!lost P.LPUSH W.BRPOPLPUSH W.HSET W.UPDATE N.BRPOPLPUSH N.HSET N.UPDATE " +
					"W.. N..",
				Faults: "lost:1",
				World:  twins("naive"),
				Breaks: []Break{{neverInTwo, 3}, {retriesCounted, 25}, {endedByLast, 13}, {atMostOnce, 17}},
				Shows:  "two completions",
				Count:  countQueue,
				Counts: Counts{requeues: 2, begun: 2, completions: 2, rowsDone: 1},
			},
		}},
		{Impl: "lua", Variants: []Variant{{
			Schedule: "P.INSERT P.EVAL!lost P.EVAL W.EVAL N.EVAL",
			Faults:   "lost:1,crash:1",
			World:    twins("lua"),
			Shows:    "the queue knows the task: one entry, and attempt ids differ",
			Count:    countQueue,
			Counts:   Counts{requeues: 1, inDone: 1, begun: 1, completions: 1, rowsDone: 1},
		}}},
	},
}

// twins is a world in which P adds task 1, and W and N work.
func twins(impl string) func(*interleave.World, string) {
	return func(w *interleave.World, target string) {
		q := queue(w, impl, target)
		q.actor("P", add(1))
		q.actor("W", (*queueProcess).work)
		q.actor("N", (*queueProcess).work)
		q.over("M") // two faults may meet two of the others
		q.judged()
	}
}
