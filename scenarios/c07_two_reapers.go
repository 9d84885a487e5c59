package scenarios

import (
	"github.com/racebench/racebench/impl/naive"
	"github.com/racebench/racebench/interleave"
)

var c07 = &Scenario{
	ID:      "C7",
	Name:    "two-reapers",
	Subject: queueSubject,
	Title:   "two reapers put one task back twice",
	Story: `Several reapers run, so that one may die. A worker has died, and two of them read the same stale entry. As published, each
asks the row first, and the row changes for one of them only: the other leaves the task alone. Without that guard both push it.
Two workers are given one task, the customer is charged twice for the slow call, and retry_count says that there was one retry.`,
	Window: "Reap: between HGET of the start time and LPUSH to ready",
	Orders: queueOrders,
	Cases: []Case{
		{Impl: "naive", Variants: []Variant{
			{
				Name:     "as published",
				Schedule: "W.BRPOPLPUSH W.HSET W.UPDATE W!crash +10m1s R.LRANGE S.LRANGE R.HGET S.HGET R.UPDATE S.UPDATE R.. S..",
				Faults:   "crash:1",
				World:    twoReapers("naive"),
				Shows:    "one requeue: the row guards",
				Count:    countQueue,
				Counts:   Counts{requeues: 1, begun: 2, completions: 1, rowsDone: 1, retries: 1},
			},
			{
				Name:     "without the row guard",
				Schedule: "W.BRPOPLPUSH W.HSET W.UPDATE W!crash +10m1s R.LRANGE S.LRANGE R.HGET S.HGET R.UPDATE S.UPDATE R.. S..",
				Faults:   "crash:1",
				World:    twoReapers("naive", unguarded),
				Breaks:   []Break{{neverInTwo, 17}, {retriesCounted, 38}, {atMostOnce, 32}},
				Shows:    "two requeues, executed twice",
				Count:    countQueue,
				Counts:   Counts{requeues: 2, begun: 3, completions: 2, rowsDone: 1, retries: 1},
			},
		}},
		{Impl: "lua", Variants: []Variant{
			{
				Name:     "at once",
				Schedule: "W.EVAL W.UPDATE W!crash +10m1s R.EVAL S.EVAL R.UPDATE S.UPDATE R.. S..",
				Faults:   "crash:1",
				World:    twoReapers("lua"),
				Shows:    "one requeue",
				Count:    countQueue,
				Counts:   endedAfter(1),
			},
			{
				Name:     "one comes back when the task runs again",
				Schedule: "W.EVAL W.UPDATE W!crash +10m1s R.EVAL S.EVAL R.UPDATE S.. +10m N.EVAL N.UPDATE R.. N..",
				Faults:   "crash:1",
				World:    twoReapers("lua"),
				Shows:    "the late one settles nothing: the attempt that it means is over",
				Count:    countQueue,
				Counts:   endedAfter(1),
			},
		}},
	},
}

func unguarded(q *queueWorld) { q.opt = naive.QueueOptions{NoRowGuard: true} }

// twoReapers is recovery with S beside R.
func twoReapers(impl string, changes ...func(*queueWorld)) func(*interleave.World, string) {
	return recovery(impl, append(changes, func(q *queueWorld) {
		q.actor("S", later(stale), (*queueProcess).reap)
		q.Window("two passes at once", span{Actor: "R"}, span{Actor: "S"})
	})...)
}
