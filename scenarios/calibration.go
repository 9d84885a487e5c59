package scenarios

import (
	"context"
	"fmt"
	"strings"

	"github.com/racebench/racebench/impl/calibration"
	"github.com/racebench/racebench/interleave"
)

// What the calibration scenarios (X) share. How many orders they have, and how many of these go wrong, is known
// beforehand, so they say what a strategy is worth.

// Keys of the notes that their actors make.
const (
	noteAdded = "added"     // one to the counter
	noteTook  = "took over" // the lock, and from whom
	noteLeft  = "left"      // the rota
)

// The names of the numbers that they count.
const (
	additions = "additions"        // calls that say that they have added one
	onCounter = "on the counter"   // on the server
	takeovers = "locks taken over" // calls that say so
	locksHeld = "locks held"       // on the server
	leaves    = "leaves"           // calls that say that somebody has left
	onCall    = "on call"          // people, on the server
)

// keysOf are the keys of a target. They share a hash tag, so that scripts are legal on a cluster.
type keysOf string

func (t keysOf) counter() string            { return "counter:{" + string(t) + "}" }
func (t keysOf) lock() string               { return "lock:{" + string(t) + "}" }
func (t keysOf) person(actor string) string { return "oncall:{" + string(t) + "}:" + actor }
func (t keysOf) work(actor string) string   { return "work:{" + string(t) + "}:" + actor }

// calibrationCounters say how each number is counted, from the keys on the server and from the notes.
var calibrationCounters = map[string]func(left) int{
	additions: func(l left) int { return l.noted(noteAdded) },
	onCounter: func(l left) int {
		n := 0
		l.each(keysOf("*").counter(), func(e *interleave.Entry) { n += number(e.Text()) })
		return n
	},
	takeovers: func(l left) int { return l.noted(noteTook) },
	locksHeld: func(l left) int {
		n := 0
		l.each(keysOf("*").lock(), func(*interleave.Entry) { n++ })
		return n
	},
	leaves: func(l left) int { return l.noted(noteLeft) },
	onCall: func(l left) int {
		n := 0
		l.each(keysOf("*").person("*"), func(e *interleave.Entry) {
			if e.Text() == calibration.OnCall {
				n++
			}
		})
		return n
	},
}

// each calls do for the keys that begin like a pattern, up to its star.
func (l left) each(pattern string, do func(*interleave.Entry)) {
	prefix, _, _ := strings.Cut(pattern, "*")
	for _, k := range l.After {
		if strings.HasPrefix(k.Key, prefix) {
			do(k.Value)
		}
	}
}

// measuring is counting for the numbers of these scenarios.
func measuring(names ...string) func(*interleave.Result) Counts {
	return func(res *interleave.Result) Counts {
		l := leftBy(res)
		counts := Counts{}
		for _, name := range names {
			counts[name] = calibrationCounters[name](l)
		}
		return counts
	}
}

var (
	countAdditions = measuring(additions, onCounter)
	countLocks     = measuring(takeovers, locksHeld)
	countLeaves    = measuring(leaves, onCall)
)

// sized is a variant whose world can have several numbers of actors. They are named A, B, C and so on.
func sized(sizes Sizes, world func(w *interleave.World, target string, actors int), v Variant) Variant {
	v.Sizes, v.Sized = sizes, world
	v.World = func(w *interleave.World, target string) { world(w, target, sizes.Usual) }
	return v
}

// twoOf is a world that can have several numbers of actors, with two.
func twoOf(world func(*interleave.World, string, int)) func(*interleave.World, string) {
	return func(w *interleave.World, target string) { world(w, target, 2) }
}

// additive is a way to add one to a counter.
type additive func(*calibration.Counter, context.Context) error

// addition is a world of actors that each add one to a counter, between lines that they write into a log of their own.
func addition(add additive, before, after int) func(*interleave.World, string, int) {
	return func(w *interleave.World, target string, actors int) {
		keys := keysOf(target)
		for i := range actors {
			w.Actor(string(rune('A'+i)), func(a *interleave.Actor) error {
				ctx, log := a.Context(), calibration.NewLog(a.Redis(), keys.work(a.Name()))
				if err := log.Write(ctx, before); err != nil {
					return err
				}
				if err := add(calibration.NewCounter(a.Redis(), keys.counter()), ctx); err != nil {
					return err
				}
				a.Note(noteAdded, "one")
				return log.Write(ctx, after)
			})
		}
		w.Finally(everyAddition, func(s *interleave.State) error {
			if n, added := number(s.Entry(keys.counter()).Text()), len(s.Notes(noteAdded)); n != added {
				return fmt.Errorf("the counter is %d after %d additions", n, added)
			}
			return nil
		})
	}
}

// release is a way to give a lock back.
type release func(*calibration.Lock, context.Context) (bool, error)

// takeover is a world in which A works under a lock, writing some lines, and B takes the lock over from it, writes a
// line, and keeps it.
func takeover(give release, lines int) func(*interleave.World, string) {
	return func(w *interleave.World, target string) {
		keys := keysOf(target)
		lock := func(a *interleave.Actor) *calibration.Lock {
			return calibration.NewLock(a.Redis(), keys.lock(), a.Name())
		}
		w.Actor("A", func(a *interleave.Actor) error {
			taken, err := lock(a).Take(a.Context())
			if err != nil || !taken {
				return err
			}
			if err := calibration.NewLog(a.Redis(), keys.work("A")).Write(a.Context(), lines); err != nil {
				return err
			}
			_, err = give(lock(a), a.Context())
			return err
		})
		w.Actor("B", func(a *interleave.Actor) error {
			from, err := lock(a).TakeOver(a.Context())
			if err != nil {
				return err
			}
			a.Note(noteTook, "from "+from)
			return calibration.NewLog(a.Redis(), keys.work("B")).Write(a.Context(), 1)
		})
		w.Finally(lockKept, func(s *interleave.State) error {
			if holder := s.Entry(keys.lock()).Text(); len(s.Notes(noteTook)) > 0 && holder != "B" {
				return fmt.Errorf("the lock that B has taken over and not given back is held by %q", holder)
			}
			return nil
		})
	}
}

// leaving is a way to leave a rota.
type leaving func(r *calibration.Rota, ctx context.Context, person string) (bool, error)

// rota is a world in which A and B are on call and both want to leave.
func rota(leave leaving) func(*interleave.World, string) {
	return func(w *interleave.World, target string) {
		keys := keysOf(target)
		people := []string{keys.person("A"), keys.person("B")}
		for _, p := range people {
			w.Fail(w.Redis().Set(context.Background(), p, calibration.OnCall, 0).Err())
		}
		for _, name := range []string{"A", "B"} {
			w.Actor(name, func(a *interleave.Actor) error {
				left, err := leave(calibration.NewRota(a.Redis(), people...), a.Context(), keys.person(name))
				if left {
					a.Note(noteLeft, name)
				}
				return err
			})
		}
		w.Finally(somebodyOnCall, func(s *interleave.State) error {
			for _, p := range people {
				if s.Entry(p).Text() == calibration.OnCall {
					return nil
				}
			}
			return fmt.Errorf("nobody is on call")
		})
	}
}

// The invariants of these scenarios.
const (
	everyAddition  = "every addition counts"
	lockKept       = "a lock that was taken over is kept"
	somebodyOnCall = "somebody is on call"
)
