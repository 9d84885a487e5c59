package interleave

import "slices"

// learn finds the races of an execution, and owes an order for each that could go the other way round and is not owed
// already. Pairs that lie before the end of the prefix were found by an earlier execution.
func (s *search) learn(w *walk) {
	s.races(w.events, max(len(w.prefix)-1, len(s.base)))
	// What waits has not happened, but it could have come before what made it wait.
	for _, x := range w.waits {
		s.races(append(w.events[:x.at:x.at], x.event), x.at)
	}
}

// races owes orders for the races whose second event is at from or later.
func (s *search) races(ev []event, from int) {
	hb := happensBefore(ev)
	for j := from; j < len(ev); j++ {
		for i := j - 1; i >= 0; i-- {
			if ev[i].actor == ev[j].actor || !ev[i].foot.dependent(ev[j].foot) || between(hb, i, j) {
				continue
			}
			s.reverse(ev, hb, i, j)
		}
	}
}

// happensBefore[j][i] says that event i must come before event j in every equivalent order.
func happensBefore(ev []event) [][]bool {
	hb := make([][]bool, len(ev))
	for j := range ev {
		hb[j] = make([]bool, j)
		for i := j - 1; i >= 0; i-- {
			if hb[j][i] || ev[i].actor != ev[j].actor && !ev[i].foot.dependent(ev[j].foot) {
				continue
			}
			hb[j][i] = true
			for k := range i {
				hb[j][k] = hb[j][k] || hb[i][k]
			}
		}
	}
	return hb
}

// between reports whether some event lies between i and j in the order that must be.
func between(hb [][]bool, i, j int) bool {
	for k := i + 1; k < j; k++ {
		if hb[j][k] && hb[k][i] {
			return true
		}
	}
	return false
}

// reverse owes, at the state before event i, a step that begins an order in which event j comes before it.
func (s *search) reverse(ev []event, hb [][]bool, i, j int) {
	var rest []int // of the events from i to j, those that need not come after i
	for k := i + 1; k < j; k++ {
		if !hb[k][i] {
			rest = append(rest, k)
		}
	}
	rest = append(rest, j)
	n := ev[i].pre
	if n.depth < len(s.base) {
		return // above it nothing is left out
	}
	var initials []event
	for x, k := range rest {
		first := !slices.ContainsFunc(rest[:x], func(u int) bool { return hb[k][u] })
		if first {
			initials = append(initials, ev[k])
		}
	}
	if s.bounds != nil {
		s.reverseBounded(ev, i, append(initials, ev[j]))
		return
	}
	if slices.ContainsFunc(initials, n.covers) {
		return
	}
	for _, e := range slices.Backward(initials) {
		if n.could(e) {
			s.owe(n, e.actor)
			return
		}
	}
	// None of them could move there: they waited for something. Everything that could is owed.
	for _, a := range n.alts {
		s.owe(n, a.actor)
	}
}
