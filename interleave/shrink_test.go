package interleave

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/racebench/racebench/interleave/schedule"
	"github.com/racebench/racebench/internal/raced"
)

const sameRule = "a is not b"

// judgedWorld is a program whose actors return no error, with one invariant.
func (p program) judgedWorld(w *World) {
	for i, list := range p.actors {
		w.Actor(string(rune('A'+i)), func(a *Actor) error {
			last := "nil"
			for _, in := range list {
				if in.when != "" && in.when != last {
					continue
				}
				v, err := run(a, in.args)
				if last = "some"; err != nil || v == "" {
					last = "nil"
				}
			}
			return nil
		})
	}
	judge := func(s *State) error {
		if s.Entry("a") != nil && s.Entry("a").Text() == s.Entry("b").Text() {
			return errors.New("a and b are the same")
		}
		return nil
	}
	if p.always {
		w.Always(sameRule, judge)
	} else {
		w.Finally(sameRule, judge)
	}
}

// drawRace draws programs of up to 10 operations; those of 12 are listed, because each has 924 orders.
func drawRace(t *rapid.T) program {
	shape := rapid.SampledFrom([][]int{{2, 2}, {3, 3}, {4, 4}, {2, 2, 2}, {3, 2, 1}, {5, 3}, {2, 1, 1, 1}, {2, 2}, {3, 3}, {3, 2, 2}, {5, 5}}).Draw(t, "shape")
	p := program{always: rapid.Bool().Draw(t, "always")}
	key := rapid.SampledFrom([]string{"a", "b", "a", "b", "c"})
	value := rapid.SampledFrom([]string{"1", "2"})
	for _, n := range shape {
		var list []instruction
		for range n {
			k := key.Draw(t, "key")
			args := rapid.SampledFrom([][]string{
				{"GET", k}, {"SET", k, value.Draw(t, "value")}, {"INCR", k}, {"DEL", k}, {"SETNX", k, value.Draw(t, "value")}, {"EXISTS", k}, {"INCR", "own"}, {"script", k, "b"}, {"tx", k},
			}).Draw(t, "command")
			list = append(list, instruction{rapid.SampledFrom([]string{"", "", "nil", "some"}).Draw(t, "when"), args})
		}
		p.actors = append(p.actors, list)
	}
	return p
}

// fewest is the least number of switches of all orders of a world that violate the target, counted up to the violation, and
// the violating order that has most.
func fewest(r *Runner, world func(*World), t target) (least int, worst *Result) {
	most := -1
	least = -1
	bruteForce(r, world, func(res *Result) {
		at, bad := t.in(res)
		if !bad {
			return
		}
		n := switches(res.Trace.Steps[:at])
		if least < 0 || n < least {
			least = n
		}
		if n > most {
			most, worst = n, res
		}
	})
	return least, worst
}

// TestFewestSwitches: brute force over every order of programs of up to 12 operations finds no violating order with fewer
// switches than the shrunk one. Actors that are left out are left out of the programs as well.
func TestFewestSwitches(t *testing.T) {
	r := openFor(t)
	tg := target{sameRule}
	races, shorter, dropped := 0, 0, 0
	compare := func(t interface{ Fatalf(string, ...any) }, p program) {
		least, worst := fewest(r, p.judgedWorld, tg)
		if worst == nil {
			return
		}
		races++
		// The switches alone, with all actors.
		s := r.shrinker(context.Background(), worst, tg, p.judgedWorld)
		if s == nil {
			t.Fatalf("%s of\n%s does not happen again", worst.Trace.Schedule(), p)
		}
		s.hunt()
		at, _ := tg.in(s.best)
		if n := switches(s.best.Trace.Steps[:at]); n != least || !s.minimal {
			t.Fatalf("%s has %d switches (minimal: %v), but there is an order with %d of\n%s", s.best.Trace.Schedule(), n, s.minimal, least, p)
		}
		at, _ = tg.in(worst)
		if least < switches(worst.Trace.Steps[:at]) {
			shorter++
		}
		// All of it.
		short := r.Shrink(context.Background(), worst, p.judgedWorld)
		absent := absentActors(short.Trace.Steps)
		for _, a := range absent {
			p.actors[a[0]-'A'] = nil
			dropped++
		}
		if len(absent) > 0 {
			least, _ = fewest(r, p.judgedWorld, tg)
		}
		at, bad := tg.in(short)
		if n := switches(short.Trace.Steps[:at]); !bad || n != least {
			t.Fatalf("%s has %d switches, but there is an order with %d of\n%s", short.Trace.Schedule(), n, least, p)
		}
	}
	set := func(k, v string) instruction { return instruction{"", []string{"SET", k, v}} }
	own := instruction{"", []string{"INCR", "own"}}
	compare(t, program{actors: [][]instruction{
		{own, set("a", "1"), own, set("b", "2"), set("a", "3"), own}, {own, set("b", "3"), set("a", "2"), set("c", "1"), own, set("b", "1")},
	}})
	get, when := instruction{"", []string{"GET", "a"}}, func(w string, in instruction) instruction { return instruction{w, in.args} }
	compare(t, program{always: true, actors: [][]instruction{
		{get, when("nil", set("c", "1")), own, set("b", "1"), get, when("some", set("b", "2"))}, {own, own, set("a", "1"), own, set("a", "2"), set("a", "3")},
	}})
	rapid.Check(t, func(t *rapid.T) { compare(t, drawRace(t)) })
	require.GreaterOrEqual(t, shorter, raced.Few(6))
	t.Logf("%d programs violate, %d of their worst orders have too many switches, %d actors dropped", races, shorter, dropped)
}

