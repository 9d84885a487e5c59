package scenarios

import "github.com/racebench/racebench/interleave"

var a01 = &Scenario{
	ID:      "A1",
	Name:    "duplicate-acquire",
	Subject: "jobs",
	Title:   "two starts at the same moment make two jobs",
	Story: `Two requests ask for the same document at the same moment, because a user clicks twice or a gateway retries.
Both look for a running job, both find none, and each makes one. The pointer names the job that was written last; the
other one runs too, costs the same calls to the language model, and nobody polls it or could find it.`,
	Window: "Start: between GET of the pointer and SET of the pointer",
	Cases: []Case{
		{Impl: "naive", Variants: []Variant{{
			Schedule: "A.GET B.GET A.. B..",
			World:    duplicateAcquire("naive"),
			Breaks:   []Break{{judge.SingleRunning().Name, 6}, {judge.NoUnreferenced().Name, 8}},
			Shows:    "2 job hashes, 1 unreferenced, two workers started",
			Count:    countStarts,
			Counts:   Counts{jobHashes: 2, unreferencedJobs: 1, acquired: 2, reused: 0, workersStarted: 2},
		}}},
		{Impl: "lua", Variants: []Variant{{
			Schedule: "A.EVAL B.EVAL A.. B..",
			World:    duplicateAcquire("lua"),
			Shows:    "acquired 1, reused 1, 1 job hash",
			Count:    countStarts,
			Counts:   Counts{jobHashes: 1, unreferencedJobs: 0, acquired: 1, reused: 1, workersStarted: 1},
		}}},
		{Impl: "setnx", Variants: []Variant{{
			Schedule: "A.SET B.SET A.. B..",
			World:    duplicateAcquire("setnx"),
			Shows:    "acquired 1, reused 1, 1 job hash: the claim decides (what it costs: A6)",
			Count:    countStarts,
			Counts:   Counts{jobHashes: 1, unreferencedJobs: 0, acquired: 1, reused: 1, workersStarted: 1},
		}}},
	},
}

func duplicateAcquire(impl string) func(*interleave.World, string) {
	return func(w *interleave.World, target string) {
		j := jobs(w, impl, target)
		j.actor("A", (*process).start)
		j.actor("B", (*process).start)
		j.startsMeet()
		w.Check(judge.SingleRunning(), judge.NoUnreferenced())
	}
}

var countStarts = counting(jobHashes, unreferencedJobs, acquired, reused, workersStarted)
