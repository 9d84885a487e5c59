package impl

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"time"
)

// LockConfig is the configuration of every [StatusLock] and [Mutex]. The zero
// value works.
type LockConfig struct {
	// Lease is how long a [Mutex] belongs to its owner. If unset or zero, 10 s.
	Lease time.Duration

	// Wait is how long [Mutex.Lock] waits for a lock that is taken. If unset or
	// zero, 5 s.
	Wait time.Duration

	// StateTTL is how long a state stands without its holder: naive stores it for
	// that long, once; for lua it is the lease of each holder, which is renewed
	// every third of it. If unset or zero, 30 s.
	StateTTL time.Duration

	// NewToken returns the token of an ownership, another one each time. If
	// unset, 26 random characters of crypto/rand.
	NewToken func() string

	// OnRenewError, if set, is told of each renewal of a lease that failed
	// though the lease may still stand: for counting. It must not block.
	OnRenewError func(ctx context.Context, id string, err error)
}

// Default durations of [LockConfig].
const (
	DefaultLease    = 10 * time.Second
	DefaultWait     = 5 * time.Second
	DefaultStateTTL = 30 * time.Second
)

// Prepare returns the configuration with its defaults filled in, or an error
// that is [ErrInvalid]. Constructors call it.
func (c LockConfig) Prepare() (LockConfig, error) {
	for _, d := range []struct {
		field *time.Duration
		name  string
		unset time.Duration
	}{{&c.Lease, "Lease", DefaultLease}, {&c.Wait, "Wait", DefaultWait}, {&c.StateTTL, "StateTTL", DefaultStateTTL}} {
		if *d.field == 0 {
			*d.field = d.unset
		}
		// Redis counts in milliseconds, and a fraction would be cut off silently.
		if *d.field < time.Millisecond || *d.field%time.Millisecond != 0 {
			return c, fmt.Errorf("%w: %s %v (want whole milliseconds, at least 1ms)", ErrInvalid, d.name, *d.field)
		}
	}
	if c.NewToken == nil {
		c.NewToken = rand.Text
	}
	if c.OnRenewError == nil {
		c.OnRenewError = func(context.Context, string, error) {}
	}
	return c, nil
}

// CheckDatum returns [ErrInvalid] for an id that would break the hash tag, and
// with it the promise that all keys of a datum share a slot.
func CheckDatum(id string) error {
	if id == "" || strings.ContainsAny(id, "{}") {
		return fmt.Errorf("%w: datum %q (want no brace, not empty)", ErrInvalid, id)
	}
	return nil
}

// CheckDo returns [ErrInvalid] for arguments that [StatusLock.Do] must not accept.
func CheckDo(id string, state State) error {
	if state != Processing && state != Cancelling {
		return fmt.Errorf("%w: Do in state %s (want PROCESSING or CANCELLING)", ErrInvalid, state)
	}
	return CheckDatum(id)
}

// StatusKey is the string that holds the state of a datum; absent means WAITING.
func StatusKey(id string) string { return "status:{" + id + "}" }

// LockKey is the string that holds the token of the owner of a datum's [Mutex].
func LockKey(id string) string { return StatusKey(id) + ":lock" }

// UnlockedChannel is where it is said that the [Mutex] of a datum is free.
func UnlockedChannel(id string) string { return StatusKey(id) + ":unlocked" }

// HoldersKey is the sorted set of those who compute on a datum (lua): token of
// the holder, and the end of its lease in milliseconds of the server's clock.
func HoldersKey(id string) string { return StatusKey(id) + ":holders" }
