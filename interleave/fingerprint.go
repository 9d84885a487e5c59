package interleave

import (
	"crypto/sha256"
	"errors"
	"fmt"
	stdhash "hash"
	"io"
	"maps"
	"slices"
	"strconv"
)

// This file cuts the search where it meets a state again: what the actors have been told, what the servers hold, and the time
// are as on another way, so what can follow is explored there.
//
// With dynamic partial-order reduction that alone would lose orders, because races between what came before the state and
// what comes after it are found only where the rest is run (Yang, Chen, Gopalakrishnan and Kirby, "Efficient stateful dynamic
// partial order reduction", SPIN 2008). So at every state on the way to a cut all steps are owed. A sleeping step is part of
// a state: one is met again only where no more may be left out than was left out there.

// Fingerprints has the exhaustive search cut what leads to a state that it has met already. It finds the same violations in
// fewer executions, for actors that are told the same whoever comes first; its orders are fewer than all.
func Fingerprints() Option { return func(c *config) { c.fingerprints = true } }

// errMet ends an execution in a state that was met before.
var errMet = fmt.Errorf("%w, from a state that was met before", errPruned)

// states are those that a search has met, each with what slept there.
type states map[[sha256.Size]byte][][]string

// met reports whether what follows is explored from an equal state, and remembers the state if not.
func (s states) met(print [sha256.Size]byte, asleep []string) bool {
	for _, other := range s[print] {
		if !slices.ContainsFunc(other, func(a string) bool { return !slices.Contains(asleep, a) }) {
			return true
		}
	}
	s[print] = append(s[print], asleep)
	return false
}

// statesOf is how many states a strategy has met.
func statesOf(st strategy) int {
	if s, ok := st.(*search); ok {
		return len(s.states)
	}
	return 0
}

// histories is what an execution has told its actors and done to its keys so far.
type histories struct {
	steps, notes int // of the trace, that are in
	of           map[string]stdhash.Hash
}

// past takes in what has happened since it was called last.
func (h *histories) past(v *view) {
	if h.of == nil {
		h.of = map[string]stdhash.Hash{}
	}
	for _, s := range v.trace.Steps[h.steps:] {
		h.add("actor "+s.Actor, s.Text(), s.At.String(), s.Fault, s.Server)
		for _, c := range s.Changes {
			// An invariant may look at what a key has been, and one that is judged after every step at all of them together.
			where := "key " + c.Key
			if v.always {
				where = "keys"
			}
			h.add(where, c.String())
		}
	}
	for _, n := range v.trace.Notes[h.notes:] {
		h.add("notes", n.Actor, n.Key, n.Value)
	}
	h.steps, h.notes = len(v.trace.Steps), len(v.trace.Notes)
}

func (h *histories) add(where string, words ...string) {
	if h.of[where] == nil {
		h.of[where] = sha256.New()
	}
	for _, w := range words {
		io.WriteString(h.of[where], strconv.Itoa(len(w))+":"+w)
	}
}

// fingerprint is that of the state, or false where a state has more to it than is known here.
func (w *walk) fingerprint(v *view) (print [sha256.Size]byte, ok bool) {
	w.histories.past(v)
	e := v.eng
	if e.cfg.splitScripts || slices.ContainsFunc(e.judged, func(j *judgement) bool { return j.verdict.Outcome != Held }) {
		return print, false
	}
	for _, a := range v.actors {
		// Who has waited longest is served first, a transaction aborts by what was written since, and a message is on its way.
		if len(a.late) > 0 || len(a.pushes) > 0 || slices.Contains(a.enabled, false) {
			return print, false
		}
		for _, s := range a.sessions {
			if s.listening || s.multi || len(s.watched) > 0 {
				return print, false
			}
		}
	}
	all := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(w.histories.of)) {
		fmt.Fprintf(all, "%q %x\n", name, w.histories.of[name].Sum(nil))
	}
	fmt.Fprintln(all, v.now.Sub(e.start), v.left)
	for _, k := range e.image.sorted() {
		x := e.image[k]
		if x.Type == "stream" {
			return print, false // it may have groups
		}
		fmt.Fprintf(all, "%q %q %d\n", k, x.Items, x.Expires)
	}
	all.Sum(print[:0])
	return print, true
}

// metBefore reports whether the state of n, which the walk has just come to, was met before. If so, everything is owed on the
// way to it.
func (w *walk) metBefore(n *node, v *view, choices []choice, alts []alternative) bool {
	if w.s.states == nil {
		return false
	}
	print, ok := w.fingerprint(v)
	if !ok || n.depth < len(w.prefix) {
		return false
	}
	var asleep []string
	for i, a := range alts {
		if _, yes := n.sleep[a.key]; yes {
			asleep = append(asleep, choices[i].text())
		}
	}
	if !w.s.states.met(print, asleep) {
		return false
	}
	for n := n.parent; n != nil; n = n.parent {
		for _, a := range n.alts {
			w.s.owe(n, a.actor)
		}
	}
	return true
}

// text names a choice among all that could ever be made: by its content, not by when it came.
func (c choice) text() string {
	m := c.made()
	text := fmt.Sprint(m.kind, m.actor, m.d, m.n, m.key, c.fault)
	if c.op != nil {
		text += fmt.Sprintf("%q", c.op.display())
	}
	if c.push != nil {
		text += fmt.Sprint(m.conn, c.push.delivered)
	}
	return text
}

// errUndeclared ends a search by fingerprints whose image of the server can't be trusted.
var errUndeclared = errors.New("interleave: Fingerprints can't be used: a script changes keys that it does not declare")
