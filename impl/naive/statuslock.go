package naive

import (
	"context"
	"errors"
	"fmt"

	"github.com/racebench/racebench/impl"
	"github.com/redis/go-redis/v9"
)

// StatusLock implements [impl.StatusLock] as published: a lock around the
// reading and the writing of the state, and the slow compute outside of it.
//
//	status:{id}            string, TTL StateTTL   the state; absent is WAITING
//	status:{id}:lock       and
//	status:{id}:unlocked   as for [Mutex]
type StatusLock struct {
	rdb   redis.UniversalClient
	cfg   impl.LockConfig
	opt   LockOptions
	mutex *Mutex
}

// LockOptions are what is done otherwise than in the published design; each is
// a version that people write. The zero value is the design.
type LockOptions struct {
	NoLock        bool // read and write the state without the lock
	ComputeInside bool // compute while the lock is held: requests of one state queue up
	ClearOnFinish bool // whoever has computed deletes the state
	WrongValue    bool // the slip of the published listing: PROCESS stores a word of its own, [WrongWord]
}

// WrongWord is what the published listing stores on the PROCESS path. It is no
// state of the machine.
const WrongWord = "CANCELLED"

var _ impl.StatusLock = (*StatusLock)(nil)

// NewStatusLock returns a lock kept in rdb, or [impl.ErrInvalid] for a
// configuration that can never work.
func NewStatusLock(rdb redis.UniversalClient, cfg impl.LockConfig, opt LockOptions) (*StatusLock, error) {
	mutex, err := NewMutex(rdb, cfg)
	if err != nil {
		return nil, err
	}
	return &StatusLock{rdb: rdb, cfg: mutex.cfg, opt: opt, mutex: mutex}, nil
}

// Do takes the lock, reads the state, sets it if there is none or the same one,
// gives the lock back and computes. Nothing clears the state afterwards but its
// TTL. It returns [impl.ErrLockTimeout] when the lock is not free in time. When
// giving the lock back fails, compute is not called though the state is set.
//
// Limits: whoever holds the lock for longer than its lease reads what is over
// when it writes. The state is stored for StateTTL whatever compute does: a
// longer one is unprotected at its end, and after a shorter one, or a crash, the
// other state is refused though nobody computes.
func (l *StatusLock) Do(ctx context.Context, id string, state impl.State, compute func(context.Context) error) error {
	if err := impl.CheckDo(id, state); err != nil {
		return err
	}
	if err := l.locked(ctx, id, func() error {
		err := l.admit(ctx, id, state)
		if err == nil && l.opt.ComputeInside {
			err = compute(ctx)
		}
		return err
	}); err != nil {
		return err
	}
	if !l.opt.ComputeInside {
		if err := compute(ctx); err != nil {
			return err
		}
	}
	if l.opt.ClearOnFinish {
		if err := l.rdb.Del(ctx, impl.StatusKey(id)).Err(); err != nil {
			return fmt.Errorf("clear state of %s: %w", id, err)
		}
	}
	return nil
}

// locked calls a function under the lock, if there is one, and gives the lock
// back also when ctx has ended meanwhile.
func (l *StatusLock) locked(ctx context.Context, id string, inside func() error) error {
	if l.opt.NoLock {
		return inside()
	}
	token, err := l.mutex.Lock(ctx, id)
	if err != nil {
		return err
	}
	err = inside()
	return errors.Join(err, l.mutex.Unlock(context.WithoutCancel(ctx), id, token))
}

// admit is the guard: it reads the state and sets it if it may.
func (l *StatusLock) admit(ctx context.Context, id string, state impl.State) error {
	met, err := l.rdb.Get(ctx, impl.StatusKey(id)).Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		return fmt.Errorf("read state of %s: %w", id, err)
	}
	word := state.String()
	if l.opt.WrongValue && state == impl.Processing {
		word = WrongWord
	}
	if err == nil && met != state.String() {
		return &impl.StateError{ID: id, Want: state, Met: met}
	}
	if err := l.rdb.Set(ctx, impl.StatusKey(id), word, l.cfg.StateTTL).Err(); err != nil {
		return fmt.Errorf("set state of %s: %w", id, err)
	}
	return nil
}

// State reads the state.
func (l *StatusLock) State(ctx context.Context, id string) (impl.State, error) {
	if err := impl.CheckDatum(id); err != nil {
		return impl.Waiting, err
	}
	word, err := l.rdb.Get(ctx, impl.StatusKey(id)).Result()
	if errors.Is(err, redis.Nil) {
		return impl.Waiting, nil
	}
	if err != nil {
		return impl.Waiting, fmt.Errorf("read state of %s: %w", id, err)
	}
	return impl.ParseState(word)
}
