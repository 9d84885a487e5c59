package interleave

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// brute takes, at each step, the alternative that its counter says, and the first beyond its end. Counting through all
// counters runs every order, equivalent or not.
type brute struct {
	once
	counter []int
	sizes   []int // alternatives met at each depth
}

func (b *brute) next(v *view) (choice, error) {
	choices, _ := alternatives(v)
	if len(choices) == 0 {
		return choice{kind: chooseEnd}, nil
	}
	depth := len(b.sizes)
	b.sizes = append(b.sizes, len(choices))
	if depth < len(b.counter) {
		return choices[b.counter[depth]], nil
	}
	return choices[0], nil
}

// advance returns the counter of the next order, or nil after the last.
func (b *brute) advance() []int {
	full := make([]int, len(b.sizes))
	copy(full, b.counter)
	for d := len(full) - 1; d >= 0; d-- {
		if full[d]+1 < b.sizes[d] {
			full[d]++
			return full[:d+1]
		}
	}
	return nil
}

// bruteForce runs every order of a world.
func bruteForce(r *Runner, world func(*World), each func(*Result)) (orders int) {
	for counter := []int{}; counter != nil; {
		b := &brute{counter: counter}
		if res := r.once(b, r.cfg.needs(), world); !errors.Is(res.Err, errPruned) { // there was no timer
			each(res)
		}
		orders++
		counter = b.advance()
	}
	return orders
}

// program is a small program of several actors.
type program struct {
	actors [][]instruction
	always bool
}

// instruction is a command, done only if the last reply was as wanted.
type instruction struct {
	when string // "", "nil" or "some"
	args []string
}

