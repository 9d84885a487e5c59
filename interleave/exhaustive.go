package interleave

import (
	"container/heap"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// This file is the search through every inequivalent order: dynamic partial-order reduction with source sets and sleep
// sets, after Abdulla, Aronis, Jonsson and Sagonas, "Optimal dynamic partial order reduction", POPL 2014, algorithm 1.
// Processes are actors. Where an actor has several steps to offer (goroutines, messages), all of them are explored and none
// is taken to commute with another of the same actor. The orders that are owed are taken in order of their preemptions,
// fewest first (Musuvathi and Qadeer, PLDI 2007), which changes when an order is run and not whether.

// node is a state of the search: the state of the world after a sequence of steps.
type node struct {
	parent  *node
	via     alternative // taken at the parent to get here
	depth   int
	last    string // actor of the last step
	preempt int    // preemptions so far
	faults  int    // faults so far

	alts  []alternative
	owed  map[string]bool      // alternatives that are or have been explored here, by key
	taken []string             // in the order of being explored first
	foot  map[string]footprint // of those taken
	child map[string]*node
	sleep map[string]footprint // alternatives whose orders have been explored elsewhere
	sure  bool                 // alts is filled in
	open  []alternative        // what a scout has found to begin with here
}

func newNode(parent *node, via alternative) *node {
	n := &node{parent: parent, via: via, owed: map[string]bool{}, foot: map[string]footprint{}, child: map[string]*node{}, sleep: map[string]footprint{}}
	if parent != nil {
		n.depth = parent.depth + 1
	}
	return n
}

// actorEnabled reports whether the actor could move by itself. A fault that could befall it does not count.
func (n *node) actorEnabled(actor string) bool {
	return slices.ContainsFunc(n.alts, func(a alternative) bool { return a.actor == actor && a.fault == noFault })
}

// could reports whether ev, or what else its actor would do instead, could happen here.
func (n *node) could(ev event) bool {
	return n.actorEnabled(ev.actor) || slices.ContainsFunc(n.alts, func(a alternative) bool { return a.key == ev.key })
}

// covers reports whether the orders that begin with ev are explored here or elsewhere.
func (n *node) covers(ev event) bool {
	if ev.actor == machinery {
		return true // owed wherever it can happen, see oweFaults
	}
	if !n.could(ev) {
		return false
	}
	for _, a := range n.alts {
		if a.actor != ev.actor {
			continue
		}
		if _, asleep := n.sleep[a.key]; !n.owed[a.key] && !asleep {
			return false
		}
	}
	return true
}

// cost counts the preemptions and the faults of the way to here and on over a. A step that interrupts an actor that could go
// on is a preemption.
func (n *node) cost(a alternative) (preempt, faults int) {
	preempt, faults = n.preempt, n.faults
	if n.last != "" && a.actor != n.last && a.actor != machinery && n.actorEnabled(n.last) {
		preempt++
	}
	if a.fault != noFault {
		faults++
	}
	return preempt, faults
}

// debt is an alternative that has to be explored.
type debt struct {
	n    *node
	alt  alternative
	cost int // preemptions and faults
	seq  int
	paid bool
}

// debts orders them: fewest preemptions and faults first, deeper first among equals, then as they came.
type debts []*debt

func (d debts) Len() int { return len(d) }
func (d debts) Less(i, j int) bool {
	if d[i].cost != d[j].cost {
		return d[i].cost < d[j].cost
	}
	if d[i].n.depth != d[j].n.depth {
		return d[i].n.depth > d[j].n.depth
	}
	return d[i].seq < d[j].seq
}
func (d debts) Swap(i, j int) { d[i], d[j] = d[j], d[i] }
func (d *debts) Push(x any)   { *d = append(*d, x.(*debt)) }
func (d *debts) Pop() any {
	old := *d
	x := old[len(old)-1]
	*d = old[:len(old)-1]
	return x
}

// search is an exhaustive exploration.
type search struct {
	root *node
	open debts
	seq  int
	now  *walk

	// A search below a state that others have led to: what comes before it is theirs.
	base  []alternative
	sleep map[string]footprint // of the state that base leads to
	scout bool                 // end each execution at the end of its prefix

	bounds *bounds // nil without a bound of preemptions
	states states  // nil without fingerprints
	total  total
}

func newSearch() *search { return &search{root: newNode(nil, alternative{})} }

// clockKey is the alternative of letting the clock move when there is nothing else.
const clockKey = "clock"

// begin starts on the way to the debt that is to be paid next; the first execution has none. The debt stays owed until the
// execution has ended.
func (s *search) begin(int) bool {
	if s.now == nil {
		s.now = s.walk(nil)
		return true
	}
	if !s.more() {
		return false
	}
	s.now = s.walk(s.open[0])
	return true
}

func (s *search) next(v *view) (choice, error) { return s.now.next(v) }

// number leaves open what it can: all of it is explored anyway.
func (s *search) number(int) int { return 0 }

func (s *search) end(res *Result) {
	w := s.now
	if w.pending != nil {
		w.arrived(res.Trace)
	}
	s.learn(w)
	if w.to != nil {
		w.to.paid = true
	}
	switch {
	case errors.Is(res.Err, errPruned):
	case s.bounds != nil && s.bounds.again(w.events):
		res.Err = errPruned
	case res.Err != nil:
		s.total = total{differs: true}
	default:
		s.total.add(w.events, len(res.Trace.Steps))
	}
}

// owe plans to explore all alternatives of an actor at a node.
func (s *search) owe(n *node, actor string) {
	if n.depth < len(s.base) {
		return
	}
	for _, a := range n.alts {
		if a.actor != actor || n.owed[a.key] {
			continue
		}
		preempt, faults := n.cost(a)
		if s.bounds.beyond(preempt) {
			continue
		}
		n.owed[a.key] = true
		if _, asleep := n.sleep[a.key]; asleep {
			continue
		}
		s.seq++
		heap.Push(&s.open, &debt{n: n, alt: a, cost: preempt + faults, seq: s.seq})
	}
}

// oweFaults plans the faults at a node where p is taken. Those of the server and of the clock are in order with everything, so
// each has to happen in every state. Those of actors are owed with the actor's own step; where p is no such step, because
// everybody waits or all orders without a fault are explored elsewhere, there is nothing that the others would be owed with.
func (s *search) oweFaults(n *node, p alternative) {
	s.owe(n, machinery)
	if p.actor != "" && p.fault == noFault {
		return
	}
	for _, a := range n.alts {
		s.owe(n, a.actor)
	}
}

// more reports whether a debt is left; the one to pay next is the first of open then.
func (s *search) more() bool {
	for len(s.open) > 0 {
		if d := s.open[0]; !d.paid && d.n.child[d.alt.key] == nil {
			return true
		}
		heap.Pop(&s.open)
	}
	return false
}

// walk is one execution of a search: it follows the way to a debt and then goes on with as few preemptions as it can.
type walk struct {
	s       *search
	to      *debt // nil for the first execution
	prefix  []alternative
	at      *node
	pending *alternative // taken at at, and not seen what came of it
	events  []event
	seen    int // steps of the trace when pending was taken
	view    *view
	waits   []wait
	waiting map[*op]bool // operations that were not enabled at the last node
	histories
	faulty []string // what the faults touch that could have taken the place of pending
}

// wait is an operation that could not be executed at some point of an execution, because an event before it had taken
// away what it needs or nothing had brought it yet.
type wait struct {
	at int // number of events before it
	event
}

// event is a step of an execution that was a choice.
type event struct {
	pre   *node // the state before it
	foot  footprint
	actor string
	key   string
	kind  fault
}

func (s *search) walk(to *debt) *walk {
	w := &walk{s: s, to: to, at: s.root, prefix: s.base}
	if to != nil {
		w.prefix = []alternative{to.alt}
		for n := to.n; n.parent != nil; n = n.parent {
			w.prefix = append(w.prefix, n.via)
		}
		slices.Reverse(w.prefix)
	}
	return w
}

// errPruned ends an execution whose every continuation has been explored elsewhere.
var errPruned = fmt.Errorf("interleave: explored elsewhere")

func (w *walk) next(v *view) (choice, error) {
	w.view = v
	w.arrived(v.trace)
	w.watch(v)
	n := w.at
	choices, alts := alternatives(v)
	w.missed(v)
	if n.sure && !slices.Equal(n.alts, alts) {
		return choice{}, &NondeterminismError{Step: v.step, Was: describeAlts(n.alts), Is: describeAlts(alts)}
	}
	first := !n.sure
	if first {
		n.alts, n.sure, n.last = alts, true, v.last
	}
	if len(alts) == 0 {
		return choice{kind: chooseEnd}, nil
	}
	if w.s.scout && n.depth == len(w.prefix) {
		n.open = alts
		return choice{}, errPruned
	}
	if first && w.metBefore(n, v, choices, alts) {
		return choice{}, errMet
	}
	i, err := w.pick(n, alts, v)
	if err != nil {
		return choice{}, err
	}
	if n.child[alts[i].key] == nil {
		n.taken = append(n.taken, alts[i].key)
	}
	w.s.owe(n, alts[i].actor)
	if first && v.eng.cfg.budget != nil {
		w.s.oweFaults(n, alts[i])
	}
	w.faulty = w.faulty[:0]
	if slices.ContainsFunc(alts, func(a alternative) bool { return a.actor == alts[i].actor && a.fault != noFault }) {
		w.faulty = w.faultsTouch(choices[i].actor)
	}
	w.pending, w.seen = &alts[i], len(v.trace.Steps)
	return choices[i], nil
}

// watch notes the operations that have come to wait.
func (w *walk) watch(v *view) {
	for _, a := range v.actors {
		for i, o := range a.ops {
			if !a.enabled[i] && !w.waiting[o] {
				if w.waiting == nil {
					w.waiting = map[*op]bool{}
				}
				foot := o.footprint()
				if v.left != (budget{}) {
					foot.writes = append(foot.writes, w.faultsTouch(a.Actor)...)
				}
				w.waits = append(w.waits, wait{len(w.events), event{foot: foot, actor: a.name, key: a.name + operationKey + strconv.Itoa(o.seq)}})
			}
			if w.waiting != nil {
				w.waiting[o] = !a.enabled[i]
			}
		}
	}
}

// missed notes that a fault which could have come earlier in another order can't come at this point.
func (w *walk) missed(v *view) {
	if v.missed {
		w.waits = append(w.waits, wait{len(w.events), event{foot: footprint{all: true}, actor: machinery}})
	}
}

// faultsTouch is what the faults that could befall an actor touch. Its step in their place is taken to touch the same, or an
// order in which something comes before such a fault, but need not come before the step, would not be looked for.
func (w *walk) faultsTouch(a *Actor) []string {
	if a == nil {
		return nil
	}
	touched := a.closing()
	if w.view.always && w.view.left[faultCrash] > 0 {
		touched = append(touched, touchesVisible)
	}
	return touched
}

// pick follows the prefix, then stays with the last actor while that is possible.
func (w *walk) pick(n *node, alts []alternative, v *view) (int, error) {
	if n.depth < len(w.prefix) {
		i := slices.IndexFunc(alts, func(a alternative) bool { return a.key == w.prefix[n.depth].key })
		if i < 0 {
			return 0, &NondeterminismError{Step: v.step, Was: describeAlts(w.prefix[n.depth : n.depth+1]), Is: describeAlts(alts)}
		}
		return i, nil
	}
	awake := -1
	for i, a := range alts {
		if _, asleep := n.sleep[a.key]; asleep {
			continue
		}
		if a.actor == v.last && a.fault == noFault {
			return i, nil
		}
		if awake < 0 { // faults come last
			awake = i
		}
	}
	if awake < 0 {
		return 0, errPruned
	}
	return awake, nil
}

// arrived moves to the node that the pending alternative has led to.
func (w *walk) arrived(t *Trace) {
	if w.pending == nil {
		return
	}
	a, n := *w.pending, w.at
	w.pending = nil
	foot := footprint{all: true} // of a step that did not come to its end
	if len(t.Steps) > w.seen {
		step := t.last()
		step.observed(w.view)
		foot = step.foot
	}
	if len(w.faulty) > 0 {
		foot.writes = append(slices.Clip(foot.writes), w.faulty...)
	}
	w.events = append(w.events, event{pre: n, foot: foot, actor: a.actor, key: a.key, kind: a.fault})
	c := n.child[a.key]
	if c == nil {
		c = newNode(n, a)
		c.preempt, c.faults = n.cost(a)
		if w.s.bounds == nil {
			c.inheritAll(n, a, foot)
		}
		if c.depth == len(w.s.base) {
			c.sleep = maps.Clone(w.s.sleep)
		}
		n.child[a.key], n.foot[a.key] = c, foot
	}
	w.at = c
}

// inheritAll keeps asleep what the parent has asleep or has explored, as far as it is independent of the step.
func (n *node) inheritAll(parent *node, by alternative, foot footprint) {
	for key, f := range parent.sleep { // any order: they go into a map
		n.inherit(parent, key, f, by, foot)
	}
	for _, key := range parent.taken {
		if f, ok := parent.foot[key]; ok && key != by.key {
			n.inherit(parent, key, f, by, foot)
		}
	}
}

// inherit keeps an alternative asleep below a step that is independent of it.
func (n *node) inherit(parent *node, key string, f footprint, by alternative, foot footprint) {
	actor := ""
	for _, a := range parent.alts {
		if a.key == key {
			actor = a.actor
		}
	}
	if actor != "" && actor != by.actor && !f.dependent(foot) {
		n.sleep[key] = f
	}
}
