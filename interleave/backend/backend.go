// Package backend holds what the scheduler needs of a throwaway Redis, and the registry of the ways to get one.
//
// Only the scheduler of a world talks to a backend, from one goroutine at a time; nothing here needs to be safe for
// concurrent use. A backend never sees a blocking command, HELLO with credentials of a user, or SHUTDOWN: the scheduler
// models or refuses those.
package backend

import (
	"errors"
	"fmt"
	"sort"
	"strings"
	"time"
)

// Server is one throwaway Redis, used by one world at a time and reset between worlds.
type Server interface {
	// Name is the backend's word: embedded, process, container or url.
	Name() string
	// Version is the server's own redis_version ("7.0.15"); for embedded that of the library ("miniredis 2.40.0").
	Version() string
	// Open makes a connection that mirrors one connection of a client. It starts as RESP2 on database 0, as every
	// Redis connection does, and may be made lazily: an error of the dial may come from the first Do.
	Open() (Conn, error)
	// SetClock moves the server's wall clock to now, a virtual instant that is not before the last one. Expiry follows:
	// a key that is due is gone for the next command.
	SetClock(now time.Time) error
	// Reset empties the server, drops every connection opened since the last Reset and sets the clock to now, which
	// may be earlier than before. The script cache is emptied where the server is ours alone.
	Reset(now time.Time) error
	// Notes returns, sorted and without repeats, what a reader of the results must know about fidelity since the
	// last Reset: "a script reads TIME, which this backend can't make virtual".
	Notes() []string
	// Close ends the server and removes all that it left: process, folder, container, keys.
	Close() error
}

// Conn is the server's side of one client connection.
type Conn interface {
	// Do executes one command and returns the raw bytes of its reply, errors of the server included: one RESP frame,
	// or, for the SUBSCRIBE family, every frame that confirms it. Err is a failure of the backend, never of the
	// command: a *RefusedError, or an *UnavailableError.
	Do(args []string) (raw []byte, err error)
	// Pushes returns the raw frames, one after the other, that the server has sent beside replies since the last call.
	Pushes() ([]byte, error)
	// Close drops the connection, as a client does that closes its socket. It may be called twice.
	Close() error
}

// Batcher is a Conn for which a round trip costs: it can execute a command and, in the same round trip, some that only
// read.
type Batcher interface {
	Conn
	// DoAll executes the commands in order and returns the raw reply of each. All but the first only read. ok is false,
	// and nothing has been executed, when the connection can't do it for this command or at this time; Do can.
	DoAll(cmds [][]string) (raw [][]byte, ok bool, err error)
}

// Abandoner is a Server that can be ended although a call of it may still be going on in another goroutine.
type Abandoner interface {
	// Abandon ends the server like Close, but neither waits for such a call nor touches what it uses.
	Abandon() error
}

// UnavailableError says that a backend can't be had, or is gone. The command-line tool ends with code 3 on it.
type UnavailableError struct {
	Backend string // which
	Err     error  // what happened
	Hint    string // how to get it, or what to use instead; may be empty
}

func (e *UnavailableError) Error() string {
	return fmt.Sprintf("backend %s: %v", e.Backend, e.Err)
}

func (e *UnavailableError) Unwrap() error { return e.Err }

// RefusedError says that a backend would not do exactly what a Redis server does, and so did nothing.
type RefusedError struct {
	Backend string // which
	Command string // the command as sent, shortened
	Reason  string // what would differ
	Hint    string // what to use instead; may be empty
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("backend %s refuses %s: %s", e.Backend, e.Command, e.Reason)
}

// ErrDropped is wrapped by the error of a Conn that the server has closed while it goes on serving others, as CLIENT KILL
// makes it do.
var ErrDropped = errors.New("the server closed this connection")

// Config says how to open a backend. The zero value is good for each.
type Config struct {
	// Image is the container image; empty means redis:7-alpine.
	Image string
	// Binary is the redis-server to start; empty means the one found on PATH.
	Binary string
	// ReplyTimeout is how long, in real time, a reply of the server may take; 0 means 10 s.
	ReplyTimeout time.Duration
	// ShiftClock makes a real server keep its own wall clock, with expiry shifted when the virtual clock moves, even
	// where a virtual wall clock could be had. It exists so that tests can compare both.
	ShiftClock bool
}

// Opener starts a backend. The spec is the text after --redis: a name or a redis:// URL.
type Opener func(spec string, cfg Config) (Server, error)

var openers = map[string]Opener{}

// Register makes a backend known by name ("container") or by URL scheme ("redis://"). It is meant for init functions.
func Register(name string, open Opener) {
	if _, twice := openers[name]; twice {
		panic("backend: " + name + " is registered twice")
	}
	openers[name] = open
}

// Names lists the registered backends in order.
func Names() []string {
	names := make([]string, 0, len(openers))
	for n := range openers { // any order: sorted below
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// ErrUnknown is what Open returns, wrapped, for a spec that names no registered backend.
var ErrUnknown = errors.New("unknown backend")

// Open starts the backend that spec names; an empty spec is embedded.
func Open(spec string, cfg Config) (Server, error) {
	name := spec
	if name == "" {
		name = "embedded"
	}
	if i := strings.Index(spec, "://"); i >= 0 {
		name = spec[:i+3]
	}
	open, ok := openers[name]
	if !ok {
		return nil, fmt.Errorf("%w %q (have %s)", ErrUnknown, spec, strings.Join(Names(), ", "))
	}
	return open(spec, cfg)
}
