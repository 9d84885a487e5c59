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
)

// computing is how the actors say that they compute, for the invariants.
var computing = invariants.Computing{In: noteComputes, Out: noteEnds}

// locksWorld is a world of the lock subject while it is being described.
type locksWorld struct {
	*interleave.World
	impl   string
	target string
	cfg    impl.LockConfig   // what the scenario changes; NewToken is set for each process
	opt    naive.LockOptions // which version of naive
}

// locks begins a world on one datum of one implementation.
func locks(w *interleave.World, name, target string) *locksWorld {
	return &locksWorld{World: w, impl: name, target: target}
}

// status is the key of the state.
func (l *locksWorld) status() string { return impl.StatusKey(l.target) }

// open makes an implementation whose tokens come from the name: P makes p1, p2 and so on.
func (l *locksWorld) open(rdb redis.UniversalClient, name string) (impl.StatusLock, error) {
	if l.impl == "naive" {
		return naive.NewStatusLock(rdb, l.named(name), l.opt)
	}
	return lua.NewStatusLock(rdb, l.named(name))
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
		return outcome(a, answered, lock.Do(a.Context(), l.target, state, func(ctx context.Context) error {
			answered()
			a.Note(noteComputes, state.String())
			defer func() { a.Note(noteEnds, l.Now().String()) }()
			return wait(ctx, takes)
		}))
	})
}

// asks notes that an actor asks, and returns what notes that it has its answer; only the first answer counts.
func (l *locksWorld) asks(a *interleave.Actor, what string) (answered func()) {
	a.Note(noteAsks, what)
	began, done := l.Now(), false
	return func() {
		if !done {
			a.Note(noteAnswered, (l.Now() - began).String())
		}
		done = true
	}
}

// outcome notes why a request came to nothing, and returns the error when it is none of the outcomes of the subject.
func outcome(a *interleave.Actor, answered func(), err error) error {
	if a.Context().Err() != nil {
		return a.Context().Err()
	}
	answered()
	var refused *impl.StateError
	switch {
	case errors.As(err, &refused):
		a.Note(noteRefused, fmt.Sprintf("%s: it is %s", refused.Want, refused.Met))
	case errors.Is(err, impl.ErrLockTimeout):
		a.Note(noteTimeout, "waiting for the lock")
	case errors.Is(err, impl.ErrLeaseLost):
		a.Note(noteLost, "its lease ran out")
	default:
		return err
	}
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

// The names of the numbers that these scenarios count; refused is another.
const (
	admitted  = "admitted"        // requests that computed
	atOnce    = "at once"         // the most that computed at the same time
	timeouts  = "timed out"       // requests that waited for the lock in vain
	lostLease = "leases lost"     // holders that were told so
	stateLeft = "state left over" // keys of a state on the server at the end
)

var lockCounters = map[string]func(left) int{
	admitted:  func(l left) int { return l.noted(noteComputes) },
	refused:   func(l left) int { return l.noted(noteRefused) },
	timeouts:  func(l left) int { return l.noted(noteTimeout) },
	lostLease: func(l left) int { return l.noted(noteLost) },
	atOnce:    left.computing,
	stateLeft: func(l left) int {
		n := 0
		for _, k := range l.After {
			if strings.HasPrefix(k.Key, "status:") && strings.HasSuffix(k.Key, "}") {
				n++
			}
		}
		return n
	},
}

// computing is the most actors that computed at the same time, by their notes. One that crashed has computed to the end.
func (l left) computing() int {
	now, most := 0, 0
	for _, note := range l.Notes {
		switch note.Key {
		case noteComputes:
			now++
		case noteEnds:
			now--
		}
		most = max(most, now)
	}
	return most
}

// countingLocks returns a function that counts the numbers of these names.
func countingLocks(names ...string) func(*interleave.Result) Counts {
	return func(res *interleave.Result) Counts {
		l := leftBy(res)
		counts := Counts{}
		for _, name := range names {
			counts[name] = lockCounters[name](l)
		}
		return counts
	}
}

// guardsMeet is a window of two requests in the guard of the state.
func (l *locksWorld) guardsMeet() {
	if l.impl == "naive" {
		l.Window("between GET and SET of the state", span{From: on("GET", l.status()), To: on("SET", l.status())})
		return
	}
	l.Window("two requests at once")
}
