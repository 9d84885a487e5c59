package scenarios

var c04 = &Scenario{
	ID:      "C4",
	Name:    "row-not-yet-processing",
	Subject: queueSubject,
	Title:   "a task whose row never said processing is not put back",
	Story: `A worker has moved a task and written its start time, and dies before its row says processing. When the reaper comes,
the entry is too old, but the row still says pending: the UPDATE from processing to pending matches nothing. The guard that is
to keep two reapers apart takes that for the work of another one, in this pass and in every later one.`,
	Window: "Work: between HSET of the start time and the UPDATE that says processing",
	Orders: queueOrders,
	Cases: []Case{
		{Impl: "naive", Variants: []Variant{{
			Schedule: "W.BRPOPLPUSH W.HSET W!crash +10m1s R..",
			Faults:   "crash:1",
			World:    recovery("naive"),
			Breaks:   breaks(16, allEnd, rowAgrees),
			Shows:    "UPDATE matches no row, stuck for ever",
			Count:    countQueue,
			Counts:   Counts{inActive: 1, startTimes: 1, rowsPending: 1},
		}}},
		{Impl: "lua", Variants: []Variant{{
			Schedule: "W.EVAL W!crash +10m1s R..",
			Faults:   "crash:1",
			World:    recovery("lua"),
			Shows:    "recovered: the row is asked for the attempt, begun or not",
			Count:    countQueue,
			Counts:   Counts{inDone: 1, rowsDone: 1, completions: 1, begun: 1, requeues: 1, retries: 1},
		}}},
	},
}
