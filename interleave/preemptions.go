package interleave

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
)

// This file bounds the search by preemptions. Where orders beyond the bound are left out, a backtrack point that lies
// beyond it may have stood for one within it: the same commands with the switch a little earlier, where it costs nothing.
// So every backtrack point gets a conservative one, at the beginning of what its actor does there in one go (Coons,
// Musuvathi and McKinley, "Bounded partial-order reduction", OOPSLA 2013; Loom does the same). For the same reason
// nothing is put to sleep: what was explored elsewhere may have been cut there.

// Preemptions bounds the exhaustive search to the orders in which an actor that could go on is interrupted at most n
// times. If that left any out, an exploration without a violation is undecided. Other strategies ignore it.
func Preemptions(n int) Option { return func(c *config) { c.preemptions = &n } }

// bounds is the bound of a search, and what has come of it.
type bounds struct {
	most int
	cut  bool // something was left out
	seen map[[sha256.Size]byte]bool
}

// beyond reports whether a number of preemptions is beyond the bound, and remembers that something was left out.
func (b *bounds) beyond(preemptions int) bool {
	if b == nil || preemptions <= b.most {
		return false
	}
	b.cut = true
	return true
}

// limit says what was left out; empty when nothing was.
func (s *search) limit() string {
	if s.bounds == nil || !s.bounds.cut {
		return ""
	}
	orders := "preemptions"
	if s.bounds.most == 1 {
		orders = "preemption"
	}
	return fmt.Sprintf("only the orders with at most %d %s, all of them", s.bounds.most, orders)
}

// again reports whether an execution is equivalent to an earlier one: without sleep sets that happens.
func (b *bounds) again(ev []event) bool {
	sum := sha256.Sum256([]byte(canonical(ev)))
	if b.seen[sum] {
		return true
	}
	b.seen[sum] = true
	return false
}

// canonical is text that is equal for equivalent executions: for each event, named by its actor and number, the events
// of other actors that it depends on and that come before it.
func canonical(ev []event) string {
	count := map[string]int{}
	names := make([]string, len(ev))
	lines := make([]string, len(ev))
	for j, e := range ev {
		count[e.actor]++
		names[j] = fmt.Sprintf("%s %06d%s", e.actor, count[e.actor], e.fault())
		var after []string
		for i, o := range ev[:j] {
			if o.actor != e.actor && o.foot.dependent(e.foot) {
				after = append(after, names[i])
			}
		}
		slices.Sort(after)
		lines[j] = fmt.Sprint(names[j], after)
	}
	slices.Sort(lines)
	return fmt.Sprint(lines)
}

// fault says what fault an event is, by what is the same in equivalent executions: numbers of operations are not.
func (e event) fault() string {
	switch {
	case e.actor == machinery:
		return " " + e.key
	case e.kind != noFault:
		return " " + strings.TrimRight(e.key, "0123456789")
	}
	return ""
}

// reverseBounded is reverse for a search with a bound: it owes more, so that nothing within the bound is missed.
func (s *search) reverseBounded(ev []event, i int, initials []event) {
	s.oweAny(ev[i].pre, initials)
	for i > 0 && ev[i-1].actor == ev[i].actor {
		i--
	}
	s.oweAny(ev[i].pre, initials)
}

// oweAny owes the steps of those actors that can move at a node, or all that can when none of them can.
func (s *search) oweAny(n *node, initials []event) {
	moved := false
	for _, e := range initials {
		if n.could(e) {
			s.owe(n, e.actor)
			moved = true
		}
	}
	if moved {
		return
	}
	for _, a := range n.alts {
		s.owe(n, a.actor)
	}
}
