package scenarios

import (
	"time"

	"github.com/racebench/racebench/interleave"
)

var a02 = &Scenario{
	ID:      "A2",
	Name:    "late-success",
	Subject: "jobs",
	Title:   "a job that was given up succeeds after all",
	Story: `A job is slower than its deadline. A poll finds that, writes FAILED and tells the user, who may start again. The
worker does not know: it finishes and writes SUCCESS over FAILED. The user was told that nothing would be applied, and
now an apply of this job is allowed.`,
	Window: "Succeed: HSET status, which does not look at the status that it overwrites",
	Cases: []Case{
		{Impl: "naive", Variants: []Variant{{
			Schedule: "+10m poll.. worker..",
			Jumps:    jumps(10 * time.Minute),
			World:    lateSuccessWorld("naive"),
			Breaks:   []Break{{judge.TerminalStays().Name, 5}, {judge.SuccessOwnsPointer().Name, 5}},
			Shows:    "FAILED becomes SUCCESS",
			Count:    countLate,
			Counts:   Counts{lateSuccess: 1, overwrites: 1, refused: 0, successJobs: 1, failedJobs: 0},
		}}},
		{Impl: "lua", Variants: []Variant{{
			Schedule: "+10m poll.. worker..",
			Jumps:    jumps(10 * time.Minute),
			World:    lateSuccessWorld("lua"),
			Shows:    "SUCCESS refused, FAILED stays",
			Count:    countLate,
			Counts:   Counts{lateSuccess: 0, overwrites: 0, refused: 1, successJobs: 0, failedJobs: 1},
		}}},
	},
}

func lateSuccessWorld(impl string) func(*interleave.World, string) {
	return func(w *interleave.World, target string) {
		j := jobs(w, impl, target)
		job := j.givenJob("a", 0)
		j.actor("poll", func(p *process) error { return p.poll(job) })
		j.actor("worker", func(p *process) error { return p.succeed(job) })
		w.Window("a job ends while it is being given up",
			span{Actor: "poll", At: j.writes(job)}, span{Actor: "worker", To: j.writes(job)})
		w.Check(judge.TerminalStays(), judge.SuccessOwnsPointer(), judge.PointerDeletedOnlyByOwner(), judge.NoUnreferenced())
	}
}

var countLate = counting(lateSuccess, overwrites, refused, successJobs, failedJobs)
