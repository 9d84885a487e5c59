package interleave

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// preempting counts the preemptions of an execution.
type preempting struct {
	strategy
	n int
}

func (p *preempting) next(v *view) (choice, error) {
	c, err := p.strategy.next(v)
	if _, alts := alternatives(v); err == nil && c.actor != nil && v.last != "" && c.actor.name != v.last {
		for _, a := range alts {
			if a.actor == v.last {
				p.n++
				break
			}
		}
	}
	return c, err
}

// byPreemptions runs every order of a world, and says for each what came of it and how many preemptions it has.
func byPreemptions(r *Runner, world func(*World), each func(res *Result, preemptions int)) (orders int) {
	d := &depthFirst{}
	for d.begin(orders) {
		p := &preempting{strategy: d}
		each(r.run(p, needs{}, world), p.n)
		orders++
	}
	return orders
}

// TestBoundedSearchLosesNothingWithinTheBound: for every bound the bounded search comes to the same final states as all
// orders with at most so many preemptions, and to no others; with a bound that nothing is beyond it is the whole search.
func TestBoundedSearchLosesNothingWithinTheBound(t *testing.T) {
	r, err := Open()
	require.NoError(t, err)
	defer r.Close()
	cut := 0
	compare := func(t interface{ Fatalf(string, ...any) }, p program) {
		const most, plenty = 2, 100
		var want [most + 1]map[string]bool
		orders := [most + 1]int{}
		for k := range want {
			want[k] = map[string]bool{}
		}
		byPreemptions(r, p.world, func(res *Result, n int) {
			for k := n; k <= most; k++ {
				want[k][final(res)] = true
				orders[k]++
			}
		})
		for k := range want {
			got := map[string]bool{}
			x := exploreBounded(r, k, p.world, func(res *Result) { got[final(res)] = true })
			if x.Err != nil || x.Complete == (x.Bound != "") {
				t.Fatalf("%s%v %v", p, x, x.Err)
			}
			if x.Bound != "" {
				cut++
			}
			for _, s := range sortedKeys(want[k]) {
				if !got[s] {
					t.Fatalf("the search with at most %d preemptions (%v) misses\n  %s\nof\n%s", k, x, s, p)
				}
			}
			for _, s := range sortedKeys(got) {
				if !want[k][s] {
					t.Fatalf("the search with at most %d preemptions finds what no such order gives\n  %s\nof\n%s", k, s, p)
				}
			}
			if x.Orders > orders[k] {
				t.Fatalf("the search with at most %d preemptions says that it ran %d inequivalent orders of %d of\n%s", k, x.Orders, orders[k], p)
			}
		}
		whole := r.explore(context.Background(), p.world, func(*Result) {})
		x := exploreBounded(r, plenty, p.world, func(*Result) {})
		if !x.Complete || x.Orders != whole.Orders || x.Violating != whole.Violating {
			t.Fatalf("with a bound that nothing is beyond: %v, not %v, of\n%s", x, whole, p)
		}
	}
	rapid.Check(t, func(t *rapid.T) { compare(t, drawProgram(t)) })
	require.NotZero(t, cut, "no bound was hit")
}

func exploreBounded(r *Runner, k int, world func(*World), each func(*Result)) *Exploration {
	was := r.cfg
	own := *was
	r.cfg = &own
	defer func() { r.cfg = was }()
	Preemptions(k)(r.cfg)
	return r.explore(context.Background(), world, each)
}

// TestAllOrdersAreCounted: the number of all orders is that of brute force, or it is not given.
func TestAllOrdersAreCounted(t *testing.T) {
	r, err := Open()
	require.NoError(t, err)
	defer r.Close()
	known := 0
	rapid.Check(t, func(t *rapid.T) {
		p := drawProgram(t)
		x := r.explore(context.Background(), p.world, func(*Result) {})
		orders := bruteForce(r, p.world, func(*Result) {})
		if n := x.All(); n != nil {
			known++
			if n.Int64() != int64(orders) {
				t.Fatalf("%v orders are said to be there, there are %d, of\n%s", n, orders, p)
			}
		}
		d, err := r.ExploreWith(context.Background(), p.world, Strategy("dfs"), MaxExecutions(1_000_000))
		if err != nil || !d.Complete || d.Orders != orders {
			t.Fatalf("depth-first: %v (%v), there are %d, of\n%s", d, err, orders, p)
		}
	})
	require.NotZero(t, known, "it was never known")
}
