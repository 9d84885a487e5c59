package scenarios

import (
	"strconv"
	"strings"

	"github.com/racebench/racebench/impl"
	"github.com/racebench/racebench/interleave"
)

// The names of the numbers that scenarios count.
const (
	jobHashes           = "job hashes"          // hashes of jobs on the server at the end
	unreferencedJobs    = "unreferenced jobs"   // … that are RUNNING and that no pointer names
	successJobs         = "SUCCESS jobs"        // … that are SUCCESS
	failedJobs          = "FAILED jobs"         // … that are FAILED
	foreverHashes       = "hashes without TTL"  // … that never go by themselves
	keysLeft            = "keys left"           // keys of any kind on the server at the end
	itemsCounted        = "items counted"       // processed, in the hashes
	itemsStored         = "items stored"        // fields of the results
	acquired            = "acquired"            // starts that made a job
	reused              = "reused"              // starts that were given a job that they met
	blockedStarts       = "blocked starts"      // … which has never had a hash
	workersStarted      = "workers started"     // workers that a start has started
	refused             = "refused"             // calls that were refused
	applies             = "applies"             // applies that say that they have applied
	rowsApplied         = "rows applied"        // … and how many rows, all together
	everFailed          = "given up"            // jobs that have been FAILED at some time, by their own hash
	overwrites          = "terminal overwrites" // times that an ended job got another status
	pointersLost        = "running jobs losing the pointer"
	lateSuccess         = "late SUCCESS"               // jobs that are SUCCESS on the server and were FAILED before
	lateSuccessRejected = "late SUCCESS rejected"      // jobs whose SUCCESS was refused, and that are not SUCCESS on the server
	pointersPreserved   = "current pointers preserved" // pointers that name what they named before the first step
)

// counters say how each number is counted: from the keys on the server, from the changes of each step, which were read
// from the server too, and from what the actors noted.
var counters = map[string]func(left) int{
	jobHashes:        func(l left) int { return l.hashes(func(impl.Job, *interleave.Entry) bool { return true }) },
	unreferencedJobs: func(l left) int { return l.hashes(l.unreferenced) },
	successJobs:      func(l left) int { return l.hashes(inState(impl.JobSuccess)) },
	failedJobs:       func(l left) int { return l.hashes(inState(impl.JobFailed)) },
	foreverHashes: func(l left) int {
		return l.hashes(func(_ impl.Job, e *interleave.Entry) bool { return e.Expires < 0 })
	},
	keysLeft:       func(l left) int { return len(l.After) },
	itemsCounted:   left.processed,
	itemsStored:    left.stored,
	acquired:       func(l left) int { return l.noted(noteAcquired) },
	reused:         func(l left) int { return l.noted(noteReused) },
	blockedStarts:  left.blocked,
	workersStarted: func(l left) int { return l.noted(noteStarted) },
	refused:        func(l left) int { return l.noted(noteRefused) },
	applies:        func(l left) int { return l.noted(noteApplied) },
	rowsApplied:    left.rows,
	overwrites:     left.overwritten,
	pointersLost:   left.dropped,
	everFailed:     left.failedOnce,
	lateSuccess: func(l left) int {
		return l.hashes(func(job impl.Job, e *interleave.Entry) bool {
			return stateOf(e) == impl.JobSuccess && l.had(job, impl.JobFailed)
		})
	},
	lateSuccessRejected: left.rejected,
	pointersPreserved:   left.preserved,
}

// counting returns a function that counts the numbers of these names.
func counting(names ...string) func(*interleave.Result) Counts {
	return func(res *interleave.Result) Counts {
		l := leftBy(res)
		counts := Counts{}
		for _, name := range names {
			counts[name] = counters[name](l)
		}
		return counts
	}
}

// left is what a run left on the server and in its trace.
type left struct {
	*interleave.Trace
	keys map[string]*interleave.Entry // After, by key
}

func leftBy(res *interleave.Result) left {
	l := left{res.Trace, map[string]*interleave.Entry{}}
	for _, k := range res.Trace.After {
		l.keys[k.Key] = k.Value
	}
	return l
}

// jobOf is the job whose hash has a key.
func jobOf(key string) (impl.Job, bool) {
	target, id, ok := judge.Job(key)
	return impl.Job{Target: target, ID: id}, ok
}

func stateOf(hash *interleave.Entry) impl.JobState {
	return impl.JobState(hash.Field(impl.FieldStatus))
}

func inState(want impl.JobState) func(impl.Job, *interleave.Entry) bool {
	return func(_ impl.Job, hash *interleave.Entry) bool { return stateOf(hash) == want }
}

// hashes counts the hashes of jobs that are accepted.
func (l left) hashes(accepts func(impl.Job, *interleave.Entry) bool) int {
	n := 0
	for _, k := range l.After {
		if job, ok := jobOf(k.Key); ok && accepts(job, k.Value) {
			n++
		}
	}
	return n
}

func (l left) unreferenced(job impl.Job, hash *interleave.Entry) bool {
	return stateOf(hash) == impl.JobRunning && l.keys[job.PointerKey()].Text() != job.ID
}

func (l left) processed() int {
	n := 0
	for _, k := range l.After {
		if _, ok := jobOf(k.Key); ok {
			n += number(k.Value.Field(impl.FieldProcessed))
		}
	}
	return n
}

func (l left) stored() int {
	n := 0
	for _, k := range l.After {
		if job, ok := jobOf(k.Key); ok && l.keys[job.ResultsKey()] != nil {
			const pair = 2 // field and value
			n += len(l.keys[job.ResultsKey()].Items) / pair
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

func (l left) rows() int {
	n := 0
	for _, note := range l.Notes {
		if note.Key == noteApplied {
			n += number(note.Value)
		}
	}
	return n
}

// number is a count that a subject or a note has written; nothing that is no number is ever written there.
func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return n
}

// blocked counts the starts that were given a job which has never had a hash.
func (l left) blocked() int {
	n := 0
	for _, note := range l.Notes {
		if note.Key == noteReused && !l.existed(note.Value) {
			n++
		}
	}
	return n
}

// rejected counts the jobs for which a refusal was noted and that are not SUCCESS on the server.
func (l left) rejected() int {
	return l.hashes(func(job impl.Job, e *interleave.Entry) bool {
		for _, note := range l.Notes {
			if id, _, _ := strings.Cut(note.Value, ":"); note.Key == noteRefused && id == job.ID {
				return stateOf(e) != impl.JobSuccess
			}
		}
		return false
	})
}

// preserved counts the pointers of before the first step that still name the same job.
func (l left) preserved() int {
	n := 0
	for _, k := range l.Before {
		if _, ok := judge.PointerTarget(k.Key); ok && l.keys[k.Key].Text() == k.Value.Text() {
			n++
		}
	}
	return n
}
