package interleave

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// Actor is a simulated process: a request, a worker, a reaper. It has its own connections and should share no memory
// with other actors. Its methods may be called from any goroutine that the actor has started.
type Actor struct {
	world  *World
	name   string
	run    func(*Actor) error
	daemon bool

	ctx    context.Context
	cancel context.CancelFunc
	life   atomic.Int32 // alive, crashed or over
	skew   atomic.Int64 // of its own clock, in nanoseconds
	late   atomic.Int32 // contacts of plumbing goroutines since death

	mu      sync.Mutex
	dialled int // connections so far
	clients []onServer
	notes   []Note
	remarks []string // on itself, for the trace alone
	fresh   []*conn  // dialled since the scheduler last looked
	called  []*op    // calls since then
	sql     actorSQL

	// The rest belongs to the scheduler, or to the actor's main goroutine before done is set.
	done     atomic.Bool
	exit     exit
	said     bool // it has made a note since its last step
	faulted  bool // a connection was broken by a fault: an error of this actor is no surprise
	sessions []*session
	calls    []*op      // at the gate, one for each goroutine that waits in one
	gone     []*session // whose client has given up, with commands still on their way
	noticed  bool       // the scheduler knows that done is set
	arrived  int        // steps before its first operation came, plus 1; 0 while none has
	left     int        // steps before its end was noticed, plus 1; 0 until then
}

// onServer is a go-redis client of one server.
type onServer struct {
	*redis.Client
	server *server
}

const (
	alive   int32 = iota
	crashed       // the process died
	over          // the world has ended
)

// exit says how the actor's function ended.
type exit struct {
	err    error
	panic  any
	stack  []byte
	goexit bool // runtime.Goexit, which t.FailNow uses too
}

// ActorOption changes how an actor is run.
type ActorOption func(*Actor)

// Daemon marks an actor that does not end by itself, such as a worker that waits for ever. The world ends when every
// other actor has ended and no daemon can go on at that instant.
func Daemon() ActorOption { return func(a *Actor) { a.daemon = true } }

// Note is something that an actor said about itself, for invariants and for readers of the trace.
type Note struct {
	Actor string `json:"actor"` // who said it
	Key   string `json:"key"`   // what it is about
	Value string `json:"value"` // what was said
}

// Name is the actor's name, as in schedules.
func (a *Actor) Name() string { return a.name }

// Context ends with the actor's life or with the world, whichever comes first.
func (a *Actor) Context() context.Context { return a.ctx }

// Redis returns the actor's go-redis client, ready to use and always the same one. Read and write timeouts are off and
// retries have no backoff, because a clock that jumps while a reply is outstanding would fire them; see ClientOptions.
func (a *Actor) Redis() *redis.Client { return a.client(a.world.eng.servers[0]) }

// RedisOn is Redis for a server that World.Servers has named. A name that it has not is an error of the world, and the
// client of it fails.
func (a *Actor) RedisOn(server string) *redis.Client {
	v, err := a.world.named(server)
	if err != nil {
		return failing(err)
	}
	return a.client(v)
}

// client is the actor's client of a server.
func (a *Actor) client(v *server) *redis.Client {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, c := range a.clients {
		if c.server == v {
			return c.Client
		}
	}
	opt := clientOptions(v.name, a.dialer(v))
	for _, f := range a.world.cfg.client {
		f(opt)
	}
	c := redis.NewClient(opt)
	a.clients = append(a.clients, onServer{c, v})
	return c
}

// clientOptions are the options of every client that a world makes.
func clientOptions(server string, dial func(context.Context, string, string) (net.Conn, error)) *redis.Options {
	return &redis.Options{
		Addr:            cmp.Or(server, "interleave") + ":6379",
		Dialer:          dial,
		Protocol:        3,
		ReadTimeout:     -1,
		WriteTimeout:    -1,
		MinRetryBackoff: -1,
		MaxRetryBackoff: -1,
		DialerRetries:   1,
		// A pool that runs out makes go-redis take a timer from a package-wide sync.Pool, and a timer of one bubble
		// is fatal in another.
		PoolSize:                 64,
		ConnMaxIdleTime:          -1,
		ReadBufferSize:           4 << 10, // the default of 32 KiB is most of the cost of a short world
		WriteBufferSize:          4 << 10,
		DisableIdentity:          true, // no CLIENT SETINFO: nobody asks who an actor's client is
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	}
}

