package scenarios

import (
	"github.com/racebench/racebench/impl"
	"github.com/racebench/racebench/interleave"
)

// What can't be seen at the end any more is counted from the changes of the steps.

// had reports whether the hash of a job has ever been in a state.
func (l left) had(job impl.Job, state impl.JobState) bool {
	for _, k := range l.Before {
		if k.Key == job.Key() && stateOf(k.Value) == state {
			return true
		}
	}
	for _, step := range l.Steps {
		for _, c := range step.Changes {
			if c.Key == job.Key() && c.After != nil && stateOf(c.After) == state {
				return true
			}
		}
	}
	return false
}

// failedOnce counts how often a job became FAILED.
func (l left) failedOnce() int {
	n := 0
	for _, step := range l.Steps {
		for _, c := range step.Changes {
			if _, ok := jobOf(c.Key); ok && c.After != nil && stateOf(c.After) == impl.JobFailed && stateOf(c.Before) != impl.JobFailed {
				n++
			}
		}
	}
	return n
}

// existed reports whether some job with this id has ever had a hash.
func (l left) existed(id string) bool {
	for _, k := range l.Before {
		if job, ok := jobOf(k.Key); ok && job.ID == id {
			return true
		}
	}
	for _, step := range l.Steps {
		for _, c := range step.Changes {
			if job, ok := jobOf(c.Key); ok && job.ID == id {
				return true
			}
		}
	}
	return false
}

// overwritten counts how often an ended job got another status.
func (l left) overwritten() int {
	n := 0
	for _, step := range l.Steps {
		for _, c := range step.Changes {
			if _, ok := jobOf(c.Key); !ok || c.Before == nil || c.After == nil {
				continue
			}
			if was := stateOf(c.Before); was.Terminal() && was != stateOf(c.After) {
				n++
			}
		}
	}
	return n
}

// dropped counts how often a pointer stopped naming a job that was RUNNING.
func (l left) dropped() int {
	n := 0
	data := map[string]*interleave.Entry{}
	for _, k := range l.Before {
		data[k.Key] = k.Value
	}
	for _, step := range l.Steps {
		for _, c := range step.Changes {
			data[c.Key] = c.After
		}
		for _, c := range step.Changes {
			target, ok := judge.PointerTarget(c.Key)
			if !ok || c.Before == nil || c.After.Text() == c.Before.Text() {
				continue
			}
			job := impl.Job{Target: target, ID: c.Before.Text()}
			if stateOf(data[job.Key()]) == impl.JobRunning {
				n++
			}
		}
	}
	return n
}
