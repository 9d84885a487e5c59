package invariants

import (
	"slices"

	"github.com/racebench/racebench/interleave"
)

// TerminalStays holds while no job that has ended gets another status. That it goes away, with its TTL, is no change
// of status.
func (j Jobs) TerminalStays() interleave.Invariant {
	return interleave.Invariant{Name: "no terminal overwrite", When: interleave.AlwaysHolds, Judge: func(s *interleave.State) interleave.Verdict {
		for m := range moments(s) {
			for _, c := range m.step.Changes {
				x, ok := j.hashOf(c.Key)
				if !ok || c.After == nil {
					continue
				}
				if was, is := j.status(c.Before), j.status(c.After); was.Terminal() && is != was {
					return violated("%s turns %s of %s from %s into %s", m, x.id, x.target, was, is)
				}
			}
		}
		return interleave.Verdict{}
	}}
}

// NoProgressAfterEnd holds while nothing but the status and the TTL of a job, or of its results, changes once the job
// has ended. (Of the status see TerminalStays.)
func (j Jobs) NoProgressAfterEnd() interleave.Invariant {
	return interleave.Invariant{Name: "no progress after the end", When: interleave.AlwaysHolds, Judge: func(s *interleave.State) interleave.Verdict {
		for m := range moments(s) {
			for _, c := range m.step.Changes {
				if c.After == nil || c.Before != nil && slices.Equal(c.Before.Items, c.After.Items) {
					continue
				}
				x, ok := j.hashOf(c.Key)
				if ok && j.status(c.Before) != j.status(c.After) {
					continue
				}
				if !ok {
					x, ok = j.resultsOf(c.Key)
				}
				if ok && j.status(m.before(x.key)).Terminal() {
					return violated("%s writes %s although %s is %s", m, c.Key, x.id, j.status(m.before(x.key)))
				}
			}
		}
		return interleave.Verdict{}
	}}
}

// SuccessOwnsPointer holds while only the job that the pointer names becomes SUCCESS: any other has lost the right, and
// its results belong to nobody. It is undecided when the status was found changed at the end and no step changed it,
// for then nobody knows what the pointer named at that moment.
func (j Jobs) SuccessOwnsPointer() interleave.Invariant {
	return interleave.Invariant{Name: "success implies ownership", When: interleave.AlwaysHolds, Judge: func(s *interleave.State) interleave.Verdict {
		for m := range moments(s) {
			for _, c := range m.step.Changes {
				x, ok := j.hashOf(c.Key)
				if !ok || j.status(c.After) != Success || j.status(c.Before) == Success {
					continue
				}
				if m.atEnd {
					return undecided("%s of %s is found SUCCESS at the end, and no step made it so", x.id, x.target)
				}
				if pointer := m.before(j.pointerKey(x.target)); pointer == nil || pointer.Text() != x.id {
					return violated("%s turns %s of %s into SUCCESS, but %s", m, x.id, x.target, says(pointer))
				}
			}
		}
		return interleave.Verdict{}
	}}
}

// PointerDeletedOnlyByOwner holds while a pointer is deleted only on behalf of the job that it names. Expiry and faults of
// the server delete for nobody and are no violation; nor is a pointer that is overwritten.
//
// A command that deletes a pointer does not say for whom. It is the job whose hash or results the same step names, as
// a script does that gets both keys; if it names none, the one that the last earlier step of the actor named. That is
// right for an actor that works for one job at a time; for one that has named none it is undecided.
func (j Jobs) PointerDeletedOnlyByOwner() interleave.Invariant {
	return interleave.Invariant{Name: "pointer deleted only by its owner", When: interleave.AlwaysHolds, Judge: func(s *interleave.State) interleave.Verdict {
		doubt := interleave.Verdict{}
		for m := range moments(s) {
			for _, c := range m.step.Changes {
				target, ok := j.PointerTarget(c.Key)
				if !ok || c.After != nil || m.step.Actor == "" && !m.atEnd {
					continue
				}
				by, known := j.workingFor(s.Trace(), m.step, target)
				switch {
				case m.atEnd:
					doubt = undecided("the pointer of %s is gone at the end, and no step deleted it", target)
				case !known:
					doubt = undecided("%s deletes the pointer of %s, and has named no job of it before", m, target)
				case by != c.Before.Text():
					return violated("%s, working for %s, deletes the pointer of %s, which names %s", m, by, target, c.Before.Text())
				}
			}
		}
		return doubt
	}}
}

// workingFor is the job of a target that a step is done for.
func (j Jobs) workingFor(t *interleave.Trace, step *interleave.Step, target string) (id string, known bool) {
	for i := min(step.N, len(t.Steps)) - 1; i >= 0; i-- {
		if t.Steps[i].Actor != step.Actor {
			continue
		}
		for _, key := range t.Steps[i].Keys {
			x, ok := j.hashOf(key)
			if !ok {
				x, ok = j.resultsOf(key)
			}
			if ok && x.target == target {
				return x.id, true
			}
		}
	}
	return "", false
}
