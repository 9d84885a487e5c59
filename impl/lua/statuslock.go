package lua

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/racebench/racebench/impl"
	"github.com/redis/go-redis/v9"
)

// StatusLock implements [impl.StatusLock] without a lock: one script looks at
// the state, adds the holder and sets the state.
//
//	status:{id}           string, TTL       the state; absent is WAITING
//	status:{id}:holders   sorted set, TTL   token of each holder, and the end of its lease
//
// Both keys live as long as the longest lease of a holder.
//
// It keeps these promises in every order of calls and with a crash anywhere:
// holders whose leases stand are all of one state; only the last holder to leave
// clears it, and leaving removes nobody but the holder itself; when nobody
// computes any more the datum is WAITING, at once when all have left and after
// StateTTL when they died; no request waits for another.
//
// Limits: a lease that can't be renewed runs out, and then others are let in. Do
// ends the context of compute when it knows that, but a compute that does not
// heed its context, or is stopped for longer than the lease, goes on beside
// them: what it writes elsewhere must be conditional if that matters. A server
// that evicts keys or loses them in a failover loses holders (set noeviction).
type StatusLock struct {
	rdb redis.UniversalClient
	cfg impl.LockConfig
}

var _ impl.StatusLock = (*StatusLock)(nil)

// NewStatusLock returns a lock kept in rdb, or [impl.ErrInvalid] for a
// configuration that can never work.
func NewStatusLock(rdb redis.UniversalClient, cfg impl.LockConfig) (*StatusLock, error) {
	cfg, err := cfg.Prepare()
	if err != nil {
		return nil, fmt.Errorf("lua status lock: %w", err)
	}
	if cfg.StateTTL < renewalsALease*time.Millisecond {
		return nil, fmt.Errorf("lua status lock: %w: StateTTL %v (want at least %dms, to renew it in time)",
			impl.ErrInvalid, cfg.StateTTL, renewalsALease)
	}
	return &StatusLock{rdb: rdb, cfg: cfg}, nil
}

// renewalsALease: two renewals may fail before the lease is in danger.
const renewalsALease = 3

// Do enters, computes, and leaves. While compute runs, its lease of StateTTL is
// renewed every third of it by a goroutine that ends before Do returns.
//
// When a renewal is refused, or none has got through for a whole lease, the
// context of compute ends and the error of Do is [impl.ErrLeaseLost], joined
// with that of compute. Do leaves even when ctx has ended.
//
// When entering fails with an error of Redis, compute is not called, and a state
// that was set unseen ends with its lease. When leaving fails, compute has run:
// the error says so, joined with that of compute, and the lease ends by itself.
// A leave that is sent again after a lost reply may say ErrLeaseLost though the
// lease stood to the end.
func (l *StatusLock) Do(ctx context.Context, id string, state impl.State, compute func(context.Context) error) error {
	if err := impl.CheckDo(id, state); err != nil {
		return err
	}
	holder := l.cfg.NewToken()
	began := time.Now() // before the script: the lease can't have begun earlier
	r, err := run(ctx, l.rdb, enterScript, l.keys(id), state.String(), holder, l.cfg.StateTTL.Milliseconds())
	if err != nil {
		return fmt.Errorf("enter %s: %w", id, err)
	}
	switch r.code {
	case codeDone:
	case codeRefused:
		return &impl.StateError{ID: id, Want: state, Met: r.detail}
	default:
		return fmt.Errorf("enter %s: %w", id, r.unexpected())
	}
	return l.hold(ctx, id, holder, began, compute)
}

func (l *StatusLock) keys(id string) []string {
	return []string{impl.StatusKey(id), impl.HoldersKey(id)}
}

// hold computes while the lease is renewed, and leaves.
func (l *StatusLock) hold(ctx context.Context, id, holder string, began time.Time, compute func(context.Context) error) (err error) {
	computing, end := context.WithCancelCause(ctx)
	lost := func() { end(fmt.Errorf("hold %s: %w", id, impl.ErrLeaseLost)) }
	// A timer of its own, since a renewal may hang for longer than the lease.
	over := time.AfterFunc(time.Until(began.Add(l.cfg.StateTTL)), lost)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		l.renew(computing, id, holder, over, lost)
	}()
	defer func() { // also when compute panics
		end(nil) // the cause stays what it was if the lease is lost
		<-ended
		over.Stop()
		leave := l.leave(context.WithoutCancel(ctx), id, holder)
		if cause := context.Cause(computing); leave == nil && errors.Is(cause, impl.ErrLeaseLost) {
			leave = cause
		}
		err = errors.Join(err, leave)
	}()
	return compute(computing)
}

// renew renews the lease, and puts off the end that is feared, until the context
// ends or the server says that the lease is lost.
func (l *StatusLock) renew(ctx context.Context, id, holder string, over *time.Timer, lost func()) {
	tick := time.NewTicker(l.cfg.StateTTL / renewalsALease)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if ctx.Err() != nil { // both were ready
			return
		}
		sent := time.Now()
		r, err := run(ctx, l.rdb, renewScript, l.keys(id), holder, l.cfg.StateTTL.Milliseconds())
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			l.cfg.OnRenewError(ctx, id, fmt.Errorf("renew %s: %w", id, err))
		case r.code == codeDone:
			over.Reset(time.Until(sent.Add(l.cfg.StateTTL)))
		case r.code == codeLost:
			lost()
			return
		default:
			l.cfg.OnRenewError(ctx, id, fmt.Errorf("renew %s: %w", id, r.unexpected()))
		}
	}
}

// leave gives the lease back. One that is not there any more is lost.
func (l *StatusLock) leave(ctx context.Context, id, holder string) error {
	r, err := run(ctx, l.rdb, leaveScript, l.keys(id), holder)
	if err != nil {
		return fmt.Errorf("leave %s, after it was computed: %w", id, err)
	}
	switch r.code {
	case codeDone:
		return nil
	case codeLost:
		return fmt.Errorf("leave %s: %w", id, impl.ErrLeaseLost)
	}
	return fmt.Errorf("leave %s: %w", id, r.unexpected())
}

// State reads the state, which is there as long as a lease stands.
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
