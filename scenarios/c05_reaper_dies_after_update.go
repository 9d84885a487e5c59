package scenarios

var c05 = &Scenario{
	ID:      "C5",
	Name:    "reaper-dies-after-update",
	Subject: queueSubject,
	Title:   "a task that a reaper has half put back is never put back",
	Story: `A worker dies with a task. After the timeout a reaper makes the row pending again, and dies before it has moved the
entry: a deployment restarts workers and reapers together. The row says that the task waits for a worker; the entry is still
among the active ones. Every later pass finds the entry too old, asks the row to change from processing to pending, is told
that no row changed, and takes that for the work of another reaper. Nobody ever works on the task, and nothing reports it.`,
	Window: "Reap: between the UPDATE of the row and LREM of the entry",
	Orders: queueOrders,
	Cases: []Case{
		{Impl: "naive", Variants: []Variant{{
			Schedule: "W.BRPOPLPUSH W.HSET W.UPDATE W!crash +10m1s R.LRANGE R.HGET R.UPDATE!crash",
			Faults:   "crash:2",
			World:    recovery("naive"),
			Breaks:   breaks(17, allEnd, rowAgrees, retriesCounted),
			Shows:    "row pending, entry in active: no later pass matches, stuck for ever",
			Count:    countQueue,
			Counts:   Counts{inActive: 1, startTimes: 1, begun: 1, rowsPending: 1, retries: 1},
		}}},
		{Impl: "lua", Variants: []Variant{{
			Schedule: "W.EVAL W.UPDATE W!crash +10m1s R.EVAL R.UPDATE!crash",
			Faults:   "crash:2",
			World:    recovery("lua"),
			Shows:    "the next pass finishes it",
			Count:    countQueue,
			Counts:   endedAfter(1),
		}}},
	},
}
