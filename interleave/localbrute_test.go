package interleave

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// goroutines is a small program of actors with several goroutines, which share a memory within an actor and use two servers.
// Of each actor, each goroutine does its list of things: "point", or "GET x", "SET x", "INCR y" on a key of a server.
type goroutines [][][]string

// world turns the program into a world. What a goroutine writes depends on all that its actor has done so far.
func (p goroutines) world(w *World) {
	w.Servers("x", "y")
	for i, lists := range p {
		w.Actor(string(rune('A'+i)), func(a *Actor) error {
			var (
				wg     sync.WaitGroup
				memory strings.Builder // one goroutine runs at a time, as there is a gate before each use
			)
			for g, list := range lists {
				wg.Go(func() {
					for _, what := range list {
						command, server, _ := strings.Cut(what, " ")
						got, err := "", error(nil)
						switch command {
						case "point":
							a.Point(fmt.Sprint("of ", g))
						// The commands of two goroutines are never the same: which of two equal ones a goroutine has
						// sent, nobody can tell.
						case "GET":
							got, err = a.RedisOn(server).GetRange(a.Context(), "k", 0, int64(1000+g)).Result()
						case "SET":
							err = a.RedisOn(server).Set(a.Context(), "k", fmt.Sprint(a.Name(), g, memory.String()), 0).Err()
						case "INCR":
							_, err = a.RedisOn(server).IncrBy(a.Context(), "n", int64(g+1)).Result()
						}
						if err != nil && !errors.Is(err, redis.Nil) {
							got = err.Error()
						}
						fmt.Fprintf(&memory, "%d%s(%s)", g, command[:1], got)
					}
				})
			}
			wg.Wait()
			return errors.New(memory.String()) // a verdict, which is part of the final state
		})
	}
}

// TestGoroutinesAndServers: brute force and the reduced search come to the same final states where actors race with
// themselves at points, and where there are several servers; and what is independent is not put in order.
func TestGoroutinesAndServers(t *testing.T) {
	r, err := Open()
	require.NoError(t, err)
	defer r.Close()
	total, reduced := 0, 0
	compare := func(t interface{ Fatalf(string, ...any) }, p goroutines) int {
		want, got := map[string]bool{}, map[string]bool{}
		orders := bruteForce(r, p.world, func(res *Result) { want[final(res)] = true })
		x := r.explore(context.Background(), p.world, func(res *Result) { got[final(res)] = true })
		if x.Err != nil || !x.Complete || strings.Join(sortedKeys(want), "\n") != strings.Join(sortedKeys(got), "\n") {
			t.Fatalf("%v\n%v %v\nbrute force:\n  %s\nreduced:\n  %s", p, x, x.Err, strings.Join(sortedKeys(want), "\n  "), strings.Join(sortedKeys(got), "\n  "))
		}
		total, reduced = total+orders, reduced+x.Orders
		return x.Orders
	}
	// Two goroutines of A have 6 orders; B's steps can come anywhere in each and matter to nobody.
	require.Equal(t, 6, compare(t, goroutines{{{"point", "point"}, {"point", "point"}}, {{"point", "INCR y"}}}))
	require.Equal(t, 1, compare(t, goroutines{{{"SET x", "GET x"}}, {{"SET y", "INCR y"}}}))
	rapid.Check(t, func(t *rapid.T) {
		what := rapid.SampledFrom([]string{"point", "point", "GET x", "SET x", "SET y", "GET y", "INCR x", "INCR y"})
		var p goroutines
		for _, shape := range rapid.SampledFrom([][][]int{{{1, 2}, {2}}, {{2, 1}, {1, 1}}, {{1, 1}, {1, 1}}, {{1, 1, 1}, {2}}, {{2, 2}, {1}}}).Draw(t, "shape") {
			var lists [][]string
			for _, n := range shape {
				lists = append(lists, rapid.SliceOfN(what, n, n).Draw(t, "list"))
			}
			p = append(p, lists)
		}
		compare(t, p)
	})
	t.Logf("%d orders, %d of them run by the reduced search", total, reduced)
}
