package invariants

import (
	"fmt"

	"github.com/racebench/racebench/interleave"
)

// SingleRunning holds while no target has two jobs that are RUNNING.
//
// It is what a pointer is for: of two running jobs, one works for nobody and both write.
func (j Jobs) SingleRunning() interleave.Invariant {
	return interleave.Invariant{Name: "one running job a target", When: interleave.AlwaysHolds, Judge: func(s *interleave.State) interleave.Verdict {
		running := map[string]job{} // by target
		for _, x := range j.jobs(s) {
			if j.status(s.Entry(x.key)) != Running {
				continue
			}
			if other, ok := running[x.target]; ok {
				return violated("%s and %s of %s are both RUNNING", other.id, x.id, x.target)
			}
			running[x.target] = x
		}
		return interleave.Verdict{}
	}}
}

// NoUnreferenced holds while each RUNNING job is named by the pointer of its target: nobody finds one that is not, so
// the next start makes a second.
//
// A job is made before or after its pointer is set, so one that is being started is no violation yet. It is one when
// the pointer named the job before the last step, when the actor that made the job has crashed, or when nothing more
// can happen. A job that was there before the first step, without its pointer, is given and judged in the same way.
func (j Jobs) NoUnreferenced() interleave.Invariant {
	return interleave.Invariant{Name: "no unreferenced jobs", When: interleave.AlwaysHolds, Judge: func(s *interleave.State) interleave.Verdict {
		for _, x := range j.jobs(s) {
			if j.status(s.Entry(x.key)) != Running {
				continue
			}
			key := j.pointerKey(x.target)
			pointer := s.Entry(key)
			if pointer != nil && pointer.Text() == x.id {
				continue
			}
			if why := j.settled(s, key, x.key, x.id); why != "" {
				return violated("%s of %s is RUNNING, but %s (%s)", x.id, x.target, says(pointer), why)
			}
		}
		return interleave.Verdict{}
	}}
}

// settled says why a pointer that does not name a job won't any more; empty when it still may.
func (j Jobs) settled(s *interleave.State, pointer, hash, id string) string {
	t := s.Trace()
	for m := range lastMoment(s) {
		if c := m.change(pointer); c != nil && c.Before.Text() == id {
			return m.String() + " took it away"
		}
	}
	if actor := lastBy(t, hash, func(c interleave.Change) bool { return c.Before == nil }); actor != "" && crashed(t, actor) {
		return actor + " crashed on the way"
	}
	if s.Final {
		return "nothing more can happen"
	}
	return ""
}

// says is what a pointer says.
func says(pointer *interleave.Entry) string {
	if pointer == nil {
		return "no pointer names it"
	}
	return fmt.Sprintf("the pointer names %s", pointer.Text())
}

// PointerNamesJob holds while what a pointer names is a job that exists. A pointer to nothing blocks every start that
// trusts it.
//
// A pointer may be set before its job is made, so one whose job is still to come is no violation yet. It is one when the
// job went away in the last step and left its pointer, when the actor that set the pointer has crashed, or when nothing
// more can happen.
func (j Jobs) PointerNamesJob() interleave.Invariant {
	return interleave.Invariant{Name: "a pointer names a job that exists", When: interleave.AlwaysHolds, Judge: func(s *interleave.State) interleave.Verdict {
		t := s.Trace()
		for _, key := range s.Keys("*") {
			target, ok := j.PointerTarget(key)
			if !ok {
				continue
			}
			id := s.Entry(key).Text()
			hash := j.hashKey(target, id)
			if s.Entry(hash) != nil {
				continue
			}
			for m := range lastMoment(s) {
				if m.change(hash) != nil {
					return violated("%s names %s, which is gone (%s)", key, id, m)
				}
			}
			if actor := lastBy(t, key, func(c interleave.Change) bool { return c.After.Text() == id }); actor != "" && crashed(t, actor) {
				return violated("%s names %s, which does not exist: %s crashed on the way", key, id, actor)
			}
			if s.Final {
				return violated("%s names %s, which does not exist", key, id)
			}
		}
		return interleave.Verdict{}
	}}
}
