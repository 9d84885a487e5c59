package scenarios

import (
	"time"

	"github.com/racebench/racebench/interleave"
)

var c11 = &Scenario{
	ID:      "C11",
	Name:    "clock-skew",
	Subject: queueSubject,
	Title:   "a clock that is off reclaims too early, or never",
	Story: `The start time is of the worker's clock, and its age is judged by the reaper's. When the worker's is ahead, its task looks
young long after it has died: with a clock that is off by a day, nobody touches the task for a day. When the worker's clock is
behind, or the reaper's is ahead, a task that was taken a moment ago is too old already: it is given to a second worker while the
first is at it, and is done twice. Virtual machines that were paused, and a wrong time zone, do that.`,
	Window: "none: the age of an entry is the difference of two clocks",
	Orders: queueOrders,
	Cases: []Case{
		{Impl: "naive", Variants: []Variant{
			{
				Name:     "a worker ahead",
				Schedule: "W.BRPOPLPUSH W.HSET W.UPDATE W!crash +10m1s R..",
				Faults:   "crash:1",
				World:    recovery("naive", workerAhead),
				Breaks:   breaks(15, allEnd),
				Shows:    "not reclaimed",
				Count:    countQueue,
				Counts:   Counts{inActive: 1, startTimes: 1, begun: 1, rowsProcessing: 1},
			},
			{
				Name:     "a worker behind",
				Schedule: "W.BRPOPLPUSH W.HSET W.UPDATE R.. N.BRPOPLPUSH N.HSET N.UPDATE W.. N..",
				World:    hasty("naive", -stale, 0),
				Breaks:   []Break{{endedByLast, 16}, {atMostOnce, 20}},
				Shows:    "reclaimed at once, while the worker is at it: two completions",
				Count:    countQueue,
				Counts:   Counts{requeues: 1, begun: 2, completions: 2, rowsDone: 1, retries: 1},
			},
			{
				Name:     "a reaper ahead",
				Schedule: "W.BRPOPLPUSH W.HSET W.UPDATE R.. N.BRPOPLPUSH N.HSET N.UPDATE W.. N..",
				World:    hasty("naive", 0, stale),
				Breaks:   []Break{{endedByLast, 16}, {atMostOnce, 20}},
				Shows:    "the same",
				Count:    countQueue,
				Counts:   Counts{requeues: 1, begun: 2, completions: 2, rowsDone: 1, retries: 1},
			},
		}},
		{Impl: "lua", Variants: []Variant{
			{
				Name:     "a worker ahead",
				Schedule: "W.EVAL W.UPDATE W!crash +10m1s R..",
				Faults:   "crash:1",
				World:    recovery("lua", workerAhead),
				Shows:    "server time only: reclaimed in time",
				Count:    countQueue,
				Counts:   endedAfter(1),
			},
			{
				Name:     "a worker behind",
				Schedule: "W.EVAL W.UPDATE R.. N.EVAL W..",
				World:    hasty("lua", -stale, 0),
				Shows:    "left alone, one completion",
				Count:    countQueue,
				Counts:   endedAfter(0),
			},
			{
				Name:     "a reaper ahead",
				Schedule: "W.EVAL W.UPDATE R.. N.EVAL W..",
				World:    hasty("lua", 0, stale),
				Shows:    "the same",
				Count:    countQueue,
				Counts:   endedAfter(0),
			},
		}},
	},
}

// workerAhead sets the clock of W ahead by a day.
func workerAhead(q *queueWorld) { q.workerSkew = 24 * time.Hour }

// hasty is a world in which nobody waits: W works, R reaps and N works, and the clocks of W and of R are off.
func hasty(impl string, worker, reaper time.Duration) func(*interleave.World, string) {
	return func(w *interleave.World, target string) {
		q := queue(w, impl, target)
		q.given(1)
		q.actor("W", skewed(worker), (*queueProcess).work)
		q.actor("R", skewed(reaper), (*queueProcess).reap)
		q.actor("N", (*queueProcess).work)
		q.over()
		q.judged()
	}
}
