package scenarios

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/racebench/racebench/impl"
	"github.com/racebench/racebench/impl/lua"
	"github.com/racebench/racebench/impl/naive"
	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/invariants"
)

// locksSubject is the subject of the scenarios of a lock with a state key (B).
const locksSubject = "statuslock"

// Keys of the notes that the actors of these scenarios make; noteRefused is another.
const (
	noteAsks     = "asks"       // for which state
	noteAnswered = "answered"   // after how long, be it yes or no
	noteComputes = "computes"   // in which state
	noteEnds     = "ends"       // computing, and when
	noteTimeout  = "timed out"  // waiting for the lock
	noteLost     = "lease lost" // while it computed, or held the lock
	noteDone     = "done"       // with the request, and when
)

// How the actors say what they do, for the invariants.
var (
	computing = invariants.Computing{In: noteComputes, Out: noteEnds}
	requests  = invariants.Requests{Computing: computing, Asks: noteAsks, Refused: noteRefused, Done: noteDone}
)

// locksWorld is a world of the lock subject while it is being described.
type locksWorld struct {
	*interleave.World
	impl   string
	target string
	cfg    impl.LockConfig   // what the scenario changes; NewToken is set for each process
	opt    naive.LockOptions // which version of naive
	timed  bool              // whether the actors say how long their answers took
}

// locks begins a world on one datum of one implementation.
func locks(w *interleave.World, name, target string) *locksWorld {
	return &locksWorld{World: w, impl: name, target: target}
}

// Keys of the datum: of its state, and of its lock.
func (l *locksWorld) status() string { return impl.StatusKey(l.target) }
func (l *locksWorld) lock() string   { return impl.LockKey(l.target) }

// open makes an implementation whose tokens come from the name: P makes p1, p2 and so on.
func (l *locksWorld) open(rdb redis.UniversalClient, name string) (impl.StatusLock, error) {
	if l.impl == "naive" {
		return naive.NewStatusLock(rdb, l.named(name), l.opt)
	}
	return lua.NewStatusLock(rdb, l.named(name))
}

// mutex makes the lock alone.
func (l *locksWorld) mutex(rdb redis.UniversalClient, name string) (impl.Mutex, error) {
	if l.impl == "naive" {
		return naive.NewMutex(rdb, l.named(name))
	}
	return lua.NewMutex(rdb, l.named(name))
}

// named is the configuration of a process.
func (l *locksWorld) named(name string) impl.LockConfig {
	cfg, made := l.cfg, 0
	cfg.NewToken = func() string { made++; return fmt.Sprintf("%s%d", strings.ToLower(name), made) }
	return cfg
}

// request adds a process that comes some time after the world began, asks to compute in a state, and computes for a while
// if it may. It notes what comes of it; a refusal is such an outcome and no error.
func (l *locksWorld) request(name string, after time.Duration, state impl.State, takes time.Duration) {
	l.Actor(name, func(a *interleave.Actor) error {
		lock, err := l.open(a.Redis(), name)
		if err == nil {
			err = wait(a.Context(), after)
		}
		if err != nil {
			return err
		}
		answered := l.asks(a, state.String())
		return l.outcome(a, answered, lock.Do(a.Context(), l.target, state, func(ctx context.Context) error {
			answered()
			return l.compute(ctx, a, state.String(), takes)
		}))
	})
}

// owner adds a process that comes some time after the world began, takes the lock itself, without a state, and gives it back
// after a while.
func (l *locksWorld) owner(name string, after, holds time.Duration) {
	l.Actor(name, func(a *interleave.Actor) error {
		lock, err := l.mutex(a.Redis(), name)
		if err == nil {
			err = wait(a.Context(), after)
		}
		if err != nil {
			return err
		}
		answered := l.asks(a, "the lock")
		token, err := lock.Lock(a.Context(), l.target)
		if err == nil {
			answered()
			if err = l.compute(a.Context(), a, token, holds); err == nil {
				err = lock.Unlock(a.Context(), l.target, token)
			}
		}
		return l.outcome(a, answered, err)
	})
}

// compute notes that an actor computes, and when it ends.
func (l *locksWorld) compute(ctx context.Context, a *interleave.Actor, as string, takes time.Duration) error {
	a.Note(noteComputes, as)
	defer func() { a.Note(noteEnds, l.Now().String()) }()
	return wait(ctx, takes)
}

// asks notes that an actor asks, and returns what notes that it has its answer; only the first answer counts.
func (l *locksWorld) asks(a *interleave.Actor, what string) (answered func()) {
	a.Note(noteAsks, what)
	began, done := l.Now(), false
	return func() {
		if l.timed && !done {
			a.Note(noteAnswered, (l.Now() - began).String())
		}
		done = true
	}
}

// outcome notes why a request came to nothing, and returns the error when it is none of the outcomes of the subject.
func (l *locksWorld) outcome(a *interleave.Actor, answered func(), err error) error {
	if a.Context().Err() != nil {
		return a.Context().Err()
	}
	answered()
	var refused *impl.StateError
	switch {
	case errors.As(err, &refused):
		a.Note(noteRefused, fmt.Sprintf("%s at %v: it is %s", refused.Want, l.Now(), refused.Met))
	case errors.Is(err, impl.ErrLockTimeout):
		a.Note(noteTimeout, "waiting for the lock")
	case errors.Is(err, impl.ErrLeaseLost):
		a.Note(noteLost, "its lease ran out")
	default:
		if err != nil {
			return err
		}
	}
	a.Note(noteDone, l.Now().String())
	return nil
}

// wait lets virtual time pass.
func wait(ctx context.Context, d time.Duration) error {
	if d == 0 {
		return nil
	}
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