// Dialer returns a dial function for any Redis client. It answers every address with a new in-memory connection whose
// other end is the gate.
func (a *Actor) Dialer() func(ctx context.Context, network, address string) (net.Conn, error) {
	return a.dialer(a.world.eng.servers[0])
}

// DialerOn is Dialer for a server that World.Servers has named. A name that it has not is an error of the world, and of
// every dial.
func (a *Actor) DialerOn(server string) func(ctx context.Context, network, address string) (net.Conn, error) {
	v, err := a.world.named(server)
	if err != nil {
		return func(context.Context, string, string) (net.Conn, error) { return nil, err }
	}
	return a.dialer(v)
}

func (a *Actor) dialer(v *server) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if a.life.Load() != alive {
			// The first use of it ends the caller. Client libraries dial in goroutines of their own and would log an
			// error of the dial itself.
			return newConn(a, v, 0), nil
		}
		a.mu.Lock()
		defer a.mu.Unlock()
		a.dialled++
		c := newConn(a, v, a.dialled)
		a.fresh = append(a.fresh, c)
		return c, nil
	}
}

// Note records a fact under a key, for invariants (State.Notes) and for readers of the trace.
func (a *Actor) Note(key, value string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.life.Load() == alive {
		a.notes = append(a.notes, Note{a.name, key, value})
	}
}

// contact is what a goroutine of a dead actor meets at the gate. A goroutine of the subject ends on the spot, its
// deferred calls included. A goroutine that belongs to a client library gets an error instead: others may wait for it
// on channels, and would wait for ever if it just ended.
func (a *Actor) contact() error {
	const patience = 100_000 // contacts until a library that retries without a pause is ended all the same
	if callerSite().subject || a.late.Add(1) > patience {
		runtime.Goexit()
	}
	return net.ErrClosed
}

// start runs the actor's function in a goroutine of its own. The labels name the actor in goroutine profiles, and are
// inherited by every goroutine that it starts.
func (a *Actor) start(labels pprof.LabelSet) {
	ctx := pprof.WithLabels(a.ctx, labels)
	a.ctx = ctx
	go func() {
		pprof.SetGoroutineLabels(ctx)
		finished := false
		defer func() {
			if r := recover(); r != nil {
				a.exit = exit{panic: r, stack: debug.Stack()}
			} else if !finished {
				a.exit = exit{goexit: true}
			}
			a.done.Store(true)
			a.world.ring()
		}()
		err := a.run(a)
		a.exit = exit{err: err}
		finished = true
	}()
}

// kill ends the actor's life: its context ends, and its goroutines end at their next contact with the gate.
func (a *Actor) kill(life int32) {
	if !a.life.CompareAndSwap(alive, life) {
		return
	}
	a.cancel()
	for _, s := range a.sessions {
		s.conn.wake()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, c := range a.fresh {
		c.wake()
	}
	for _, o := range slices.Concat(a.calls, a.called) {
		close(o.wake)
	}
	a.calls, a.called = nil, nil
}

// takeFresh hands the scheduler the connections, calls, remarks and notes that are new.
func (a *Actor) takeFresh() ([]*conn, []string, []Note) {
	a.mu.Lock()
	defer a.mu.Unlock()
	conns, remarks, notes := a.fresh, a.remarks, a.notes
	a.calls = slices.DeleteFunc(append(a.calls, a.called...), func(o *op) bool { return o.sql != nil && o.sql.gone.Load() })
	a.fresh, a.remarks, a.notes, a.called = nil, nil, nil, a.called[:0]
	return conns, remarks, notes
}

func (a *Actor) String() string { return fmt.Sprintf("actor %s", a.name) }
