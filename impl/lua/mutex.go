package lua

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/racebench/racebench/impl"
	"github.com/redis/go-redis/v9"
)

// Mutex implements [impl.Mutex] with one script to take a lock and one to give
// it back. [StatusLock] needs none; this is for work that only one may do.
//
//	status:{id}:lock       string, TTL Lease   token of the owner
//	status:{id}:unlocked   channel             says that the lock was given back
//
// Limits: it is a lease. An owner that takes longer is not alone any more, and
// learns it from Unlock; what it writes elsewhere must be conditional if that
// matters. A failover of Redis that loses the lock lets a second owner in. It is
// not fair: of those who wait, the quickest gets it.
type Mutex struct {
	rdb redis.UniversalClient
	cfg impl.LockConfig
}

var _ impl.Mutex = (*Mutex)(nil)

// NewMutex returns locks kept in rdb, or [impl.ErrInvalid] for a configuration
// that can never work.
func NewMutex(rdb redis.UniversalClient, cfg impl.LockConfig) (*Mutex, error) {
	cfg, err := cfg.Prepare()
	if err != nil {
		return nil, fmt.Errorf("lua mutex: %w", err)
	}
	return &Mutex{rdb: rdb, cfg: cfg}, nil
}

// Lock takes the lock for the Lease. If another has it, Lock waits for the
// message that it was given back, and no longer than its lease can last; so
// neither a lost message nor a dead owner keeps it waiting beyond that. After
// Wait it returns [impl.ErrLockTimeout].
//
// A subscription is tried behind once more, so that what was published before it
// existed is not missed. Sent again after a lost reply, the call finds the lock
// its own. After any other error of Redis the lock may be taken until its lease ends.
func (m *Mutex) Lock(ctx context.Context, id string) (string, error) {
	if err := impl.CheckDatum(id); err != nil {
		return "", fmt.Errorf("lock: %w", err)
	}
	token := m.cfg.NewToken()
	waiting, cancel := context.WithTimeoutCause(ctx, m.cfg.Wait, impl.ErrLockTimeout)
	defer cancel()
	var wakes <-chan struct{} // nil until we have to wait
	for {
		left, err := m.take(ctx, id, token)
		if err != nil {
			return "", fmt.Errorf("lock %s: %w", id, err)
		}
		if left == 0 {
			return token, nil
		}
		if wakes == nil {
			var stop func()
			wakes, stop = m.subscribe(ctx, id)
			defer stop()
		}
		if err := waitFor(waiting, wakes, left); err != nil {
			return "", fmt.Errorf("lock %s: %w", id, err)
		}
	}
}

// waitFor returns at a wake, or when the other's lease is over at the latest.
func waitFor(waiting context.Context, wakes <-chan struct{}, left time.Duration) error {
	over := time.NewTimer(left)
	defer over.Stop()
	select {
	case <-wakes:
	case <-over.C:
	case <-waiting.Done():
		return context.Cause(waiting)
	}
	return nil
}

// noLease is how long to wait for a lock that somebody else has set without a TTL.
const noLease = time.Hour

// take returns 0 when the lock is the token's, else how long it can be another's.
func (m *Mutex) take(ctx context.Context, id, token string) (time.Duration, error) {
	r, err := run(ctx, m.rdb, takeScript, []string{impl.LockKey(id)}, token, m.cfg.Lease.Milliseconds())
	if err != nil {
		return 0, err
	}
	switch r.code {
	case codeAcquired:
		return 0, nil
	case codeTaken:
		ms, err := strconv.ParseInt(r.detail, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("%w: time left %q", impl.ErrCorrupt, r.detail)
		}
		if ms < 0 {
			return noLease, nil
		}
		return time.Duration(ms+1) * time.Millisecond, nil // a key lives through its last millisecond
	}
	return 0, r.unexpected()
}

// subscribe wakes its caller when the subscription exists, at each message, and
// when the connection is lost: then only the other's lease ends the wait.
func (m *Mutex) subscribe(ctx context.Context, id string) (wakes <-chan struct{}, stop func()) {
	unlocked := m.rdb.Subscribe(ctx, impl.UnlockedChannel(id))
	wake := make(chan struct{}, 1)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			// Ends when the subscription is closed: reading heeds no context.
			_, err := unlocked.Receive(context.WithoutCancel(ctx))
			select {
			case wake <- struct{}{}:
			default: // one wake is as good as two
			}
			if err != nil {
				return
			}
		}
	}()
	return wake, func() {
		unlocked.Close()
		<-ended
	}
}

// Unlock gives the lock back and wakes those who wait, in one step, if the lock
// is the token's. If it is not, it touches nothing and returns [impl.ErrLeaseLost]:
// what was done under the lock was not done alone.
//
// Sent again after a lost reply it may return ErrLeaseLost though the first one
// gave the lock back in time.
func (m *Mutex) Unlock(ctx context.Context, id, token string) error {
	r, err := run(ctx, m.rdb, releaseScript, []string{impl.LockKey(id)}, token, impl.UnlockedChannel(id))
	if err != nil {
		return fmt.Errorf("unlock %s: %w", id, err)
	}
	switch r.code {
	case codeDone:
		return nil
	case codeNotOwner:
		return fmt.Errorf("unlock %s: %w", id, impl.ErrLeaseLost)
	}
	return fmt.Errorf("unlock %s: %w", id, r.unexpected())
}
