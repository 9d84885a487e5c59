package interleave

import (
	"github.com/racebench/racebench/interleave/schedule"
)

// constraints keep the operations on the right of each constraint waiting until those on its left have been executed,
// whatever chooses the steps.
type constraints struct {
	list []schedule.Constraint
	seen []map[int]bool // for each, which patterns of Before have been executed
}

func newConstraints(list []schedule.Constraint) *constraints {
	c := &constraints{list: list}
	for range list {
		c.seen = append(c.seen, map[int]bool{})
	}
	return c
}

// holds returns the constraint that keeps o waiting, or nil.
func (c *constraints) holds(o *op) *schedule.Constraint {
	for i := range c.list {
		if len(c.seen[i]) < len(c.list[i].Before) && matchesAny(c.list[i].After, o) {
			return &c.list[i]
		}
	}
	return nil
}

// executed notes that o has been executed.
func (c *constraints) executed(o *op) {
	for i := range c.list {
		for j := range c.list[i].Before {
			if matchesAny(c.list[i].Before[j:j+1], o) {
				c.seen[i][j] = true
			}
		}
	}
}

// orders reports whether o is one of the operations that a constraint puts in order.
func orders(c *schedule.Constraint, o *op) bool {
	return matchesAny(c.Before, o) || matchesAny(c.After, o)
}

func matchesAny(patterns []schedule.Pattern, o *op) bool {
	for _, p := range patterns {
		if p.Matches(o.actor.name, o.server(), o.name, o.keyNames()) {
			return true
		}
	}
	return false
}
