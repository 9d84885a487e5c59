package scenarios

import (
	"strings"

	"github.com/racebench/racebench/impl"
	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/invariants"
)

// The names of the numbers that these scenarios count; refused is another.
const (
	admitted  = "admitted"        // requests that computed
	atOnce    = "at once"         // the most that computed at the same time
	timeouts  = "timed out"       // requests that waited for the lock in vain
	lostLease = "leases lost"     // holders that were told so
	stateLeft = "state left over" // keys of a state on the server at the end
)

var lockCounters = map[string]func(left) int{
	admitted:  func(l left) int { return l.noted(noteComputes) },
	refused:   func(l left) int { return l.noted(noteRefused) },
	timeouts:  func(l left) int { return l.noted(noteTimeout) },
	lostLease: func(l left) int { return l.noted(noteLost) },
	atOnce:    left.computing,
	stateLeft: func(l left) int {
		n := 0
		for _, k := range l.After {
			if strings.HasPrefix(k.Key, "status:") && strings.HasSuffix(k.Key, "}") {
				n++
			}
		}
		return n
	},
}

// computing is the most actors that computed at the same time, by their notes. One that crashed has computed to the end.
func (l left) computing() int {
	now, most := 0, 0
	for _, note := range l.Notes {
		switch note.Key {
		case noteComputes:
			now++
		case noteEnds:
			now--
		}
		most = max(most, now)
	}
	return most
}

// countingLocks returns a function that counts the numbers of these names.
func countingLocks(names ...string) func(*interleave.Result) Counts {
	return func(res *interleave.Result) Counts {
		l := leftBy(res)
		counts := Counts{}
		for _, name := range names {
			counts[name] = lockCounters[name](l)
		}
		return counts
	}
}

// guardsMeet is a window of two requests in the guard of the state.
func (l *locksWorld) guardsMeet() {
	if l.impl == "naive" {
		l.Window("between GET and SET of the state", span{From: on("GET", l.status()), To: on("SET", l.status())})
		return
	}
	l.Window("two requests at once")
}

// meet is a window of two requests that are under way at once.
func (l *locksWorld) meet() { l.Window("two requests at once") }

// duringCompute is a window in which an actor begins to compute, or is refused, while another does.
func (l *locksWorld) duringCompute(computes, comes string) {
	l.Window(comes+" asks while "+computes+" computes", l.untilEnd(computes), span{Actor: comes})
}

// diesInCompute is a window in which an actor that computes dies while another is there to ask.
func (l *locksWorld) diesInCompute(dies, other string) {
	s := l.untilEnd(dies)
	s.To = interleave.Crash
	l.Window(dies+" dies while it computes, and "+other+" goes on", s, span{Actor: other})
}

// untilEnd is an actor from the step that sets its state.
func (l *locksWorld) untilEnd(actor string) span {
	if l.impl == "naive" {
		return span{Actor: actor, From: on("SET", l.status())}
	}
	return span{Actor: actor, From: on("EVAL", l.status())}
}

// statusKept is that a state stays until its own actor, or the clock, takes it away.
func (l *locksWorld) statusKept() interleave.Invariant {
	inv := invariants.ReleasedByOwner(l.status(), false)
	inv.Name = statusKept
	return inv
}

const statusKept = "state replaced only by its owner"

// answeredInTime is that everybody is answered within the wait that was configured.
func (l *locksWorld) answeredInTime() interleave.Invariant {
	limit := l.cfg.Wait
	if limit == 0 {
		limit = impl.DefaultWait
	}
	return invariants.AnsweredIn(noteAsks, noteAnswered, limit)
}
