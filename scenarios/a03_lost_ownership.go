package scenarios

import "github.com/racebench/racebench/interleave"

var a03 = &Scenario{
	ID:      "A3",
	Name:    "lost-ownership-success",
	Subject: "jobs",
	Title:   "a job succeeds though the pointer names a newer one",
	Story: `The pointer of a running job is gone: it has expired, or Redis has evicted it. A new request finds none and starts
a newer job. Then the worker of the old one finishes and writes SUCCESS, and DEL of the pointer hits the newer job. Two
jobs of one document can now be applied, and which of them the user sees is a matter of luck.`,
	Window: "Succeed: HSET status and DEL pointer, neither of which looks at what the pointer names",
	Cases: []Case{
		{Impl: "naive", Variants: []Variant{{
			Schedule: "worker.HSET worker.DEL",
			World:    lostOwnership("naive"),
			Breaks:   []Break{{judge.SuccessOwnsPointer().Name, 1}, {judge.PointerDeletedOnlyByOwner().Name, 2}},
			Shows:    "the old job becomes SUCCESS although it lost the right; the newer job's pointer is deleted",
			Count:    countOwnership,
			Counts:   Counts{successJobs: 1, lateSuccessRejected: 0, pointersPreserved: 0, refused: 0},
		}}},
		{Impl: "lua", Variants: []Variant{{
			Schedule: "worker.EVAL",
			World:    lostOwnership("lua"),
			Shows:    "SUCCESS refused, the pointer still names the newer job",
			Count:    countOwnership,
			Counts:   Counts{successJobs: 0, lateSuccessRejected: 1, pointersPreserved: 1, refused: 1},
		}}},
	},
}

func lostOwnership(impl string) func(*interleave.World, string) {
	return func(w *interleave.World, target string) {
		j := jobs(w, impl, target)
		older, _ := j.givenTwo()
		j.actor("worker", func(p *process) error { return p.succeed(older) })
		w.Check(judge.SuccessOwnsPointer(), judge.PointerDeletedOnlyByOwner(), judge.TerminalStays())
	}
}

var countOwnership = counting(successJobs, lateSuccessRejected, pointersPreserved, refused)
