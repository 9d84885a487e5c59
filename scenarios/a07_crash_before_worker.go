package scenarios

import (
	"time"

	"github.com/racebench/racebench/impl"
	"github.com/racebench/racebench/interleave"
)

var a07 = &Scenario{
	ID:      "A7",
	Name:    "crash-before-worker",
	Subject: "jobs",
	Title:   "a job without a worker keeps its target busy until the deadline",
	Story: `A process stores a job and dies before it has started the worker: a deployment, or the kernel's out-of-memory
killer. Job and pointer are as they should be, so everybody is told that the job is running, and nobody works. That lasts
until a poll past the deadline writes FAILED. It is the price of starting a worker from the process that made the job; what
has to hold is that it ends: FAILED after the deadline, and no key left after the TTL.`,
	Window: "Start: between the last write and the start of the worker",
	Limit:  "RUNNING without a worker until the deadline",
	Cases: []Case{
		{Impl: "naive", Variants: []Variant{crashBeforeWorker("naive", "A..SET A.SET!crash +5m B.. +5m poll.. +1h")}},
		{Impl: "lua", Variants: []Variant{crashBeforeWorker("lua", "A.EVAL!crash +5m B.. +5m poll.. +1h")}},
	},
}

// crashBeforeWorker shows the same for each implementation.
func crashBeforeWorker(name, schedule string) Variant {
	return Variant{
		Schedule: schedule,
		World: func(w *interleave.World, target string) {
			j := jobs(w, name, target)
			j.actor("A", (*process).start)
			j.actor("B", comesAfter(5*time.Minute), (*process).start)
			j.actor("poll", func(p *process) error { return p.poll(j.job("a1")) })
			last := on("SET", j.job("").PointerKey())
			if name == "lua" {
				last = on("EVAL", j.job("").PointerKey())
			}
			j.diesAlone("A dies when its job is there, and the poll goes on", "A", last, "poll")
			w.Check(judge.EndsAfter(impl.DefaultDeadline+defaultJobTTL), judge.TerminalStays(),
				judge.NoUnreferenced(), judge.PointerNamesJob(), judge.PointerDeletedOnlyByOwner())
		},
		Shows:  "RUNNING with no worker until the deadline, then FAILED; after the TTL no key is left",
		Count:  counting(workersStarted, acquired, reused, everFailed, keysLeft),
		Counts: Counts{workersStarted: 0, acquired: 0, reused: 1, everFailed: 1, keysLeft: 0},
	}
}

// defaultJobTTL is how long the hash of a job lives when a configuration does not say.
const defaultJobTTL = time.Hour
