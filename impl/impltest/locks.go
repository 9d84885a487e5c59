package impltest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/racebench/racebench/impl"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// NewLocks are the constructors of an implementation.
type NewLocks struct {
	Status func(redis.UniversalClient, impl.LockConfig) (impl.StatusLock, error)
	Mutex  func(redis.UniversalClient, impl.LockConfig) (impl.Mutex, error)
}

// LockBench is one implementation on one server, with numbered tokens.
type LockBench struct {
	Lock     impl.StatusLock
	Mutex    impl.Mutex
	Redis    *redis.Client
	Recorder *Recorder
}

// NewLockBench returns a bench for one test; the NewToken of cfg is replaced.
func NewLockBench(t testing.TB, client *redis.Client, locks NewLocks, cfg impl.LockConfig) *LockBench {
	t.Helper()
	b := &LockBench{Redis: client, Recorder: Record(client)}
	tokens := 0
	cfg.NewToken = func() string { tokens++; return fmt.Sprintf("t%d", tokens) }
	var err error
	b.Lock, err = locks.Status(client, cfg)
	require.NoError(t, err)
	b.Mutex, err = locks.Mutex(client, cfg)
	require.NoError(t, err)
	return b
}

// Nothing is a compute that ends at once.
func Nothing(context.Context) error { return nil }

// Key returns the string that a key holds, "" when there is none.
func (b *LockBench) Key(t testing.TB, key string) string {
	t.Helper()
	value, err := b.Redis.Get(t.Context(), key).Result()
	if !errors.Is(err, redis.Nil) {
		require.NoError(t, err)
	}
	return value
}

// lockCase is one behaviour that all implementations share.
type lockCase struct {
	name string
	test func(t *testing.T, b *LockBench)
}

// lockCaseCount is asserted, so that a case cannot be lost unnoticed.
const lockCaseCount = 11

// RunLocks runs the suite against every backend there is.
func RunLocks(t *testing.T, locks NewLocks) {
	t.Parallel()
	ran := 0
	backends := Backends(t)
	for _, backend := range backends {
		for _, c := range lockCases {
			t.Run(backend.Name+"/"+c.name, func(t *testing.T) {
				ran++
				c.test(t, NewLockBench(t, backend.Open(t), locks, impl.LockConfig{}))
			})
		}
		t.Run(backend.Name+"/a lock that stays taken", func(t *testing.T) {
			b := NewLockBench(t, backend.Open(t), locks, impl.LockConfig{Wait: 20 * time.Millisecond})
			first, err := b.Mutex.Lock(t.Context(), "d")
			require.NoError(t, err)
			_, err = b.Mutex.Lock(t.Context(), "d")
			assert.ErrorIs(t, err, impl.ErrLockTimeout)
			assert.Equal(t, first, b.Key(t, "status:{d}:lock"))
		})
	}
	t.Run("a Redis that does not answer", func(t *testing.T) {
		client := newClient(t, &redis.Options{Addr: Mute(t), ReadTimeout: 20 * time.Millisecond, MaxRetries: -1})
		assertNothingComputed(t, NewLockBench(t, client, locks, impl.LockConfig{}))
	})
	t.Run("a Redis that is down", func(t *testing.T) {
		client := newClient(t, &redis.Options{Dialer: func(context.Context, string, string) (net.Conn, error) {
			return nil, errors.New("connection refused")
		}, MaxRetries: -1})
		assertNothingComputed(t, NewLockBench(t, client, locks, impl.LockConfig{}))
	})
	t.Run("count", func(t *testing.T) {
		if len(lockCases) != lockCaseCount {
			t.Errorf("the suite has %d cases, want %d", len(lockCases), lockCaseCount)
		}
		t.Logf("%d cases ran on %d backends", ran, len(backends))
	})
}

func assertNothingComputed(t *testing.T, b *LockBench) {
	t.Helper()
	err := b.Lock.Do(t.Context(), "d", impl.Processing, func(context.Context) error {
		t.Error("computed")
		return nil
	})
	require.Error(t, err)
	for _, refusal := range []error{impl.ErrRefused, impl.ErrLockTimeout, impl.ErrLeaseLost} {
		assert.NotErrorIs(t, err, refusal, "an error of Redis is no refusal")
	}
	_, err = b.Lock.State(t.Context(), "d")
	assert.Error(t, err)
	_, err = b.Mutex.Lock(t.Context(), "d")
	assert.Error(t, err)
	assert.Error(t, b.Mutex.Unlock(t.Context(), "d", "t1"))
}

// Mute is the address of a server that accepts and never says anything.
func Mute(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { conn.Close() })
		}
	}()
	return listener.Addr().String()
}

