package naive

import (
	"context"
	"errors"
	"fmt"

	"github.com/racebench/racebench/impl"
	"github.com/redis/go-redis/v9"
)

// Mutex implements [impl.Mutex] with one command at a time.
//
//	status:{id}:lock       string, TTL Lease   token of the owner
//	status:{id}:unlocked   channel             says that the lock was given back
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
		return nil, fmt.Errorf("naive mutex: %w", err)
	}
	return &Mutex{rdb: rdb, cfg: cfg}, nil
}

// Lock sets the lock with its lease if nobody has it. If somebody has, it
// subscribes and tries again at each message that the lock was given back.
//
// Limits: a message that is published after the failed try and before the
// subscription exists is lost, and a lease that runs out publishes none; then
// the wait lasts its whole time although the lock is free. A SET whose reply is lost
// and that the client sends again finds its own lock and waits for itself.
func (m *Mutex) Lock(ctx context.Context, id string) (string, error) {
	if err := impl.CheckDatum(id); err != nil {
		return "", fmt.Errorf("lock: %w", err)
	}
	token := m.cfg.NewToken()
	waiting, cancel := context.WithTimeoutCause(ctx, m.cfg.Wait, impl.ErrLockTimeout)
	defer cancel()
	if locked, err := m.try(ctx, id, token); err != nil || locked {
		return token, err
	}
	unlocked := m.rdb.Subscribe(ctx, impl.UnlockedChannel(id))
	defer unlocked.Close()
	// Reading does not heed a context that ends, only a connection that is closed.
	defer context.AfterFunc(waiting, func() { unlocked.Close() })()
	for {
		if _, err := unlocked.ReceiveMessage(context.WithoutCancel(ctx)); err != nil {
			if waiting.Err() != nil {
				err = context.Cause(waiting)
			}
			return "", fmt.Errorf("lock %s: wait: %w", id, err)
		}
		if locked, err := m.try(ctx, id, token); err != nil || locked {
			return token, err
		}
	}
}

func (m *Mutex) try(ctx context.Context, id, token string) (bool, error) {
	locked, err := m.rdb.SetNX(ctx, impl.LockKey(id), token, m.cfg.Lease).Result()
	if err != nil {
		return false, fmt.Errorf("lock %s: %w", id, err)
	}
	return locked, nil
}

// Unlock reads the lock and, if it holds the token, deletes it and says so. If
// it does not, nothing is done and nothing is said.
//
// Limits: the lease may run out between the reading and the deleting, and what
// is deleted then is the lock of the next owner. A process that dies before
// PUBLISH leaves the waiters asleep.
func (m *Mutex) Unlock(ctx context.Context, id, token string) error {
	owner, err := m.rdb.Get(ctx, impl.LockKey(id)).Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		return fmt.Errorf("unlock %s: read: %w", id, err)
	}
	if owner != token {
		return nil
	}
	if err := m.rdb.Del(ctx, impl.LockKey(id)).Err(); err != nil {
		return fmt.Errorf("unlock %s: delete: %w", id, err)
	}
	if err := m.rdb.Publish(ctx, impl.UnlockedChannel(id), token).Err(); err != nil {
		return fmt.Errorf("unlock %s: publish: %w", id, err)
	}
	return nil
}
