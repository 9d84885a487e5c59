package lock

import (
	"context"
	"testing"
	"time"

	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/invariants"
)

type locker interface {
	TryLock(context.Context) (bool, error)
	Unlock(context.Context) error
}

const key = "lock:report"

var releasedByOwner = invariants.ReleasedByOwner(key, false)

// twoWorkers want the same lock, once each.
func twoWorkers(of func(Naive) locker) func(*interleave.World) {
	return func(w *interleave.World) {
		for _, name := range []string{"A", "B"} {
			w.Actor(name, func(a *interleave.Actor) error {
				l := of(Naive{a.Redis(), key, a.Name()})
				got, err := l.TryLock(a.Context())
				if err != nil || !got {
					return err
				}
				return l.Unlock(a.Context())
			})
		}
		w.Check(releasedByOwner)
	}
}

func naive(l Naive) locker { return l }
func fixed(l Naive) locker { return Fixed{l} }

// A stands still until its lease is over, B takes the lock, and A deletes it.
func TestNaiveDeletesTheLockOfAnother(t *testing.T) {
	interleave.Violates(t, "A.SET +31s B.SET A.DEL", releasedByOwner.Name, twoWorkers(naive))
}

// Whenever the clock jumps over the lease, nobody deletes what is not theirs.
func TestFixedHoldsInEveryOrder(t *testing.T) {
	interleave.Explore(t, twoWorkers(fixed), interleave.Jumps(Lease+time.Second))
}
