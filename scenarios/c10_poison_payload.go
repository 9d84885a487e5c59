package scenarios

import (
	"context"

	"github.com/racebench/racebench/interleave"
	"github.com/redis/go-redis/v9"
)

var c10 = &Scenario{
	ID:      "C10",
	Name:    "poison-payload",
	Subject: queueSubject,
	Title:   "one malformed entry ends every pass of the reaper",
	Story: `A producer of another version pushes task-2 where an id is expected. A worker moves it and dies, as does the worker of an
ordinary task. The reaper goes through the active entries, can't parse the first, and ends with an error. So does every later
pass: nothing that is behind the malformed entry is ever put back, however often the workers die. One bad entry has switched the
reaper off, and what is seen of it is one line of a log, each half minute.`,
	Window: "Reap: the loop ends with the first error",
	Orders: queueOrders,
	Cases: []Case{
		{Impl: "naive", Variants: []Variant{{
			Schedule: "W.BRPOPLPUSH W.HSET W.UPDATE W!crash V.BRPOPLPUSH!crash +10m1s R..",
			Faults:   "crash:2",
			World:    poisoned("naive", false),
			Breaks:   breaks(14, allEnd),
			Shows:    "the parse error ends each pass: nothing behind it is ever recovered",
			Count:    countQueue,
			Counts:   Counts{inActive: 2, startTimes: 1, begun: 1, rowsProcessing: 1},
		}}},
		{Impl: "lua", Variants: []Variant{
			{
				Name:     "in ready",
				Schedule: "W.EVAL W.UPDATE W!crash V.EVAL!crash +10m1s R..",
				Faults:   "crash:2",
				World:    poisoned("lua", false),
				Shows:    "set aside when a worker meets it, the rest recovered",
				Count:    countQueue,
				Counts:   withDead(endedAfter(1)),
			},
			{
				Name:     "among the active",
				Schedule: "W.EVAL W.UPDATE W!crash V.EVAL!crash +10m1s R..",
				Faults:   "crash:2",
				World:    poisoned("lua", true),
				Shows:    "set aside by the reaper, the rest recovered",
				Count:    countQueue,
				Counts:   withDead(endedAfter(1)),
			},
		}},
	},
}

// poison is an entry that is no task.
const poison = "task-2"

func withDead(c Counts) Counts {
	c[inDead]++
	return c
}

// poisoned is a world with a malformed entry, which waits behind task 1, or is among the active ones already.
func poisoned(impl string, active bool) func(*interleave.World, string) {
	return recovery(impl, func(q *queueWorld) {
		q.poison = func() error {
			if active {
				return q.Redis().ZAdd(context.Background(), q.cfg.ActiveKey(), redis.Z{Score: 0, Member: poison}).Err()
			}
			return q.Redis().LPush(context.Background(), q.cfg.ReadyKey(), poison).Err()
		}
		q.actor("V", (*queueProcess).work)
	})
}