var lockCases = []lockCase{
	{"the state is stored while computing", func(t *testing.T, b *LockBench) {
		require.NoError(t, b.Lock.Do(t.Context(), "d", impl.Processing, func(context.Context) error {
			assert.Equal(t, "PROCESSING", b.Key(t, "status:{d}"))
			state, err := b.Lock.State(t.Context(), "d")
			assert.NoError(t, err)
			assert.Equal(t, impl.Processing, state)
			assert.InDelta(t, 30, b.Redis.PTTL(t.Context(), "status:{d}").Val().Seconds(), 10)
			return nil
		}))
	}},
	{"a datum that nobody touched is waiting", func(t *testing.T, b *LockBench) {
		state, err := b.Lock.State(t.Context(), "d")
		require.NoError(t, err)
		assert.Equal(t, impl.Waiting, state)
	}},
	{"requests of one state compute together", func(t *testing.T, b *LockBench) {
		for _, state := range []impl.State{impl.Processing, impl.Cancelling} {
			together := false
			require.NoError(t, b.Lock.Do(t.Context(), "d"+state.String(), state, func(ctx context.Context) error {
				return b.Lock.Do(ctx, "d"+state.String(), state, func(context.Context) error {
					together = true
					return nil
				})
			}))
			assert.True(t, together)
		}
	}},
	{"the other state is refused, with the state met", func(t *testing.T, b *LockBench) {
		for _, c := range []struct{ first, second impl.State }{
			{impl.Processing, impl.Cancelling}, {impl.Cancelling, impl.Processing},
		} {
			id := "d" + c.first.String()
			require.NoError(t, b.Lock.Do(t.Context(), id, c.first, func(ctx context.Context) error {
				err := b.Lock.Do(ctx, id, c.second, func(context.Context) error {
					t.Error("computed")
					return nil
				})
				var refused *impl.StateError
				require.ErrorAs(t, err, &refused)
				assert.Equal(t, impl.StateError{ID: id, Want: c.second, Met: c.first.String()}, *refused)
				assert.ErrorIs(t, err, impl.ErrRefused)
				return nil
			}))
		}
	}},
	{"data do not disturb each other", func(t *testing.T, b *LockBench) {
		require.NoError(t, b.Lock.Do(t.Context(), "d", impl.Processing, func(ctx context.Context) error {
			return b.Lock.Do(ctx, "e", impl.Cancelling, Nothing)
		}))
	}},
	{"the error of compute comes back", func(t *testing.T, b *LockBench) {
		broken := errors.New("broken")
		err := b.Lock.Do(t.Context(), "d", impl.Processing, func(context.Context) error { return broken })
		assert.ErrorIs(t, err, broken)
	}},
	{"the context of the caller reaches compute", func(t *testing.T, b *LockBench) {
		ctx, cancel := context.WithCancel(t.Context())
		err := b.Lock.Do(ctx, "d", impl.Processing, func(ctx context.Context) error {
			cancel()
			<-ctx.Done()
			return ctx.Err()
		})
		assert.ErrorIs(t, err, context.Canceled)
		assert.Empty(t, b.Key(t, "status:{d}:lock"), "nothing is left behind")
	}},
	{"bad arguments are refused and write nothing", func(t *testing.T, b *LockBench) {
		for _, bad := range []struct {
			id    string
			state impl.State
		}{{"", impl.Processing}, {"a}b", impl.Processing}, {"d", impl.Waiting}, {"d", impl.State(3)}} {
			err := b.Lock.Do(t.Context(), bad.id, bad.state, Nothing)
			assert.ErrorIs(t, err, impl.ErrInvalid, "Do(%q, %s)", bad.id, bad.state)
		}
		_, err := b.Lock.State(t.Context(), "{")
		assert.ErrorIs(t, err, impl.ErrInvalid)
		_, err = b.Mutex.Lock(t.Context(), "")
		assert.ErrorIs(t, err, impl.ErrInvalid)
		assert.Empty(t, b.Recorder.Take(), "commands sent")
	}},
	{"a mutex has a token and a lease, and is given back", func(t *testing.T, b *LockBench) {
		token, err := b.Mutex.Lock(t.Context(), "d")
		require.NoError(t, err)
		assert.Equal(t, token, b.Key(t, "status:{d}:lock"))
		assert.InDelta(t, 10, b.Redis.PTTL(t.Context(), "status:{d}:lock").Val().Seconds(), 5)
		_ = b.Mutex.Unlock(t.Context(), "d", "of somebody else")
		assert.Equal(t, token, b.Key(t, "status:{d}:lock"), "another's token does nothing")
		require.NoError(t, b.Mutex.Unlock(t.Context(), "d", token))
		assert.Empty(t, b.Key(t, "status:{d}:lock"))
	}},
	{"who waits for a mutex gets it when it is given back", func(t *testing.T, b *LockBench) {
		first, err := b.Mutex.Lock(t.Context(), "d")
		require.NoError(t, err)
		got := make(chan string)
		go func() {
			token, err := b.Mutex.Lock(t.Context(), "d")
			assert.NoError(t, err)
			got <- token
		}()
		b.awaitWaiter(t)
		require.NoError(t, b.Mutex.Unlock(t.Context(), "d", first))
		second := <-got
		assert.NotEqual(t, first, second)
		assert.Equal(t, second, b.Key(t, "status:{d}:lock"))
	}},
	{"who waits for a mutex heeds its context", func(t *testing.T, b *LockBench) {
		_, err := b.Mutex.Lock(t.Context(), "d")
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		failed := make(chan error)
		go func() {
			_, err := b.Mutex.Lock(ctx, "d")
			failed <- err
		}()
		b.awaitWaiter(t)
		cancel()
		assert.ErrorIs(t, <-failed, context.Canceled)
	}},
}

// awaitWaiter waits until somebody has subscribed to the unlocking of d.
func (b *LockBench) awaitWaiter(t *testing.T) {
	t.Helper()
	const channel = "status:{d}:unlocked"
	awaitOK(t, "somebody waits", func() error {
		n, err := b.Redis.PubSubNumSub(t.Context(), channel).Result()
		if err == nil && n[channel] == 0 {
			err = errors.New("nobody")
		}
		return err
	})
}
