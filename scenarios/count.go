package scenarios

import (

	"github.com/racebench/racebench/impl"
	"github.com/racebench/racebench/interleave"
)

// The names of the numbers that scenarios count.
const (
	jobHashes        = "job hashes"        // hashes of jobs on the server at the end
	unreferencedJobs = "unreferenced jobs" // … that are RUNNING and that no pointer names
	acquired         = "acquired"          // starts that made a job
	reused           = "reused"            // starts that were given a job that runs
	workersStarted   = "workers started"
)

// left is what a run left on the server and in its notes, for counting.
type left struct {
	*interleave.Trace
	keys map[string]*interleave.Entry
}

func leftBy(res *interleave.Result) left {
	l := left{res.Trace, map[string]*interleave.Entry{}}
	for _, k := range res.Trace.After {
		l.keys[k.Key] = k.Value
	}
	return l
}

// hashes are the jobs that have a hash on the server, with their status.
func (l left) hashes() map[impl.Job]impl.JobState {
	out := map[impl.Job]impl.JobState{}
	for key, e := range l.keys {
		if job, ok := jobOf(key); ok {
			out[job] = impl.JobState(e.Field(impl.FieldStatus))
		}
	}
	return out
}

// unreferenced counts the jobs that are RUNNING and that no pointer names.
func (l left) unreferenced() int {
	n := 0
	for job, state := range l.hashes() {
		if state == impl.JobRunning && l.keys[job.PointerKey()].Text() != job.ID {
			n++
		}
	}
	return n
}

// noted counts the notes of a key.
func (l left) noted(key string) int {
	n := 0
	for _, note := range l.Notes {
		if note.Key == key {
			n++
		}
	}
	return n
}

// jobOf is the job whose hash has a key.
func jobOf(key string) (impl.Job, bool) {
	target, id, ok := judge.Job(key)
	return impl.Job{Target: target, ID: id}, ok
}

// countStarts counts jobs and starts.
func countStarts(res *interleave.Result) Counts {
	l := leftBy(res)
	return Counts{
		jobHashes:        len(l.hashes()),
		unreferencedJobs: l.unreferenced(),
		acquired:         l.noted(noteAcquired),
		reused:           l.noted(noteReused),
		workersStarted:   l.noted(noteStarted),
	}
}

