package scenarios

import "github.com/racebench/racebench/interleave"

var a04 = &Scenario{
	ID:      "A4",
	Name:    "stale-cleanup",
	Subject: "jobs",
	Title:   "an old job cleans up after itself and removes the newer job's pointer",
	Story: `As in A3 an old job runs beside a newer one that holds the pointer. The old one fails, and its worker tidies up:
FAILED, then DEL of the pointer. But that is the newer job's pointer by now. The next request finds none and starts a
third job beside the newer one, which runs on and can no longer be found.`,
	Window: "Fail: DEL pointer, which deletes whatever the pointer names",
	Cases: []Case{
		{Impl: "naive", Variants: []Variant{{
			Schedule: "worker.HSET worker.DEL C..",
			World:    staleCleanup("naive"),
			Breaks:   []Break{{judge.PointerDeletedOnlyByOwner().Name, 2}, {judge.NoUnreferenced().Name, 2}},
			Shows:    "DEL removes the newer job's pointer, and a third start makes a duplicate",
			Count:    countCleanup,
			Counts:   Counts{pointersPreserved: 0, jobHashes: 3, unreferencedJobs: 1, acquired: 1, reused: 0},
		}}},
		{Impl: "lua", Variants: []Variant{{
			Schedule: "worker.EVAL C..",
			World:    staleCleanup("lua"),
			Shows:    "pointer preserved, the third start is given the newer job",
			Count:    countCleanup,
			Counts:   Counts{pointersPreserved: 1, jobHashes: 2, unreferencedJobs: 0, acquired: 0, reused: 1},
		}}},
	},
}

func staleCleanup(impl string) func(*interleave.World, string) {
	return func(w *interleave.World, target string) {
		j := jobs(w, impl, target)
		older, _ := j.givenTwo()
		j.actor("worker", func(p *process) error { return p.fail(older) })
		j.actor("C", (*process).start)
		cleans := j.writes(older)
		if impl == "naive" {
			cleans = on("DEL", older.PointerKey())
		}
		w.Window("a start while an old job cleans up", span{Actor: "worker", At: cleans}, span{Actor: "C"})
		w.Check(judge.PointerDeletedOnlyByOwner(), judge.NoUnreferenced(), judge.TerminalStays())
	}
}

var countCleanup = counting(pointersPreserved, jobHashes, unreferencedJobs, acquired, reused)
