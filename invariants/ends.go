package invariants

import (
	"time"

	"github.com/racebench/racebench/interleave"
)

// EndsAfter holds when every job is terminal or gone at the end, if that is at least limit after it was made; the limit
// is the deadline of a job plus the TTL of its hash. A job that is RUNNING though less time has passed makes it
// undecided.
func (j Jobs) EndsAfter(limit time.Duration) interleave.Invariant {
	return interleave.Invariant{Name: "every job ends", When: interleave.FinallyHolds, Judge: func(s *interleave.State) interleave.Verdict {
		doubt := interleave.Verdict{}
		for _, x := range j.jobs(s) {
			status := j.status(s.Entry(x.key))
			if status.Terminal() {
				continue
			}
			age := s.Now() - made(s.Trace(), x.key)
			if age >= limit {
				return violated("%s of %s is %s, %v after it was made (limit %v)", x.id, x.target, status, age, limit)
			}
			doubt = undecided("%s of %s is %s, but only %v have passed since it was made (limit %v)", x.id, x.target, status, age, limit)
		}
		return doubt
	}}
}

// made is when a key came to be; the beginning of the world if it was there before.
func made(t *interleave.Trace, key string) time.Duration {
	at := time.Duration(0)
	for _, step := range t.Steps {
		for _, c := range step.Changes {
			if c.Key == key && c.Before == nil {
				at = step.At
			}
		}
	}
	return at
}
