package interleave

import (
	"context"
	"math"
)

// Progress is how far an exploration is.
type Progress struct {
	Executions, Orders, Pruned, Undecided, Violating int

	most     int
	estimate func() float64 // of all executions; nil when nobody knows
}

// Estimate is about how many executions the exploration will have run at its end, bounds included; false when nobody can
// tell. It looks at the whole search tree, so it is not for every step.
//
// The share of the tree that has been explored is the sum, over the executions, of the chance of a walk that takes every
// branch with equal probability to be that one; executions divided by that share estimate them all (the weighted backtrack
// estimator of Kilby, Slaney, Thiébaux and Walsh, "Estimating search tree size", AAAI 2006, after Knuth 1975). It is exact
// at the end, and too small as long as the search still learns of branches.
func (p Progress) Estimate() (int, bool) {
	if p.estimate == nil {
		return p.most, false
	}
	n := p.estimate()
	if n >= float64(p.most) || math.IsInf(n, 0) || math.IsNaN(n) {
		return p.most, true
	}
	return max(int(n), p.Executions), true
}

// Watch has a function called after each execution of an exploration, on the goroutine that explores.
func Watch(f func(Progress)) Option { return func(c *config) { c.watch = f } }

// Until ends an exploration when a context does, and the world that is running with it. Unlike the end of the context that
// Explore is given it does not keep what was found from being explained.
func Until(ctx context.Context) Option { return func(c *config) { c.until = ctx } }

// tell tells the one who watches.
func (e *exploring) tell(st strategy) {
	if e.r.cfg.watch == nil || e.brief {
		return
	}
	p := Progress{Executions: e.Executions, Orders: e.Orders, Pruned: e.Pruned, Undecided: e.Undecided, Violating: e.Violating, most: e.r.cfg.maxOrders}
	switch st := st.(type) {
	case *search:
		p.estimate = func() float64 { return float64(e.Executions) / st.root.share() }
	case *sampled:
		p.estimate = func() float64 { return float64(p.most) }
	}
	e.r.cfg.watch(p)
}

// share is how much of the tree below a node has been explored, where every branch is as large as any other beside it.
func (n *node) share() float64 {
	branches, sum := 0, 0.0
	for _, a := range n.alts {
		if _, asleep := n.sleep[a.key]; !n.owed[a.key] || asleep && n.child[a.key] == nil {
			continue
		}
		branches++
		if c := n.child[a.key]; c != nil {
			sum += c.share()
		}
	}
	if c := n.child[clockKey]; c != nil {
		branches++
		sum += c.share()
	}
	if branches == 0 {
		return 1 // nothing more can happen here, or nothing that is not explored elsewhere
	}
	return sum / float64(branches)
}

// within is a context that ends with either of two, and a function that frees what it needs.
func (c *config) within(ctx context.Context) (context.Context, func()) {
	if c.until == nil {
		return ctx, func() {}
	}
	both, cancel := context.WithCancelCause(ctx)
	if c.until.Err() != nil {
		cancel(context.Cause(c.until))
	}
	stop := context.AfterFunc(c.until, func() { cancel(context.Cause(c.until)) })
	return both, func() { stop(); cancel(nil) }
}
