package interleave

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// faultShapes are as small as they are because brute force multiplies with every fault.
var faultShapes = [][]int{{3, 2}, {2, 2}, {2, 1}, {3, 1}, {2, 1, 1}, {1, 1, 1}}

func drawFaultProgram(t *rapid.T) program {
	p := program{always: rapid.IntRange(0, 3).Draw(t, "always") == 0}
	key := rapid.SampledFrom([]string{"a", "a", "b"})
	for i, n := range rapid.SampledFrom(faultShapes).Draw(t, "shape") {
		var list []instruction
		for range n {
			k := key.Draw(t, "key")
			v := fmt.Sprint(i)
			args := rapid.SampledFrom([][]string{
				{"GET", k}, {"GET", k}, {"SET", k, v}, {"INCR", k}, {"DEL", k}, {"SETNX", k, v}, {"APPEND", k, v}, {"tx", k}, {"script", k, "b"},
				{"SET", k, v, "PX", "500"}, {"SET", k, v, "NX", "PX", "700"}, {"LPUSH", "l", v}, {"BLPOP", "l", "1"}, {"sleep"}, {"PUBLISH", "ch", "m"}, {"subscribe"},
				{"PTTL", k}, {"two", k}, {"note", v},
			}).Draw(t, "command")
			list = append(list, instruction{rapid.SampledFrom([]string{"", "", "nil", "some"}).Draw(t, "when"), args})
		}
		p.actors = append(p.actors, list)
	}
	return p
}

// TestReductionLosesNoFault is TestReductionLosesNothing with a budget of faults. Brute force also has the crashes that the
// search takes to come to the same as another.
func TestReductionLosesNoFault(t *testing.T) {
	r, err := Open(For(t), Jumps(600*time.Millisecond), MaxExecutions(100_000))
	require.NoError(t, err)
	defer r.Close()
	type sum struct{ programs, orders, reduced int }
	sums := map[string]*sum{}
	compare := func(t interface{ Fatalf(string, ...any) }, faults string, p program) {
		r.cfg.faults, r.cfg.budget = faults, nil
		require.NoError(t.(require.TestingT), r.cfg.budgeted())
		want, got := map[string]string{}, map[string]string{}
		orders := 0
		r.cfg.everyCrash = true
		if !bruteForceUpTo(r, 2_000, p.world, func(res *Result) { orders++; want[final(res)] = res.Trace.Schedule().String() }) {
			return
		}
		r.cfg.everyCrash = false
		x := r.explore(context.Background(), p.world, func(res *Result) { got[final(res)] = res.Trace.Schedule().String() })
		if x.Err != nil || !x.Complete {
			t.Fatalf("%s%v %v", p, x, x.Err)
		}
		for _, s := range sortedKeys(want) {
			if _, ok := got[s]; !ok {
				t.Fatalf("with %s the reduced search (%d of %d orders) misses\n  %s\nas in\n  %s\nof\n%s", faults, x.Orders, orders, s, want[s], p)
			}
		}
		for _, s := range sortedKeys(got) {
			if _, ok := want[s]; !ok {
				t.Fatalf("with %s the reduced search finds what no order gives\n  %s\nas in\n  %s\nof\n%s", faults, s, got[s], p)
			}
		}
		if x.Orders > orders {
			t.Fatalf("with %s the reduced search runs %d orders of %d of\n%s", faults, x.Orders, orders, p)
		}
		if parts := r.ExploreParts(context.Background(), p.world); outcomes(parts) != outcomes(x) {
			t.Fatalf("with %s the units come to something else\n%s\n%s\nof\n%s", faults, outcomes(parts), outcomes(x), p)
		}
		if sums[faults] == nil {
			sums[faults] = &sum{}
		}
		sums[faults].programs++
		sums[faults].orders += orders
		sums[faults].reduced += x.Orders
	}
	// Programs that it once got wrong come first.
	do := func(words ...string) instruction { return instruction{"", words} }
	for _, tt := range []struct {
		faults string
		actors [][]instruction
	}{
		{"evict:1,jump:0", [][]instruction{{do("GET", "a"), do("GET", "a")}, {do("SET", "b", "1")}}},                                    // evicted after the last order's end
		{"failover:1,jump:0", [][]instruction{{do("GET", "a"), do("SET", "a", "0")}, {do("tx", "b"), do("GET", "a")}}},                  // which of two keys was written last
		{"crash:1,expire:1,jump:0", [][]instruction{{do("SET", "a", "0", "PX", "500"), do("SET", "a", "0")}, {do("GET", "a")}}},         // while the dead one waited
		{"crash:1,jump:0", [][]instruction{{do("GET", "a"), do("SET", "a", "0", "PX", "500")}, {do("subscribe"), do("SET", "a", "1")}}}, // the clock went on for it
	} {
		compare(t, tt.faults, program{actors: tt.actors})
	}
	rapid.Check(t, func(t *rapid.T) {
		faults := rapid.SampledFrom([]string{"crash:1", "crash:2", "lost:1", "unsent:1", "late:1", "drop:1", "restart:1", "failover:1", "flushscripts:1",
			"evict:1", "expire:1", "timer:1", "crash:1,lost:1", "crash:1,expire:1", "late:1,evict:1"}).Draw(t, "faults") + ",jump:0"
		if rapid.IntRange(0, 9).Draw(t, "jump") == 0 {
			faults = "jump:1"
		}
		compare(t, faults, drawFaultProgram(t))
	})
	for _, faults := range sortedKeys(sums) {
		t.Logf("%-24s %d programs, %d orders, %d of them run by the reduced search", faults, sums[faults].programs, sums[faults].orders, sums[faults].reduced)
	}
}

// bruteForceUpTo is bruteForce unless there are more than n orders.
func bruteForceUpTo(r *Runner, n int, world func(*World), each func(*Result)) bool {
	for counter := []int{}; counter != nil; n-- {
		if n == 0 {
			return false
		}
		b := &brute{counter: counter}
		if res := r.once(b, r.cfg.needs(), world); !errors.Is(res.Err, errPruned) { // there was no timer
			each(res)
		}
		counter = b.advance()
	}
	return true
}
