package interleave

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// reader is the test that rapid talks to, with what it is told. It can fail without failing the test that runs it.
type reader struct {
	*testing.T
	said   bytes.Buffer
	failed bool
}

func (r *reader) Logf(format string, args ...any)   { fmt.Fprintf(&r.said, format+"\n", args...) }
func (r *reader) Log(args ...any)                   { fmt.Fprintln(&r.said, args...) }
func (r *reader) Errorf(format string, args ...any) { r.Logf(format, args...); r.failed = true }
func (r *reader) Fatalf(format string, args ...any) { r.Errorf(format, args...); r.FailNow() }
func (r *reader) Fail()                             { r.failed = true }
func (r *reader) FailNow()                          { r.failed = true; runtime.Goexit() }
func (r *reader) Failed() bool                      { return r.failed }
func (r *reader) Output() io.Writer                 { return &r.said }

// fuzz is Fuzz for a test that reads what it says. The folder is a new one, for rapid's files.
func fuzz(t *testing.T, draw func(*rapid.T) func(*World), opts ...Option) (said string, ok bool) {
	t.Helper()
	if flag.Lookup("rapid.failfile").Value.String() == "" {
		t.Chdir(t.TempDir())
	}
	f := &fuzzing{r: openTest(t, opts), t: t, draw: draw}
	r, over := &reader{T: t}, make(chan bool)
	go func() {
		defer close(over)
		rapid.Check(r, f.property)
	}()
	<-over
	return r.said.String(), !r.failed
}

// set sets a flag for a test.
func set(t *testing.T, name, value string) {
	t.Helper()
	f := flag.Lookup(name)
	was := f.Value.String()
	require.NoError(t, f.Value.Set(value))
	t.Cleanup(func() { _ = f.Value.Set(was) })
}

// drawSums draws from two to five actors, each of which adds something to a counter a few times, by reading and writing.
func drawSums(t *rapid.T) func(*World) {
	sums := rapid.SliceOfN(rapid.SliceOfN(rapid.IntRange(1, 1000), 1, 4), 2, 5).Draw(t, "what each adds")
	return func(w *World) {
		want := 0
		for i, adds := range sums {
			for _, n := range adds {
				want += n
			}
			w.Actor(string(rune('A'+i)), func(a *Actor) error {
				for _, n := range adds {
					was, _ := a.Redis().Get(a.Context(), "sum").Int()
					if err := a.Redis().Set(a.Context(), "sum", was+n, 0).Err(); err != nil {
						return err
					}
				}
				return nil
			})
		}
		w.Finally("nothing is lost", func(s *State) error {
			if got := s.Entry("sum").Text(); got != fmt.Sprint(want) {
				return fmt.Errorf("the sum is %s, not %d", got, want)
			}
			return nil
		})
	}
}

// What rapid ends with is the smallest world there is with this race, and an order with one switch more than the best. The
// same seed says the same, but for names and times of files.
func TestFuzzShrinksShapeAndOrder(t *testing.T) {
	set(t, "rapid.seed", "7")
	said, ok := fuzz(t, drawSums)
	require.False(t, ok)
	require.Contains(t, said, "[rapid] draw what each adds: [][]int{[]int{1}, []int{1}}\n")
	require.Regexp(t, `\[rapid\] draw order: "A.GET B.GET A.SET B.SET"|"A.GET B.GET B.SET A.SET"`, said)
	for _, text := range []string{
		`"nothing is lost" violated after step 4`, "class:   lost update\n", "story:   Let ", "decides: ",
		"-interleave.replay='A.GET B.GET B.SET A.SET' -rapid.failfile='testdata/rapid/TestFuzzShrinksShapeAndOrder/",
	} {
		require.Contains(t, said, text)
	}
	lines := strings.Split(strings.TrimSpace(said), "\n")
	require.Regexp(t, `^replay:  go test -run '\^TestFuzzShrinksShapeAndOrder\$' `, lines[len(lines)-1])

	plain := func(text string) string {
		text = regexp.MustCompile(`\([0-9.]+[µm]?s\)|\d{4}/\d\d/\d\d [0-9:.]+`).ReplaceAllString(text, "")
		return regexp.MustCompile(`-\d{14}-\d+\.fail`).ReplaceAllString(text, ".fail")
	}
	again, _ := fuzz(t, drawSums)
	require.Equal(t, plain(said), plain(again))
}

// The command line of a failure has the shape from rapid's file and the order from ours.
func TestFuzzReplays(t *testing.T) {
	set(t, "rapid.seed", "7")
	said, _ := fuzz(t, drawSums)
	line := regexp.MustCompile(`-interleave.replay='(.*)' -rapid.failfile='(.*)'\n$`).FindStringSubmatch(said)
	require.NotNil(t, line, said)
	set(t, "interleave.replay", line[1])
	set(t, "rapid.failfile", line[2])
	said, ok := fuzz(t, drawSums)
	require.False(t, ok)
	require.Contains(t, said, "draw what each adds: [][]int{[]int{1}, []int{1}}\n")
	require.NotContains(t, said, "draw order")
	require.Contains(t, said, `"nothing is lost" violated after step 4`)

	set(t, "interleave.replay", "A.. B..")
	said, ok = fuzz(t, drawSums)
	require.True(t, ok, said)
	set(t, "interleave.replay", "A B A..")
	said, ok = fuzz(t, func(t *rapid.T) func(*World) {
		drawSums(t)
		return func(w *World) { w.Actor("A", func(a *Actor) error { return a.Redis().Incr(ctx, "n").Err() }) }
	})
	require.False(t, ok)
	require.Contains(t, said, "diverged at step 2")
}

