package invariants

import (
	"strconv"
	"strings"
	"time"

	"github.com/racebench/racebench/interleave"
)

// Computing describes actors that compute on one datum, each in a state. An actor makes a note of the key In, with the
// state as its value, when it begins, and one of the key Out when it ends. Its methods are judgements.
type Computing struct {
	In, Out string
}

// OneState holds while all who compute do so in the same state. An actor that has crashed computes no more; asked at
// the end alone, the judgement does not see what it computed beside before.
func (c Computing) OneState() interleave.Invariant {
	return interleave.Invariant{Name: "never two states at once", When: interleave.AlwaysHolds, Judge: func(s *interleave.State) interleave.Verdict {
		return c.apart(s.Trace(), func(a, b string) bool { return a == b })
	}}
}

// Alone holds while no two compute at the same time, whatever their states. Of those that crash it sees as much as OneState.
func (c Computing) Alone() interleave.Invariant {
	return interleave.Invariant{Name: "never two inside", When: interleave.AlwaysHolds, Judge: func(s *interleave.State) interleave.Verdict {
		return c.apart(s.Trace(), func(_, _ string) bool { return false })
	}}
}

// apart finds two that compute at the same time in states that may not meet.
func (c Computing) apart(t *interleave.Trace, mayMeet func(a, b string) bool) interleave.Verdict {
	state := map[string][]string{} // actor → the states that it is in
	var order []string             // actors, in the order in which they were first in
	for _, n := range t.Notes {
		if n.Key != c.In && n.Key != c.Out || crashed(t, n.Actor) {
			continue
		}
		if _, known := state[n.Actor]; !known {
			order = append(order, n.Actor)
		}
		in := state[n.Actor]
		if n.Key == c.Out {
			state[n.Actor] = in[:max(0, len(in)-1)]
			continue
		}
		for _, other := range order {
			for _, met := range state[other] {
				if !mayMeet(met, n.Value) {
					return violated("%s computes as %s, and %s as %s", other, met, n.Actor, n.Value)
				}
			}
		}
		state[n.Actor] = append(in, n.Value)
	}
	return interleave.Verdict{}
}

// WaitingWhenIdle holds when the key of the state is gone at the end if nobody computes. One whose actor crashed may
// stand for as long as its lease, also when it had not begun to compute or had ended: what it says of itself and what it
// does on the server are two things. Less time after the crash it is undecided.
func (c Computing) WaitingWhenIdle(key string, lease time.Duration) interleave.Invariant {
	return interleave.Invariant{Name: "waiting when nobody computes", When: interleave.FinallyHolds, Judge: func(s *interleave.State) interleave.Verdict {
		e := s.Entry(key)
		if e == nil {
			return interleave.Verdict{}
		}
		t := s.Trace()
		inside := map[string]int{}
		for _, n := range t.Notes {
			switch n.Key {
			case c.In:
				inside[n.Actor]++
			case c.Out:
				inside[n.Actor]--
			}
		}
		for _, n := range t.Notes {
			if inside[n.Actor] > 0 && !crashed(t, n.Actor) {
				return interleave.Verdict{} // it computes still
			}
		}
		for _, step := range t.Steps {
			if since := s.Now() - step.At; step.Fault == "crash" && since < lease {
				return undecided("%s is %s, %v after the crash of %s, whose lease may last %v", key, e, since, step.Actor, lease)
			}
		}
		return violated("%s is %s, and nobody computes", key, e)
	}}
}

// crashedAt is when an actor died by a fault.
func crashedAt(t *interleave.Trace, actor string) (time.Duration, bool) {
	for _, step := range t.Steps {
		if step.Actor == actor && step.Fault == "crash" {
			return step.At, true
		}
	}
	return 0, false
}

// ReleasedByOwner holds while what an actor has put into a key stays there until the actor itself, the clock or a fault
// of the server takes it out. In a string, such as a lock, that is its value: another actor may neither delete nor
// replace it. In a hash, a set or a sorted set, such as the holders of a state, it is each member. If leased, the scores
// of a sorted set are when the leases end, in Unix milliseconds: whose lease has ended anybody may remove.
func ReleasedByOwner(key string, leased bool) interleave.Invariant {
	return interleave.Invariant{Name: "released only by its owner", When: interleave.AlwaysHolds, Judge: func(s *interleave.State) interleave.Verdict {
		owners := map[string]string{} // member → actor that put it there
		for m := range replay(s.Trace()) {
			c := m.change(key)
			if c == nil || m.atEnd {
				continue
			}
			was, is := members(c.Before), members(c.After)
			for _, member := range was {
				owner, known := owners[member]
				if contains(is, member) || m.step.Actor == "" || !known || owner == m.step.Actor {
					continue
				}
				if leased && leaseOver(c.Before, member, m.step.At) {
					continue
				}
				return violated("%s removes %s from %s, where %s had put it", m, member, key, owner)
			}
			for _, member := range is {
				if !contains(was, member) {
					owners[member] = m.step.Actor
				}
			}
		}
		return interleave.Verdict{}
	}}
}

// epoch is when worlds begin, in Unix milliseconds: midnight UTC of 2000-01-01.
const epoch = 946_684_800_000

func leaseOver(e *interleave.Entry, member string, now time.Duration) bool {
	ends, err := strconv.ParseFloat(e.Field(member), 64)
	return err == nil && int64(ends) <= epoch+now.Milliseconds()
}

// members are what a key holds: the value of a string, the members of a list, a set or a sorted set, the fields of a hash.
func members(e *interleave.Entry) []string {
	if e == nil {
		return nil
	}
	if e.Type != "hash" && e.Type != "zset" {
		return e.Items
	}
	var out []string
	for i := 0; i < len(e.Items); i += 2 {
		out = append(out, e.Items[i])
	}
	return out
}

func contains(list []string, member string) bool { return count(list, member) > 0 }

func count(list []string, member string) int {
	n := 0
	for _, x := range list {
		if x == member {
			n++
		}
	}
	return n
}

// AnsweredIn holds when each actor that asked was answered within the limit. It makes a note of the key asks before it
// asks, and one of the key answered, with the time that it took as its value, when it has an answer, be it yes or no. An
// actor that crashed needs none. It is not for worlds in which the clock moves while commands wait: that makes anybody late.
func AnsweredIn(asks, answered string, limit time.Duration) interleave.Invariant {
	return interleave.Invariant{Name: "every waiter is answered", When: interleave.FinallyHolds, Judge: func(s *interleave.State) interleave.Verdict {
		open := map[string]bool{}
		var actors []string
		for _, n := range s.Trace().Notes {
			switch n.Key {
			case asks:
				open[n.Actor] = true
				actors = append(actors, n.Actor)
			case answered:
				took, err := time.ParseDuration(strings.TrimSpace(n.Value))
				if err != nil {
					return undecided("%s says that its answer took %q, which is no time", n.Actor, n.Value)
				}
				if took > limit {
					return violated("%s was answered after %v (limit %v)", n.Actor, took, limit)
				}
				open[n.Actor] = false
			}
		}
		for _, actor := range actors {
			if open[actor] && !crashed(s.Trace(), actor) {
				return violated("%s was never answered", actor)
			}
		}
		return interleave.Verdict{}
	}}
}
