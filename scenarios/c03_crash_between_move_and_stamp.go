package scenarios

var c03 = &Scenario{
	ID:      "C3",
	Name:    "crash-between-move-and-stamp",
	Subject: queueSubject,
	Title:   "an active entry without a start time is never too old",
	Story: `A worker moves a task from ready to active and dies before it has written when. The reaper asks for the start time of
each active entry and skips what has none, since it may have been moved a moment ago. It skips this one in every pass. The task
is in a list that everybody can see, and nobody will ever work on it.`,
	Window: "Work: between BRPOPLPUSH and HSET of the start time",
	Orders: queueOrders,
	Cases: []Case{
		{Impl: "naive", Variants: []Variant{{
			Schedule: "W.BRPOPLPUSH!crash +10m1s R..",
			Faults:   "crash:1",
			World:    recovery("naive"),
			Breaks:   breaks(12, allEnd, rowAgrees),
			Shows:    "no start time, the reaper skips it for ever",
			Count:    countQueue,
			Counts:   Counts{inActive: 1, rowsPending: 1},
		}}},
		{Impl: "lua", Variants: []Variant{{
			Schedule: "W.EVAL!crash +10m1s R..",
			Faults:   "crash:1",
			World:    recovery("lua"),
			Shows:    "move and stamp are one script: recovered",
			Count:    countQueue,
			Counts:   Counts{inDone: 1, rowsDone: 1, completions: 1, begun: 1, requeues: 1, retries: 1},
		}}},
	},
}