// TestShrinkLeavesOut: what a violation does not take is left out, and what it takes is not.
func TestShrinkLeavesOut(t *testing.T) {
	r := openFor(t)
	lock := func(w *World) {
		w.Fail(w.Redis().Set(context.Background(), "lock", "given", 90*time.Second).Err())
		for _, name := range []string{"A", "B", "C"} {
			w.Actor(name, func(a *Actor) error {
				ctx := a.Context()
				a.Redis().Get(ctx, "own:"+a.Name())
				if a.Name() == "C" {
					return a.Redis().Incr(ctx, "own:C").Err()
				}
				if ok, _ := a.Redis().SetNX(ctx, "lock", a.Name(), time.Hour).Result(); ok {
					a.Note("entered", a.Name())
				}
				return nil
			})
		}
		w.Finally("nobody enters", func(s *State) error {
			if n := len(s.Notes("entered")); n > 0 {
				return fmt.Errorf("%d entered", n)
			}
			return nil
		})
	}
	res := r.RunSchedule(must(schedule.Parse("A.GET C.GET +1s B.GET!lost +7h A.. !flushscripts B.. C..")), lock)
	require.Equal(t, Violated, res.Outcome())
	short := r.Shrink(context.Background(), res, lock)
	require.Equal(t, "C!crash B!crash A.GET +2m A.SET", short.Trace.Schedule().String())
	again := r.RunSchedule(short.Trace.Schedule(), lock)
	require.Equal(t, short.Trace.String(), again.Trace.String())

	// An actor that the invariant counts on stays, although the invariant is violated without it too.
	x := r.Explore(context.Background(), lostUpdate(3))
	require.Len(t, x.Found[0].Shrunk.Trace.turns(), 3)
	require.Equal(t, 3, x.Found[0].Shrunk.Trace.Switches()) // A | B | A | C
	require.True(t, x.Found[0].Minimal)
	require.Positive(t, x.Explained)

	// What comes after the violation is left out.
	early := func(w *World) {
		w.Actor("A", func(a *Actor) error {
			a.Redis().Set(context.Background(), "n", 1, 0)
			return a.Redis().Set(context.Background(), "n", 2, 0).Err()
		})
		w.Actor("B", func(a *Actor) error { return a.Redis().Set(context.Background(), "own", 1, 0).Err() })
		w.Always("n is not 1", func(s *State) error {
			if s.Entry("n").Text() == "1" {
				return errors.New("n is 1")
			}
			return nil
		})
	}
	res = r.RunSchedule(must(schedule.Parse("B.SET A.SET A.SET")), early)
	short = r.Shrink(context.Background(), res, early)
	require.Equal(t, "B!crash A.SET", short.Trace.Schedule().String())
	require.Equal(t, boundShown, short.Trace.Bound)

	// A search that may not run on leaves the order as it is.
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.True(t, r.Shrink(ctx, res, early).Trace.Schedule().Equal(res.Trace.Schedule()[:2]))
}

func TestPermutations(t *testing.T) {
	var got []string
	permutations([]string{"A", "B", "C"}, 4, func(p []string) bool {
		got = append(got, joinNames(p))
		return false
	})
	require.Equal(t, []string{"A B C ", "A C B ", "B A C ", "B C A "}, got)
	require.True(t, permutations([]string{"A", "B"}, 9, func(p []string) bool { return slices.Equal(p, []string{"B", "A"}) }))
	require.False(t, permutations([]string{"A", "B"}, 1, func(p []string) bool { return p[0] == "B" }))
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// A move of the clock for which everybody waits is not shortened: it would only be cut in pieces.
func TestShrinkLeavesWaitsAlone(t *testing.T) {
	r := openFor(t)
	world := func(w *World) {
		w.Actor("A", func(a *Actor) error {
			for range 2 {
				time.Sleep(time.Second)
				if err := a.Redis().BLPop(a.Context(), time.Second, "l").Err(); !errors.Is(err, redis.Nil) {
					return fmt.Errorf("BLPOP: %w", err)
				}
			}
			return a.Redis().Set(a.Context(), "a", "1", 0).Err()
		})
		w.Finally("nothing", func(s *State) error {
			if s.Entry("a") != nil {
				return errors.New("a is there")
			}
			return nil
		})
	}
	res, err := r.Run("+1s +1s A.BLPOP +1s +1s A.BLPOP A.SET", world)
	require.NoError(t, err)
	require.NoError(t, res.Err)
	short := r.Shrink(context.Background(), res, world)
	require.LessOrEqual(t, len(short.Trace.Steps), len(res.Trace.Steps), short.Trace)
}
