package interleave

import (
	"maps"
	"math/big"
)

// All counts all orders, those that are equivalent to one that was run included: the multinomial coefficient of the steps of
// the actors. It is nil when that is not known: when the search is not exhaustive or not complete, and when what actors do
// depends on the order or they wait.
func (x *Exploration) All() *big.Int {
	if !x.Complete || x.Steps == nil || x.Met > 0 {
		return nil
	}
	n, all := int64(0), big.NewInt(1)
	for _, steps := range x.Steps { // any order: a product
		for k := range int64(steps) {
			n++
			all.Mul(all, big.NewInt(n)).Div(all, big.NewInt(k+1))
		}
	}
	return all
}

// sameSteps are the steps of two parts of an exploration together.
func sameSteps(x, y *Exploration) map[string]int {
	switch {
	case x.Orders == 0:
		return y.Steps
	case y.Orders == 0 || maps.Equal(x.Steps, y.Steps):
		return x.Steps
	}
	return nil
}

// total finds out whether every actor has the same number of steps in every order, and can take its next one whenever it has
// one left.
type total struct {
	steps   map[string]int // of each actor; nil when it is not so
	differs bool
}

// add looks at an execution that has come to its end.
func (t *total) add(ev []event, steps int) {
	if t.differs {
		return
	}
	left := map[string]int{}
	for _, e := range ev {
		left[e.actor]++
	}
	// What is not an event of an actor, such as the clock, could come at other times too.
	same := len(ev) == steps && (t.steps == nil || maps.Equal(t.steps, left))
	if t.steps == nil {
		t.steps = maps.Clone(left)
	}
	for _, e := range ev {
		// Each actor that has steps left can take one, and one only.
		can := map[string]bool{}
		for _, a := range e.pre.alts {
			same = same && !can[a.actor] && left[a.actor] > 0
			can[a.actor] = true
		}
		same = same && len(can) == len(left)
		if left[e.actor]--; left[e.actor] == 0 {
			delete(left, e.actor)
		}
	}
	if t.differs = t.differs || !same; t.differs {
		t.steps = nil
	}
}
