package interleave

import (
	"errors"
	"slices"

	"pgregory.net/rapid"
)

// drawn draws one order from rapid, in such a way that what rapid takes for simpler is simpler: a 0 goes on with the actor of
// the last step, and is no fault.
//
// Its first execution alone is one: rapid decides what comes after it. next is called by the scheduler, whose goroutine may
// draw as the one that rapid knows waits for the end of the world; but what rapid panics with has to be panicked with there.
type drawn struct {
	once
	t      *rapid.T
	budget *budget
	patch  int              // how much likelier the same actor goes on than another step is taken; 0 for as likely
	kinds  [faultKinds]bool // that this world may have; see swarm
	failed any
}

// errDrawn ends a world for which there is nothing to draw from any more.
var errDrawn = errors.New("interleave: nothing is left to draw from")

// patches are the values of drawn.patch. A walk with equal chances misses what takes a long run of one actor, and one with
// long runs what takes many switches: each order draws which it is.
var patches = []int{0, 4, 16, 64}

// faultOdds is one in how many steps at which a fault could happen has one.
const faultOdds = 16

func (d *drawn) begin(execution int) bool {
	if execution > 0 {
		return false
	}
	d.patch = patches[d.number(len(patches))]
	if d.budget != nil {
		for k, most := range d.budget {
			d.kinds[k] = most > 0 && d.number(2) == 1
		}
	}
	return true
}

func (d *drawn) number(n int) (x int) {
	if d.failed != nil || n < 2 {
		return 0
	}
	defer func() {
		if p := recover(); p != nil {
			d.failed, x = p, 0
		}
	}()
	return rapid.IntRange(0, n-1).Draw(d.t, "")
}

func (d *drawn) next(v *view) (choice, error) {
	choices, alts := alternatives(v)
	if len(alts) == 0 {
		return choice{kind: chooseEnd}, nil
	}
	n := faultless(alts)
	i := d.fault(alts[n:])
	if i >= 0 {
		i += n
	} else {
		i = d.step(v.last, alts[:n])
	}
	if d.failed != nil {
		return choice{}, errDrawn
	}
	return choices[i], nil
}

// step is the index of the step to take of those that are no faults.
func (d *drawn) step(last string, alts []alternative) int {
	order := make([]int, len(alts)) // those of the last actor first, else as they are
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return other(alts[i], last) - other(alts[j], last) })
	others := len(alts) - 1
	stays := max(1, d.patch*others)
	return order[max(0, d.number(stays+others)-stays+1)]
}

// other is 1 for a step of another actor than the last.
func other(a alternative, last string) int {
	if a.actor == last {
		return 0
	}
	return 1
}

// fault is the index of the fault that is to happen now, or -1. The kind is drawn first, since those that can happen in many
// ways would leave no chance to others.
func (d *drawn) fault(alts []alternative) int {
	var kinds []fault
	for _, a := range alts {
		if d.kinds[a.fault] && !slices.Contains(kinds, a.fault) {
			kinds = append(kinds, a.fault)
		}
	}
	if len(kinds) == 0 || d.number(faultOdds) != faultOdds-1 {
		return -1
	}
	kind := kinds[d.number(len(kinds))]
	var fit []int
	for i, a := range alts {
		if a.fault == kind {
			fit = append(fit, i)
		}
	}
	return fit[d.number(len(fit))]
}
