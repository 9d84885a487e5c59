package scenarios

import (
	"time"

	"github.com/racebench/racebench/impl"
	"github.com/racebench/racebench/interleave"
)

var a08 = &Scenario{
	ID:      "A8",
	Name:    "pointer-expires",
	Subject: "jobs",
	Title:   "the pointer expires while its job runs, and a second job starts",
	Story: `Somebody set the TTL of the pointer to five minutes, because jobs seldom take longer. One does. The pointer goes,
the next request starts a second job for the same document, and both workers finish. The first writes SUCCESS though the
pointer names the second, and deletes the second's pointer.`,
	Window: "from the expiry of the pointer to the end of its job",
	Limit: "the older job stays RUNNING and unreferenced until its deadline (the constructor of lua refuses a pointer TTL " +
		"below the deadline; this scenario overrides that)",
	Cases: []Case{
		{Impl: "naive", Variants: []Variant{{
			Schedule: "A.GET A.HSET A.EXPIRE A.SET +5m1s B.GET B.HSET B.EXPIRE B.SET A.. B.. +5m poll..",
			Jumps:    jumps(5*time.Minute + time.Second),
			World:    pointerExpires("naive"),
			Breaks:   []Break{{judge.SuccessOwnsPointer().Name, 10}, {judge.PointerDeletedOnlyByOwner().Name, 11}},
			Shows:    "two RUNNING jobs for one target, both reach SUCCESS",
			Count:    countExpires,
			Counts:   Counts{acquired: 2, successJobs: 2, failedJobs: 0, refused: 0, pointersLost: 2},
		}}},
		{Impl: "lua", Variants: []Variant{{
			Schedule: "A.EVAL +5m1s B.EVAL A.. B.. +5m poll..",
			Jumps:    jumps(5*time.Minute + time.Second),
			World:    pointerExpires("lua"),
			Shows:    "only the owner reaches SUCCESS; the older job is RUNNING without a pointer until its deadline",
			Count:    countExpires,
			Counts:   Counts{acquired: 2, successJobs: 1, failedJobs: 1, refused: 1, pointersLost: 1},
		}}},
	},
}

func pointerExpires(name string) func(*interleave.World, string) {
	return func(w *interleave.World, target string) {
		j := jobs(w, name, target)
		j.cfg.PointerTTL, j.cfg.AllowShortPointer = 5*time.Minute, true
		work := func(p *process) error { return p.succeed(p.own) }
		j.actor("A", (*process).start, work)
		j.actor("B", comesAfter(j.cfg.PointerTTL+time.Second), (*process).start, work)
		j.actor("poll", func(p *process) error { return p.poll(j.job("a1")) })
		pointer := j.job("").PointerKey()
		inJob, inStart := span{Actor: "A", From: on("EVAL", pointer), To: on("EVAL", pointer)}, span{Actor: "B", At: on("EVAL", pointer)}
		if name == "naive" {
			inJob.From, inJob.To = on("SET", pointer), on("DEL", pointer)
			inStart.At = on("SET", pointer)
		}
		w.Window("a second start during the first job", inJob, inStart)
		w.Check(judge.SuccessOwnsPointer(), judge.PointerDeletedOnlyByOwner(), judge.TerminalStays(),
			judge.EndsAfter(impl.DefaultDeadline+defaultJobTTL))
	}
}

var countExpires = counting(acquired, successJobs, failedJobs, refused, pointersLost)
