package scenarios

var c14 = &Scenario{
	ID:      "C14",
	Name:    "late-database-write",
	Subject: queueSubject,
	Title:   "a row is done while the task runs again",
	Story: `A worker is slow, and a second has begun its task anew. Then the first writes done and its result into the row, without
asking whose the task is now. The customer reads the result; the second is still at it, and in the end its own result takes the
place of what the customer has read. With a model that answers differently each time these are two different documents.`,
	Window: "Work: the UPDATE that says done, on condition of nothing but the id",
	Limit:  "the handler of the first attempt goes on beside the second; only what it returns is refused",
	Orders: queueOrders,
	Cases: []Case{
		{Impl: "naive", Variants: []Variant{{
			Schedule: "W.BRPOPLPUSH W.HSET W.UPDATE +10m1s R.. N.BRPOPLPUSH N.HSET N.UPDATE W.point(execute) W.UPDATE N.point(execute) N.UPDATE",
			Jumps:    jumps(stale),
			World:    overtaken("naive"),
			Breaks:   []Break{{endedByLast, 20}, {atMostOnce, 21}},
			Shows:    "row done while the second runs; its result overwritten",
			Count:    countQueue,
			Counts:   Counts{requeues: 1, begun: 2, completions: 2, rowsDone: 1, retries: 1},
		}}},
		{Impl: "lua", Variants: []Variant{{
			Schedule: "W.EVAL W.UPDATE +10m1s R.. N.EVAL N.UPDATE W.point(execute) W.UPDATE N.point(execute) N.UPDATE",
			Jumps:    jumps(stale),
			World:    overtaken("lua"),
			Shows:    "conditional write on the attempt: the first changes no row",
			Count:    countQueue,
			Counts:   Counts{inDone: 1, requeues: 1, begun: 2, completions: 1, tooLate: 1, rowsDone: 1, retries: 1},
		}}},
	},
}
