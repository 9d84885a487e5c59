package scenarios

var c08 = &Scenario{
	ID:      "C8",
	Name:    "zombie-worker",
	Subject: queueSubject,
	Title:   "a slow worker comes back and takes away what is another's",
	Story: `A worker is slow, not dead: its call hangs, or its machine was paused. A reaper gives its task to a second worker. Then the
first wakes up, writes done, and removes the entry and the start time of the task, which are the second's by now. If both end,
the task was done twice and nobody knows whose result it is. If the second dies before it has ended, nothing is left in Redis
that a reaper could find: the task is lost although everybody did what was published.`,
	Window: "Work: from BRPOPLPUSH to LREM, for longer than the timeout",
	Limit:  "the handler of the first attempt goes on beside the second; only what it returns is refused",
	Orders: queueOrders,
	Cases: []Case{
		{Impl: "naive", Variants: []Variant{
			{
				Name:     "both end",
				Schedule: "W.BRPOPLPUSH W.HSET W.UPDATE +10m1s R.. N.BRPOPLPUSH N.HSET N.UPDATE W.. N..",
				Jumps:    jumps(stale),
				World:    overtaken("naive"),
				Breaks:   []Break{{endedByLast, 17}, {atMostOnce, 21}},
				Shows:    "the first removes the second's entries; two completions",
				Count:    countQueue,
				Counts:   Counts{requeues: 1, begun: 2, completions: 2, rowsDone: 1, retries: 1},
			},
			{
				Name:     "the second dies",
				Schedule: "W.BRPOPLPUSH W.HSET W.UPDATE +10m1s R.. N.BRPOPLPUSH N.HSET W.point(execute) W.UPDATE N.UPDATE W.. N!crash",
				Faults:   "crash:1",
				Jumps:    jumps(stale),
				World:    overtaken("naive"),
				Breaks:   append(breaks(22, noneLost, allEnd, rowAgrees), Break{endedByLast, 17}),
				Shows:    "the first removes the second's entries; the task is lost",
				Count:    countQueue,
				Counts:   Counts{requeues: 1, begun: 2, completions: 1, rowsProcessing: 1, retries: 1},
			},
		}},
		{Impl: "lua", Variants: []Variant{
			{
				Name:     "both end",
				Schedule: "W.EVAL W.UPDATE +10m1s R.. N.EVAL N.UPDATE W.. N..",
				Jumps:    jumps(stale),
				World:    overtaken("lua"),
				Shows:    "attempt token: the first's finish is refused, one completion",
				Count:    countQueue,
				Counts:   Counts{inDone: 1, requeues: 1, begun: 2, completions: 1, tooLate: 1, rowsDone: 1, retries: 1},
			},
			{
				Name:     "the second dies",
				Schedule: "W.EVAL W.UPDATE +10m1s R.. N.EVAL W.point(execute) W.UPDATE N.UPDATE W.. N!crash",
				Faults:   "crash:1",
				Jumps:    jumps(stale),
				World:    overtaken("lua"),
				Shows:    "the first's finish is refused, and the second's attempt is reclaimed",
				Count:    countQueue,
				Counts:   Counts{inDone: 1, requeues: 2, begun: 3, completions: 1, tooLate: 1, rowsDone: 1, retries: 2},
			},
		}},
	},
}