func (p program) String() string {
	var b strings.Builder
	for i, list := range p.actors {
		fmt.Fprintf(&b, "%c:", 'A'+i)
		for _, in := range list {
			fmt.Fprintf(&b, " %s%v;", in.when, in.args)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// world turns the program into a world. What actors have read is part of the final state: a note would put them in order.
func (p program) world(w *World) {
	for i, list := range p.actors {
		w.Actor(string(rune('A'+i)), func(a *Actor) error {
			last, seen := "nil", ""
			for _, in := range list {
				if in.when != "" && in.when != last {
					continue
				}
				v, err := run(a, in.args)
				if err != nil && !errors.Is(err, redis.Nil) {
					v = "error " + err.Error()
				}
				last = "some"
				if errors.Is(err, redis.Nil) {
					last = "nil"
				}
				seen += fmt.Sprint(in.args[0], " ", v, ", ")
			}
			return errors.New(seen) // the error of an actor is a verdict, which is part of the final state
		})
	}
	judge := func(s *State) error {
		if s.Entry("a").Text() == s.Entry("b").Text() && s.Entry("a") != nil {
			return errors.New("a and b are the same")
		}
		return nil
	}
	if p.always {
		w.Always("a is not b", judge)
	} else {
		w.Finally("a is not b", judge)
	}
}

func run(a *Actor, args []string) (string, error) {
	ctx, rdb := context.Background(), a.Redis()
	switch args[0] {
	case "tx": // read, and write if nobody else has
		err := rdb.Watch(ctx, func(tx *redis.Tx) error {
			v := tx.Get(ctx, args[1]).Val()
			_, err := tx.TxPipelined(ctx, func(p redis.Pipeliner) error { return p.Set(ctx, args[1], v+"t", 0).Err() })
			return err
		}, args[1])
		if errors.Is(err, redis.TxFailedErr) {
			return "aborted", nil
		}
		return "", err
	case "script":
		v, err := rdb.Eval(ctx, `local v = redis.call('GET', KEYS[1]) redis.call('SET', KEYS[2], (v or '') .. 's') return v`, args[1:3]).Text()
		return v, err
	case "subscribe": // and wait a second for a message
		sub := rdb.Subscribe(ctx, "ch")
		defer sub.Close()
		if _, err := sub.Receive(ctx); err != nil {
			return "", err
		}
		m, err := sub.ReceiveTimeout(ctx, time.Second)
		if err != nil {
			return "none", nil
		}
		return fmt.Sprint(m), nil
	case "two": // goroutines at once
		var wg sync.WaitGroup
		var v string
		wg.Go(func() { v = rdb.Get(ctx, args[1]).Val() })
		wg.Go(func() { rdb.Incr(ctx, "b") })
		wg.Wait()
		return v, nil
	case "note":
		a.Note("said", args[1])
		return "", nil
	case "sleep":
		time.Sleep(time.Second)
		return "", nil
	}
	words := make([]any, len(args))
	for i, a := range args {
		words[i] = a
	}
	v, err := rdb.Do(ctx, words...).Result()
	return fmt.Sprint(v), err
}

func drawProgram(t *rapid.T) program {
	shape := rapid.SampledFrom([][]int{{4, 3}, {3, 3}, {2, 2, 2}, {3, 2, 1}, {2, 1, 1, 1}, {1, 1, 1, 1}, {2, 2}}).Draw(t, "shape")
	p := program{always: rapid.Bool().Draw(t, "always")}
	key := rapid.SampledFrom([]string{"a", "a", "b", "c"})
	value := rapid.SampledFrom([]string{"1", "2"})
	for i, n := range shape {
		var list []instruction
		for range n {
			k := key.Draw(t, "key")
			args := rapid.SampledFrom([][]string{
				{"GET", k}, {"SET", k, value.Draw(t, "value")}, {"SET", k, value.Draw(t, "value")}, {"INCR", k}, {"DEL", k},
				{"SETNX", k, value.Draw(t, "value")}, {"EXISTS", k}, {"MSET", "a", "1", k, "2"}, {"RENAME", k, "c"}, {"DBSIZE"},
				{"APPEND", k, "x"}, {"tx", k}, {"script", k, "b"}, {"sleep"}, {"LPUSH", "l", fmt.Sprint(i)}, {"RPOP", "l"}, {"BLPOP", "l", "0"}, {"BLPOP", "l", "1"}, {"PUBLISH", "ch", "m"},
			}).Draw(t, "command")
			if args[0] == "BLPOP" && rapid.IntRange(0, 2).Draw(t, "seldom") > 0 {
				args = []string{"LPUSH", "l", "x"} // a program in which most wait for ever has few orders
			}
			when := rapid.SampledFrom([]string{"", "", "nil", "some"}).Draw(t, "when")
			list = append(list, instruction{when, args})
		}
		p.actors = append(p.actors, list)
	}
	return p
}

// final is everything that can come of an order: the data, what each actor has seen, and the verdict.
func final(res *Result) string {
	var b strings.Builder
	for _, k := range res.Trace.After {
		fmt.Fprintf(&b, "%s=%s ", k.Key, k.Value)
	}
	for _, v := range res.Verdicts {
		fmt.Fprintf(&b, "%s %s: %s", v.Invariant, v.Outcome, v.Detail)
	}
	if res.Err != nil {
		fmt.Fprintf(&b, " %T", res.Err)
	}
	return b.String()
}

// TestReductionLosesNothing: brute force over every order and the reduced search come to the same set of final states,
// verdicts and violated invariants, and the reduced search runs no two orders that are the same.
func TestReductionLosesNothing(t *testing.T) {
	r, err := Open()
	require.NoError(t, err)
	defer r.Close()
	total, reduced := 0, 0
	compare := func(t interface{ Fatalf(string, ...any) }, p program) {
		want, got := map[string]bool{}, map[string]bool{}
		orders := bruteForce(r, p.world, func(res *Result) { want[final(res)] = true })
		x := r.explore(context.Background(), p.world, func(res *Result) { got[final(res)] = true })
		if x.Err != nil || !x.Complete {
			t.Fatalf("%s%v %v", p, x, x.Err)
		}
		for _, s := range sortedKeys(want) {
			if !got[s] {
				t.Fatalf("the reduced search (%d of %d orders) misses\n  %s\nof\n%s", x.Orders, orders, s, p)
			}
		}
		for _, s := range sortedKeys(got) {
			if !want[s] {
				t.Fatalf("the reduced search finds what no order gives\n  %s\nof\n%s", s, p)
			}
		}
		if x.Orders > orders {
			t.Fatalf("the reduced search runs %d orders of %d of\n%s", x.Orders, orders, p)
		}
		total, reduced = total+orders, reduced+x.Orders
	}
	// Programs that it once got wrong come first: drawing seldom meets them.
	push, get, pop := instruction{"", []string{"LPUSH", "l", "x"}}, instruction{"", []string{"GET", "a"}}, instruction{"", []string{"BLPOP", "l", "1"}}
	compare(t, program{actors: [][]instruction{{push, get, get}, {pop, {"some", []string{"INCR", "a"}}}, {pop}}})
	rapid.Check(t, func(t *rapid.T) { compare(t, drawProgram(t)) })
	t.Logf("%d orders, %d of them run by the reduced search", total, reduced)
}

func sortedKeys[V any](m map[string]V) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