// A world that a crash alone breaks, and one that the clock alone does.
func TestFuzzDrawsFaults(t *testing.T) {
	set(t, "rapid.seed", "1")
	pair := func(rt *rapid.T) func(*World) {
		rapid.IntRange(0, 9).Draw(rt, "nothing")
		return func(w *World) {
			w.Actor("A", func(a *Actor) error {
				a.Redis().Set(a.Context(), "first", 1, time.Minute)
				if a.Redis().Get(a.Context(), "first").Err() != nil {
					a.Redis().Set(a.Context(), "late", 1, 0)
				}
				a.Redis().Set(a.Context(), "second", 1, 0)
				return nil
			})
			w.Finally("both or none", func(s *State) error {
				if s.Entry("first") != nil && s.Entry("second") == nil {
					return errors.New("half")
				}
				return nil
			})
			w.Finally("in time", func(s *State) error {
				if s.Entry("late") != nil {
					return errors.New("late")
				}
				return nil
			})
		}
	}
	said, ok := fuzz(t, pair)
	require.True(t, ok, said)
	said, ok = fuzz(t, pair, Faults("crash:1"))
	require.False(t, ok)
	require.Contains(t, said, `"both or none" violated`)
	require.Contains(t, said, "-interleave.replay='A.SET!crash'")
	require.Contains(t, said, "class:   orphan after crash")
	said, ok = fuzz(t, pair, Jumps(2*time.Minute))
	require.False(t, ok)
	require.Contains(t, said, `"in time" violated`)
	require.Contains(t, said, "A.SET +2m A.GET")
}

// In zeros there is nothing but the simplest order: one actor after the other.
func TestZerosAreCalm(t *testing.T) {
	r := openTest(t, []Option{Faults("crash:2,evict:2,expire:1")})
	var order string
	world := drawSums
	rapid.MakeFuzz(func(rt *rapid.T) {
		order = (&fuzzing{r: r, t: t}).order(rt, world(rt)).Trace.Schedule().String()
	})(t, make([]byte, 4096))
	require.Equal(t, "A.GET A.SET B.GET B.SET", order)
}

func TestFuzzExploresEachShape(t *testing.T) {
	set(t, "rapid.seed", "3")
	said, ok := fuzz(t, drawSums, OrdersEach(20))
	require.False(t, ok)
	require.Contains(t, said, "draw what each adds: [][]int{[]int{1}, []int{1}}\n")
	require.Contains(t, said, `"nothing is lost" violated`)
}

// What can't be decided is drawn anew, and when nothing can, that is no success.
func TestFuzzUndecided(t *testing.T) {
	set(t, "rapid.seed", "1")
	set(t, "rapid.checks", "5")
	said, ok := fuzz(t, func(rt *rapid.T) func(*World) {
		world := drawSums(rt)
		return func(w *World) {
			world(w)
			w.eng.judged = nil
			w.Check(Invariant{Name: "who knows", When: FinallyHolds, Judge: func(*State) Verdict { return Verdict{Undecided, "nobody"} }})
		}
	})
	require.False(t, ok)
	require.Contains(t, said, "only generated 0 valid tests")
	said, ok = fuzz(t, func(*rapid.T) func(*World) { return nil })
	require.False(t, ok)
	require.Contains(t, said, "no world function was drawn, but nil")
	said, ok = fuzz(t, func(rt *rapid.T) func(*World) {
		rapid.Bool().Draw(rt, "b")
		return func(w *World) { w.Fail(errors.New("no data")) }
	})
	require.False(t, ok)
	require.Contains(t, said, "interleave: no data")
	_, err := Open(OrdersEach(-1))
	require.EqualError(t, err, "interleave: OrdersEach(-1): at least 0")
}

var ctx = context.Background()

func FuzzSums(f *testing.F) {
	f.Add([]byte{})
	f.Fuzz(MakeFuzz(f, func(t *rapid.T) func(*World) {
		adds := rapid.SliceOfN(rapid.IntRange(1, 9), 2, 5).Draw(t, "what each adds")
		return func(w *World) {
			for i, n := range adds {
				w.Actor(string(rune('A'+i)), func(a *Actor) error { return a.Redis().IncrBy(ctx, "sum", int64(n)).Err() })
			}
			w.Finally("there is a sum", func(s *State) error {
				if s.Entry("sum") == nil {
					return errors.New("none")
				}
				return nil
			})
		}
	}))
}
