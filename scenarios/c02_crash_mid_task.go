package scenarios

import (
	"github.com/racebench/racebench/impl"
)

var c02 = &Scenario{
	ID:      "C2",
	Name:    "crash-mid-task",
	Subject: queueSubject,
	Title:   "a worker dies in the middle of a task, and the repair works",
	Story: `The published check of the repair. A worker is killed while it executes a task: the row says processing, the task is not
in ready, its entry is among the active ones and has a start time. When that is more than ten minutes old, a reaper makes the
row pending, counts a retry, moves the entry back and logs it. A new worker takes the task and ends it. Just ten minutes are
not more than ten minutes: a pass at that moment leaves the task alone, and the next one takes it.`,
	Window: "none: this is what the repair is made for",
	Orders: queueOrders,
	Cases: []Case{
		{Impl: "naive", Variants: []Variant{
			{
				Name:     "after more than 600 s",
				Schedule: "W.BRPOPLPUSH W.HSET W.UPDATE W.point(execute) W!crash +10m1s R..",
				Faults:   "crash:1",
				World:    recovery("naive"),
				Shows:    "recovered: retry_count 1, done",
				Count:    countQueue,
				Counts:   Counts{requeues: 1, begun: 2, completions: 1, rowsDone: 1, retries: 1},
			},
			{
				Name:     "not after just 600 s",
				Schedule: "W.BRPOPLPUSH W.HSET W.UPDATE W.point(execute) W!crash +10m R..",
				Faults:   "crash:1",
				World:    recovery("naive", reapedAtTimeout),
				Shows:    "left alone by the first pass, recovered by the next",
				Count:    countQueue,
				Counts:   Counts{requeues: 1, begun: 2, completions: 1, rowsDone: 1, retries: 1},
			},
		}},
		{Impl: "lua", Variants: []Variant{
			{
				Name:     "after more than 600 s",
				Schedule: "W.EVAL W.UPDATE W.point(execute) W!crash +10m1s R..",
				Faults:   "crash:1",
				World:    recovery("lua"),
				Shows:    "the same",
				Count:    countQueue,
				Counts:   endedAfter(1),
			},
			{
				Name:     "not after just 600 s",
				Schedule: "W.EVAL W.UPDATE W.point(execute) W!crash +10m R..",
				Faults:   "crash:1",
				World:    recovery("lua", reapedAtTimeout),
				Shows:    "the same",
				Count:    countQueue,
				Counts:   endedAfter(1),
			},
		}},
	},
}

// reapedAtTimeout lets R come when the timeout has just passed, and not a second later.
func reapedAtTimeout(q *queueWorld) { q.reapAt = impl.DefaultTimeout }
