package scenarios

var c06 = &Scenario{
	ID:      "C6",
	Name:    "reaper-dies-after-lrem",
	Subject: queueSubject,
	Title:   "a task that a reaper has taken out of one list and not put into the other",
	Story: `A worker dies with a task. The reaper makes the row pending, removes the entry from active, and dies before it has pushed
the task to ready. Now the task is in no list: no reaper sees it, no worker is given it, and its row says that it waits for one.
What was to save the task has lost it.`,
	Window: "Reap: between LREM of the entry and LPUSH to ready",
	Orders: queueOrders,
	Cases: []Case{
		{Impl: "naive", Variants: []Variant{
			{
				Name:     "after LREM",
				Schedule: "W.BRPOPLPUSH W.HSET W.UPDATE W!crash +10m1s R.LRANGE R.HGET R.UPDATE R.LREM!crash",
				Faults:   "crash:2",
				World:    recovery("naive"),
				Breaks:   breaks(16, noneLost, allEnd, rowAgrees, retriesCounted),
				Shows:    "task lost",
				Count:    countQueue,
				Counts:   Counts{startTimes: 1, begun: 1, rowsPending: 1, retries: 1},
			},
			{
				Name:     "after HDEL",
				Schedule: "W.BRPOPLPUSH W.HSET W.UPDATE W!crash +10m1s R.LRANGE R.HGET R.UPDATE R.LREM R.HDEL!crash",
				Faults:   "crash:2",
				World:    recovery("naive"),
				Breaks:   breaks(17, noneLost, allEnd, rowAgrees, retriesCounted),
				Shows:    "task lost, and no trace of it in Redis",
				Count:    countQueue,
				Counts:   Counts{begun: 1, rowsPending: 1, retries: 1},
			},
		}},
		{Impl: "lua", Variants: []Variant{
			{
				Name:     "before its script",
				Schedule: "W.EVAL W.UPDATE W!crash +10m1s R.EVAL R.UPDATE R!crash",
				Faults:   "crash:2",
				World:    recovery("lua"),
				Shows:    "still active: the next pass puts it back",
				Count:    countQueue,
				Counts:   endedAfter(1),
			},
			{
				Name:     "after its script",
				Schedule: "W.EVAL W.UPDATE W!crash +10m1s R.EVAL R.UPDATE R.EVAL!crash",
				Faults:   "crash:2",
				World:    recovery("lua"),
				Shows:    "one script: it is in ready",
				Count:    countQueue,
				Counts:   endedAfter(1),
			},
		}},
	},
}
