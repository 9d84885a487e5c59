package scenarios

import (
	"time"

	"github.com/racebench/racebench/interleave"
)

var a05 = &Scenario{
	ID:      "A5",
	Name:    "deadline-overwrites-success",
	Subject: "jobs",
	Title:   "a poll gives up a job that has just succeeded",
	Story: `A job ends at about its deadline. A poll reads RUNNING, sees that the deadline has passed and is about to write
FAILED, when the worker writes SUCCESS. FAILED comes last: the user is told that a job failed that did all its work.
If an apply came in between, the document has changed and the status says that it can't have.`,
	Window: "Status: between HGETALL of the job and HSET status FAILED",
	Cases: []Case{
		{Impl: "naive", Variants: []Variant{
			{
				Name:     "nobody applies",
				Schedule: "+10m poll.HGETALL worker.. poll..",
				Jumps:    jumps(10 * time.Minute),
				World:    deadlineOverSuccess("naive", false),
				Breaks:   []Break{{judge.TerminalStays().Name, 5}},
				Shows:    "SUCCESS becomes FAILED",
				Count:    countDeadline,
				Counts:   Counts{overwrites: 1, successJobs: 0, failedJobs: 1, applies: 0},
			},
			{
				Name:     "applied in between",
				Schedule: "+10m poll.HGETALL worker.. apply.. poll..",
				Jumps:    jumps(10 * time.Minute),
				World:    deadlineOverSuccess("naive", true),
				Breaks:   []Break{{judge.TerminalStays().Name, 10}, {judge.AppliedOnlySuccess(nil).Name, 11}},
				Shows:    "SUCCESS becomes FAILED after its results were applied",
				Count:    countDeadline,
				Counts:   Counts{overwrites: 1, successJobs: 0, failedJobs: 1, applies: 1},
			},
		}},
		{Impl: "lua", Variants: []Variant{
			{
				Name:     "nobody applies",
				Schedule: "+10m poll.HGETALL worker.. poll..",
				Jumps:    jumps(10 * time.Minute),
				World:    deadlineOverSuccess("lua", false),
				Shows:    "the poll's FAILED is refused, and it reports SUCCESS",
				Count:    countDeadline,
				Counts:   Counts{overwrites: 0, successJobs: 1, failedJobs: 0, applies: 0},
			},
			{
				Name:     "applied in between",
				Schedule: "+10m poll.HGETALL worker.. apply.. poll..",
				Jumps:    jumps(10 * time.Minute),
				World:    deadlineOverSuccess("lua", true),
				Shows:    "the poll's FAILED is refused, and what was applied is of a SUCCESS job",
				Count:    countDeadline,
				Counts:   Counts{overwrites: 0, successJobs: 1, failedJobs: 0, applies: 1},
			},
		}},
	},
}

func deadlineOverSuccess(impl string, applied bool) func(*interleave.World, string) {
	return func(w *interleave.World, target string) {
		j := jobs(w, impl, target)
		j.givenRows()
		job := j.givenJob("a", items)
		j.actor("poll", func(p *process) error { return p.poll(job) })
		j.actor("worker", func(p *process) error { return p.succeed(job) })
		if applied {
			j.actor("apply", func(p *process) error { return p.apply(job) })
		}
		w.Window("SUCCESS between the reading and the writing of a poll",
			span{Actor: "poll", From: on("HGETALL", job.Key()), To: j.writes(job)}, span{Actor: "worker", At: j.writes(job)})
		w.Check(judge.TerminalStays(), judge.SuccessOwnsPointer(), judge.PointerDeletedOnlyByOwner(),
			judge.AppliedOnlySuccess(j.rows))
	}
}

var countDeadline = counting(overwrites, successJobs, failedJobs, applies)
