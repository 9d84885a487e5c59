package interleave

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// Outcome is what a judgement comes to.
type Outcome int

// The outcomes, from good to bad.
const (
	Held      Outcome = iota // the invariant holds
	Undecided                // it can't be told: a bound was hit, or a fact is missing
	Violated                 // it does not hold
)

// String is the outcome's word: held, undecided or violated.
func (o Outcome) String() string { return [...]string{"held", "undecided", "violated"}[o] }

// MarshalText writes the outcome's word.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText reads the outcome's word.
func (o *Outcome) UnmarshalText(text []byte) error {
	for x := Held; x <= Violated; x++ {
		if x.String() == string(text) {
			*o = x
			return nil
		}
	}
	return fmt.Errorf("interleave: no outcome %q", text)
}

// Verdict is a judgement with its reason.
type Verdict struct {
	Outcome Outcome `json:"outcome"`          // held, undecided or violated
	Detail  string  `json:"detail,omitempty"` // what was found, for Violated and Undecided
}

// When says when an invariant is judged.
type When int

const (
	AlwaysHolds  When = iota // after every step
	FinallyHolds             // when nothing more can happen
)

// String is always or finally.
func (w When) String() string {
	if w == AlwaysHolds {
		return "always"
	}
	return "finally"
}

// MarshalText writes the word.
func (w When) MarshalText() ([]byte, error) { return []byte(w.String()), nil }

// UnmarshalText reads it.
func (w *When) UnmarshalText(text []byte) error {
	switch string(text) {
	case "always":
		*w = AlwaysHolds
	case "finally":
		*w = FinallyHolds
	default:
		return fmt.Errorf("interleave: %q is not always or finally", text)
	}
	return nil
}

// Invariant is a named, pure judgement over trace and state.
type Invariant struct {
	Name  string
	When  When
	Judge func(*State) Verdict
}

// ErrUndecided, wrapped in the error of a judgement, makes it undecided instead of violated.
var ErrUndecided = errors.New("undecided")

func fromError(judge func(*State) error) func(*State) Verdict {
	if judge == nil {
		return nil
	}
	return func(s *State) Verdict {
		err := judge(s)
		switch {
		case err == nil:
			return Verdict{}
		case errors.Is(err, ErrUndecided):
			return Verdict{Undecided, err.Error()}
		}
		return Verdict{Violated, err.Error()}
	}
}

// judgement is an invariant with what has become of it: the worst verdict, and the step after which it was first given.
type judgement struct {
	inv     Invariant
	verdict Verdict
	step    int
}

// judge judges every invariant that is due. A violation stays: later steps can't mend it.
func (e *engine) judge(final bool) {
	if !final && !e.pending && !e.trace.touched() {
		return
	}
	e.pending = false
	s := &State{eng: e, Final: final}
	for _, j := range e.judged {
		if j.verdict.Outcome == Violated || j.inv.When == FinallyHolds && !final {
			continue
		}
		v := j.inv.Judge(s)
		if v.Outcome > j.verdict.Outcome || j.inv.When == FinallyHolds {
			j.verdict, j.step = v, len(e.trace.Steps)
		}
	}
}

// State is what an invariant may look at: the data after a step, and the trace so far. Nothing may be changed.
type State struct {
	eng   *engine
	on    string         // name of the server that keys are looked up on
	Final bool           // nothing more can happen
	made  *time.Duration // virtual time of a state that NewState made; nil for one of a world
}

// NewState makes a state by hand, for the tests of a judgement: the trace so far, the data after its last step (keys of
// database 0), the virtual time since the world began, and whether nothing more can happen. It has no Redis, and no
// actor in it has ended or crashed.
func NewState(trace *Trace, data []KeyState, now time.Duration, final bool) *State {
	img := image{}
	for _, k := range data {
		img[dbKey{"", 0, k.Key}] = k.Value
	}
	return &State{eng: &engine{trace: trace, image: img}, Final: final, made: &now}
}

// Trace is what has happened so far.
func (s *State) Trace() *Trace { return s.eng.trace }

// Now is the virtual time since the world began.
func (s *State) Now() time.Duration {
	if s.made != nil {
		return *s.made
	}
	return time.Since(s.eng.start)
}

// Redis returns a client that does not pass the gate. It must only read. A state of NewState has none: nil.
func (s *State) Redis() *redis.Client {
	if s.made != nil {
		return nil
	}
	return s.eng.world.RedisOn(s.on)
}

// On is the same state with the keys of one of several servers, named by World.Servers, for Keys, Entry and Redis. It
// panics when there is no such server. Of a state that NewState has made it has the keys that begin with the name and /.
func (s *State) On(server string) *State {
	t := *s
	t.on = server
	if s.made == nil {
		if s.eng.server(server) == nil {
			panic(fmt.Sprintf("interleave: State.On: there is no server %q, only %s", server, serverNames(s.eng.servers)))
		}
		return &t
	}
	img := image{}
	for k, v := range s.eng.image { // any order: they go into a map
		if key, ok := strings.CutPrefix(k.key, server+"/"); ok {
			img[dbKey{server, 0, key}] = v
		}
	}
	t.eng = &engine{trace: s.eng.trace, image: img}
	return &t
}

// Context is a context for the calls of Redis.
func (s *State) Context() context.Context { return context.Background() }

// Keys are the keys of database 0 (of the server without a name; see On) that match a pattern, sorted. The pattern is one of path.Match, except that / is a
// character like any other: "job:*" matches job:a/b.
func (s *State) Keys(pattern string) []string {
	var keys []string
	for _, k := range s.eng.image.sorted() {
		if k.db != 0 || k.server != s.on {
			continue
		}
		if ok, err := path.Match(noSlash(pattern), noSlash(k.key)); ok && err == nil {
			keys = append(keys, k.key)
		}
	}
	return keys
}

// noSlash hides from path.Match what only paths have.
func noSlash(s string) string { return strings.ReplaceAll(s, "/", "\x00") }

// Entry is the value of a key of database 0; nil when there is none.
func (s *State) Entry(key string) *Entry { return s.eng.image[dbKey{s.on, 0, key}] }

// Notes are the notes that actors have made under a key, in order.
func (s *State) Notes(key string) []Note {
	var notes []Note
	for _, n := range s.eng.trace.Notes {
		if n.Key == key {
			notes = append(notes, n)
		}
	}
	return notes
}

// Ended reports whether an actor's function has returned, and its error.
func (s *State) Ended(actor string) (bool, error) {
	for _, a := range s.eng.actors {
		if a.name == actor && a.done.Load() {
			return a.life.Load() == alive, a.exit.err
		}
	}
	return false, nil
}

// Crashed reports whether an actor has died by a fault.
func (s *State) Crashed(actor string) bool {
	for _, a := range s.eng.actors {
		if a.name == actor {
			return a.life.Load() == crashed
		}
	}
	return false
}
