package impl

import (
	"context"
	"fmt"
)

// StatusLock lets requests compute on a datum: any number at a time that want
// the same state of it, and never two that want different ones.
//
// What each call promises when calls run one after the other is said here; what
// is left of it when they overlap is said by each implementation.
type StatusLock interface {
	// Do calls compute, with the datum in the state, unless somebody holds it in
	// another one: then it returns an [ErrRefused], the error a *[StateError],
	// and compute is not called. The state is Processing or Cancelling. It
	// returns the error of compute, and compute gets a context that ends with ctx.
	Do(ctx context.Context, id string, state State, compute func(ctx context.Context) error) error

	// State returns the state that is stored for the datum: Waiting when none is,
	// [ErrCorrupt] when it is a word outside the machine.
	State(ctx context.Context, id string) (State, error)
}

// Mutex is a lease: a lock with an owner token that ends by itself.
type Mutex interface {
	// Lock takes the lock of the datum and returns the token of this ownership.
	// While another has it, Lock waits, up to the Wait of its configuration: then
	// the error is [ErrLockTimeout].
	Lock(ctx context.Context, id string) (token string, err error)

	// Unlock gives the lock back, if it still belongs to the token.
	Unlock(ctx context.Context, id, token string) error
}

// State is what may be done with a datum at a moment. There are no others than
// these three, and no way to make one from a word but [ParseState].
type State uint8

// The states of a datum. Waiting is that of one on which nobody computes.
const (
	Waiting State = iota
	Processing
	Cancelling
)

var stateWords = [...]string{"WAITING", "PROCESSING", "CANCELLING"}

// String returns the word that is stored.
func (s State) String() string {
	if int(s) < len(stateWords) {
		return stateWords[s]
	}
	return fmt.Sprintf("State(%d)", uint8(s))
}

// ParseState returns the state of a stored word, and [ErrCorrupt] for a word
// that names none.
func ParseState(word string) (State, error) {
	for s, w := range stateWords {
		if w == word {
			return State(s), nil
		}
	}
	return Waiting, fmt.Errorf("%w: state %q (want WAITING, PROCESSING or CANCELLING)", ErrCorrupt, word)
}

// StateError is the [ErrRefused] of one [StatusLock.Do].
type StateError struct {
	ID   string // of the datum
	Want State  // what was asked for
	Met  string // the stored word that did not allow it
}

// Error names the datum, the state wanted and the state met.
func (e *StateError) Error() string {
	return fmt.Sprintf("datum %s: %s refused: it is %s", e.ID, e.Want, e.Met)
}

// Is makes errors.Is(err, ErrRefused) true.
func (e *StateError) Is(target error) bool { return target == ErrRefused }
