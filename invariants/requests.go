package invariants

import (
	"strings"
	"time"

	"github.com/racebench/racebench/interleave"
)

// Requests describes actors that ask to compute. An actor makes a note of the key Asks, with the state that it wants as
// its value, before it asks, one of the key Refused when it may not, and one of the key Done when its request is over,
// whatever came of it. The value of Refused begins with the state and the virtual time: "CANCELLING at 31s". Its methods
// are judgements.
type Requests struct {
	Computing
	Asks, Refused, Done string
}

// Together holds while nobody waits for one that computes in the same state: who has asked before another ends does not
// begin only after it. It is not for worlds in which the clock moves while commands wait: that makes anybody late.
func (r Requests) Together() interleave.Invariant {
	return interleave.Invariant{Name: "same state together", When: interleave.AlwaysHolds, Judge: func(s *interleave.State) interleave.Verdict {
		asked := map[string]int{}    // actor → its note
		state := map[string]string{} // actor → the state in which it computes, or has computed
		type end struct {
			actor string
			at    int
		}
		var ends []end
		for i, n := range s.Trace().Notes {
			switch n.Key {
			case r.Asks:
				asked[n.Actor] = i
			case r.Out:
				ends = append(ends, end{n.Actor, i})
			case r.In:
				for _, e := range ends {
					if at, ok := asked[n.Actor]; ok && at < e.at && e.actor != n.Actor && state[e.actor] == n.Value {
						return violated("%s had asked before %s ended, and computes only after it, both as %s", n.Actor, e.actor, n.Value)
					}
				}
				state[n.Actor] = n.Value
			}
		}
		return interleave.Verdict{}
	}}
}

// RefusedForCause holds while nobody is refused for nothing: there is another request under way that wants another state,
// or its actor has crashed in it less than a lease ago. A request is under way from its asking on, so that the judgement
// does not see one that is refused because of another that is itself waiting or being refused.
func (r Requests) RefusedForCause(lease time.Duration) interleave.Invariant {
	return interleave.Invariant{Name: "refused only for a cause", When: interleave.AlwaysHolds, Judge: func(s *interleave.State) interleave.Verdict {
		t := s.Trace()
		under := map[string]string{} // actor → the state that its request wants
		for _, n := range t.Notes {
			switch n.Key {
			case r.Asks:
				under[n.Actor] = n.Value
			case r.Done:
				delete(under, n.Actor)
			case r.Refused:
				want, at, ok := refusal(n.Value)
				if !ok {
					return undecided("%s says that it was refused %q, which names no state and time", n.Actor, n.Value)
				}
				if !caused(t, under, n.Actor, want, at-lease) {
					return violated("%s was refused, %s, though no other state was asked for or could still be held", n.Actor, n.Value)
				}
			}
		}
		return interleave.Verdict{}
	}}
}

// caused reports whether another actor than the given one is under way for another state, and did not crash before or at a time.
func caused(t *interleave.Trace, under map[string]string, actor, want string, over time.Duration) bool {
	for other, state := range under { // any order: one is enough
		if other == actor || state == want {
			continue
		}
		if died, dead := crashedAt(t, other); !dead || died > over {
			return true
		}
	}
	return false
}

func refusal(text string) (want string, at time.Duration, ok bool) {
	text, _, _ = strings.Cut(text, ":")
	want, after, ok := strings.Cut(text, " at ")
	at, err := time.ParseDuration(after)
	return want, at, ok && err == nil
}

// OneOf holds while a key is absent or holds one of some words, such as the states of a machine.
func OneOf(key string, words ...string) interleave.Invariant {
	return interleave.Invariant{Name: "only states of the machine", When: interleave.AlwaysHolds, Judge: func(s *interleave.State) interleave.Verdict {
		if e := s.Entry(key); e != nil && !contains(words, e.Text()) {
			return violated("%s is %s (want %s)", key, e, strings.Join(words, " or "))
		}
		return interleave.Verdict{}
	}}
}
