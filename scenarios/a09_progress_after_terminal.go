package scenarios

import (
	"time"

	"github.com/racebench/racebench/interleave"
)

var a09 = &Scenario{
	ID:      "A9",
	Name:    "progress-after-terminal",
	Subject: "jobs",
	Title:   "a job that has failed goes on growing",
	Story: `A poll past the deadline has written FAILED. The worker is not told, and goes on: each item that it reports counts
up and adds a result. The user looks at a failed job whose progress bar moves, and the results of an ended job use memory
that nobody will read.`,
	Window: "Progress: HINCRBY and HSET, which do not look at the status",
	Cases: []Case{
		{Impl: "naive", Variants: []Variant{{
			Schedule: "+10m poll.. worker..",
			Jumps:    jumps(10 * time.Minute),
			World:    progressAfterEnd("naive"),
			Breaks:   []Break{{judge.NoProgressAfterEnd().Name, 5}},
			Shows:    "processed and results grow after the end",
			Count:    countProgress,
			Counts:   Counts{itemsCounted: 3, itemsStored: 3, refused: 0, failedJobs: 1},
		}}},
		{Impl: "lua", Variants: []Variant{{
			Schedule: "+10m poll.. worker..",
			Jumps:    jumps(10 * time.Minute),
			World:    progressAfterEnd("lua"),
			Shows:    "refused",
			Count:    countProgress,
			Counts:   Counts{itemsCounted: 1, itemsStored: 1, refused: 2, failedJobs: 1},
		}}},
	},
}

func progressAfterEnd(impl string) func(*interleave.World, string) {
	return func(w *interleave.World, target string) {
		j := jobs(w, impl, target)
		job := j.givenJob("a", 1)
		j.actor("poll", func(p *process) error { return p.poll(job) })
		j.actor("worker", func(p *process) error { return p.report(job, 1, 2) })
		w.Window("a job is given up while its worker goes on", span{Actor: "poll", At: j.writes(job)}, span{Actor: "worker"})
		w.Check(judge.NoProgressAfterEnd(), judge.TerminalStays(), judge.PointerDeletedOnlyByOwner())
	}
}

var countProgress = counting(itemsCounted, itemsStored, refused, failedJobs)
