package interleave

import (
	"context"
	"errors"
	"fmt"
	"net"
	"runtime/pprof"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/racebench/racebench/interleave/schedule"
)

// World is one execution: a throwaway Redis, a virtual clock that begins at midnight UTC of 2000-01-01, actors and
// invariants. A world function describes it; it runs once for every schedule, in the world's own synctest bubble, so
// time.Now, timers and contexts are virtual in it.
type World struct {
	cfg     *config
	eng     *engine
	id      string
	arrival chan struct{} // made in the bubble, or waiting on it would stop the virtual clock
	started bool          // actors run: nothing can be added any more

	mu       sync.Mutex
	err      error // of the world function
	cleanups []func()
}

var worlds atomic.Int64

func newWorld(cfg *config) *World {
	return &World{cfg: cfg, id: strconv.FormatInt(worlds.Add(1), 10)}
}

// Actor adds an actor. Its function runs once the world function has returned; when it returns, the actor has ended. An
// error that it returns is a violation, unless a fault of the schedule broke one of the actor's connections.
// The name is used in schedules: a letter or _, then letters, digits, _ and -.
func (w *World) Actor(name string, run func(*Actor) error, opts ...ActorOption) {
	if w.late("Actor " + name) {
		return
	}
	if err := schedule.CheckActor(name); err != nil {
		w.fail(err)
		return
	}
	for _, a := range w.eng.actors {
		if a.name == name {
			w.fail(fmt.Errorf("interleave: two actors are named %s", name))
			return
		}
	}
	a := &Actor{world: w, name: name, run: run}
	a.ctx, a.cancel = context.WithCancel(context.Background())
	for _, o := range opts {
		o(a)
	}
	w.eng.actors = append(w.eng.actors, a)
}

// Servers adds Redis servers to the one that every world has, such as the members of a Redlock quorum. Each has data,
// connections, scripts and faults of its own; they share the world's clock. Actors connect with Actor.RedisOn, and
// schedules say A.SET@r1 and !restart@r1. A name is a letter or _, then letters, digits, _ and -.
func (w *World) Servers(names ...string) {
	if w.late("a server") {
		return
	}
	for _, name := range names {
		if err := w.eng.addServer(name); err != nil {
			w.fail(err)
			return
		}
	}
}

// Redis returns a client that does not pass the gate, for what is there before the first step. Actors must not use it.
func (w *World) Redis() *redis.Client { return w.eng.servers[0].directly() }

// RedisOn is Redis for a server that Servers has named. A name that it has not is an error of the world, and the client
// of it fails.
func (w *World) RedisOn(name string) *redis.Client {
	v, err := w.named(name)
	if err != nil {
		return failing(err)
	}
	return v.directly()
}

// named is the server of that name. That there is none is an error of the world.
func (w *World) named(name string) (*server, error) {
	if v := w.eng.server(name); v != nil {
		return v, nil
	}
	err := fmt.Errorf("interleave: there is no server %q, only %s: World.Servers names them", name, serverNames(w.eng.servers))
	w.fail(err)
	return nil, err
}

// failing is a client that can't connect.
func failing(err error) *redis.Client {
	return redis.NewClient(clientOptions("nowhere", func(context.Context, string, string) (net.Conn, error) { return nil, err }))
}

// Always adds an invariant that is judged after every step.
func (w *World) Always(name string, judge func(*State) error) {
	w.Check(Invariant{Name: name, When: AlwaysHolds, Judge: fromError(judge)})
}

// Finally adds an invariant that is judged when nothing more can happen.
func (w *World) Finally(name string, judge func(*State) error) {
	w.Check(Invariant{Name: name, When: FinallyHolds, Judge: fromError(judge)})
}

// Check adds invariants, such as those of the package invariants.
func (w *World) Check(invariants ...Invariant) {
	if w.late("an invariant") {
		return
	}
	for _, inv := range invariants {
		if inv.Name == "" || inv.Judge == nil {
			w.fail(fmt.Errorf("interleave: an invariant needs a name and a judgement"))
			return
		}
		w.eng.judged = append(w.eng.judged, &judgement{inv: inv})
	}
}

// Fail ends the world with an error, for a world function whose preparation did not work. A nil error does nothing; only
// the first counts.
func (w *World) Fail(err error) {
	if err != nil {
		w.fail(err)
	}
}

func (w *World) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = err
	}
}

// failed returns the first error.
func (w *World) failed() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// late notes that something is added to a world that runs already.
func (w *World) late(what string) bool {
	if w.started {
		w.fail(fmt.Errorf("interleave: %s was added after the start of the world: only the world function can add to it", what))
	}
	return w.started
}

// Cleanup adds a function that is called when the world has ended and its actors with it, last added first, for what a
// world function has opened.
func (w *World) Cleanup(f func()) {
	if f == nil {
		w.fail(errors.New("interleave: Cleanup of nil"))
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cleanups = append(w.cleanups, f)
}

// Now is the virtual time since the world began.
func (w *World) Now() time.Duration { return time.Since(w.eng.start) }

// labels mark the goroutines of an actor in profiles.
func (w *World) labels(a *Actor) pprof.LabelSet {
	return pprof.Labels(worldLabel, w.id, actorLabel, a.name)
}

const (
	worldLabel = "interleave.world"
	actorLabel = "interleave.actor"
)
