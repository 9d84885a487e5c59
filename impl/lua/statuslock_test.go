package lua_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/racebench/racebench/impl"
	"github.com/racebench/racebench/impl/impltest"
	"github.com/racebench/racebench/impl/lua"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var locks = impltest.NewLocks{
	Status: func(rdb redis.UniversalClient, cfg impl.LockConfig) (impl.StatusLock, error) {
		return lua.NewStatusLock(rdb, cfg)
	},
	Mutex: func(rdb redis.UniversalClient, cfg impl.LockConfig) (impl.Mutex, error) {
		return lua.NewMutex(rdb, cfg)
	},
}

func TestLocksConform(t *testing.T) { impltest.RunLocks(t, locks) }

const (
	status  = "status:{d}"
	holders = "status:{d}:holders"
)

// Each promise that naive does not keep, on every backend.
func TestStatusLockPromises(t *testing.T) {
	t.Parallel()
	for _, backend := range impltest.Backends(t) {
		for _, c := range lockPromises {
			t.Run(backend.Name+"/"+c.name, func(t *testing.T) {
				c.test(t, impltest.NewLockBench(t, backend.Open(t), locks, impl.LockConfig{}))
			})
		}
	}
}

var lockPromises = []struct {
	name string
	test func(t *testing.T, b *impltest.LockBench)
}{
	{"the state ends with the computing", func(t *testing.T, b *impltest.LockBench) {
		require.NoError(t, b.Lock.Do(t.Context(), "d", impl.Processing, impltest.Nothing))
		assert.Zero(t, b.Redis.Exists(t.Context(), status, holders).Val())
		require.NoError(t, b.Lock.Do(t.Context(), "d", impl.Cancelling, impltest.Nothing))
	}},
	{"also when it fails, and when it panics", func(t *testing.T, b *impltest.LockBench) {
		require.Error(t, b.Lock.Do(t.Context(), "d", impl.Processing, func(context.Context) error { return errors.New("broken") }))
		assert.Zero(t, b.Redis.Exists(t.Context(), status, holders).Val())
		assert.Panics(t, func() {
			_ = b.Lock.Do(t.Context(), "d", impl.Processing, func(context.Context) error { panic("broken") })
		})
		assert.Zero(t, b.Redis.Exists(t.Context(), status, holders).Val())
	}},
	{"the first to leave leaves the others in", func(t *testing.T, b *impltest.LockBench) {
		require.NoError(t, b.Lock.Do(t.Context(), "d", impl.Processing, func(ctx context.Context) error {
			require.NoError(t, b.Lock.Do(ctx, "d", impl.Processing, impltest.Nothing))
			assert.Equal(t, []string{"t1"}, b.Redis.ZRange(ctx, holders, 0, -1).Val())
			assert.ErrorIs(t, b.Lock.Do(ctx, "d", impl.Cancelling, impltest.Nothing), impl.ErrRefused)
			return nil
		}))
	}},
	{"a state that the server lost lets nobody in", func(t *testing.T, b *impltest.LockBench) {
		err := b.Lock.Do(t.Context(), "d", impl.Processing, func(ctx context.Context) error {
			require.NoError(t, b.Redis.Del(ctx, status).Err()) // as an eviction would
			for _, state := range []impl.State{impl.Processing, impl.Cancelling} {
				err := b.Lock.Do(ctx, "d", state, impltest.Nothing)
				var refused *impl.StateError
				require.ErrorAs(t, err, &refused)
				assert.Empty(t, refused.Met)
			}
			return nil
		})
		assert.NoError(t, err)
	}},
	{"both keys end with the longest lease", func(t *testing.T, b *impltest.LockBench) {
		require.NoError(t, b.Lock.Do(t.Context(), "d", impl.Processing, func(ctx context.Context) error {
			short, err := lua.NewStatusLock(b.Redis, impl.LockConfig{StateTTL: time.Second})
			require.NoError(t, err)
			require.NoError(t, short.Do(ctx, "d", impl.Processing, impltest.Nothing))
			for _, key := range []string{status, holders} {
				assert.InDelta(t, 30, b.Redis.PTTL(ctx, key).Val().Seconds(), 10, key)
			}
			return nil
		}))
	}},
	{"the lock of another is not given back", func(t *testing.T, b *impltest.LockBench) {
		_, err := b.Mutex.Lock(t.Context(), "d")
		require.NoError(t, err)
		assert.ErrorIs(t, b.Mutex.Unlock(t.Context(), "d", "mine"), impl.ErrLeaseLost)
		assert.Equal(t, "t1", b.Key(t, "status:{d}:lock"))
	}},
}

// Neither a lost message nor a dead owner keeps a waiter beyond the lease.
func TestALockIsNotWaitedForBeyondItsLease(t *testing.T) {
	b, pass := timed(t, impl.LockConfig{Wait: time.Hour})
	require.NoError(t, b.Redis.Set(t.Context(), "status:{d}:lock", "of the dead", 20*time.Millisecond).Err())
	got := make(chan error)
	go func() {
		_, err := b.Mutex.Lock(t.Context(), "d")
		got <- err
	}()
	for taken := 0; taken < 2; { // the second try comes when the subscription exists
		for _, words := range b.Recorder.Take() {
			if words[0] == "EVALSHA" {
				taken++
			}
		}
	}
	pass(time.Second)
	assert.NoError(t, <-got)
}

// timed is a bench on a miniredis whose clock the test moves.
func timed(t *testing.T, cfg impl.LockConfig) (*impltest.LockBench, func(time.Duration)) {
	server := miniredis.RunT(t)
	now := time.Unix(1_700_000_000, 0)
	server.SetTime(now)
	client := redis.NewClient(&redis.Options{Addr: server.Addr()})
	t.Cleanup(func() { client.Close() })
	return impltest.NewLockBench(t, client, locks, cfg), func(d time.Duration) {
		now = now.Add(d)
		server.SetTime(now)
		server.FastForward(d)
	}
}

func TestAHolderThatDiedIsForgottenAfterItsLease(t *testing.T) {
	b, pass := timed(t, impl.LockConfig{})
	_ = b.Lock.Do(t.Context(), "d", impl.Processing, func(ctx context.Context) error {
		pass(30*time.Second - time.Millisecond)
		assert.ErrorIs(t, b.Lock.Do(ctx, "d", impl.Cancelling, impltest.Nothing), impl.ErrRefused)
		pass(2 * time.Millisecond) // the lease was not renewed: as if the holder had died
		assert.NoError(t, b.Lock.Do(ctx, "d", impl.Cancelling, impltest.Nothing))
		return nil
	})
}

func TestALeaseThatRanOutIsReported(t *testing.T) {
	b, pass := timed(t, impl.LockConfig{})
	err := b.Lock.Do(t.Context(), "d", impl.Processing, func(ctx context.Context) error {
		pass(31 * time.Second)
		return b.Lock.Do(ctx, "d", impl.Cancelling, func(ctx context.Context) error { return nil })
	})
	assert.ErrorIs(t, err, impl.ErrLeaseLost)
	assert.Zero(t, b.Redis.Exists(t.Context(), status, holders).Val())
}

// One lease runs out while a shorter one was renewed: leaving late must not
// touch the state of those who were let in since.
func TestLeavingLateRemovesNobodyElse(t *testing.T) {
	b, pass := timed(t, impl.LockConfig{})
	in, out := make(chan struct{}), make(chan error)
	err := b.Lock.Do(t.Context(), "d", impl.Processing, func(ctx context.Context) error {
		pass(31 * time.Second)
		go func() {
			out <- b.Lock.Do(t.Context(), "d", impl.Cancelling, func(context.Context) error {
				in <- struct{}{}
				<-in
				return nil
			})
		}()
		<-in
		return nil
	})
	assert.ErrorIs(t, err, impl.ErrLeaseLost)
	assert.Equal(t, "CANCELLING", b.Key(t, status))
	in <- struct{}{}
	assert.NoError(t, <-out)
}

func TestALeaseIsRenewedWhileComputing(t *testing.T) {
	b, pass := timed(t, impl.LockConfig{StateTTL: 30 * time.Millisecond})
	err := b.Lock.Do(t.Context(), "d", impl.Processing, func(ctx context.Context) error {
		first := lease(t, b)
		pass(20 * time.Millisecond)
		for lease(t, b) != first+20 { // ends by the test's own limit when nobody renews
			require.NoError(t, ctx.Err())
		}
		return nil
	})
	assert.NoError(t, err)
}

func lease(t *testing.T, b *impltest.LockBench) int64 {
	list := b.Redis.ZRangeWithScores(t.Context(), holders, 0, -1).Val()
	require.Len(t, list, 1)
	return int64(list[0].Score)
}

func TestALostLeaseEndsComputing(t *testing.T) {
	b, pass := timed(t, impl.LockConfig{StateTTL: 30 * time.Millisecond})
	err := b.Lock.Do(t.Context(), "d", impl.Processing, func(ctx context.Context) error {
		pass(time.Second)
		<-ctx.Done()
		assert.ErrorIs(t, context.Cause(ctx), impl.ErrLeaseLost)
		return ctx.Err()
	})
	assert.ErrorIs(t, err, impl.ErrLeaseLost)
	assert.ErrorIs(t, err, context.Canceled, "the error of compute is there too")
}

// refuseRenewals is a hook that fails commands while it is on.
type refuseRenewals struct{ on atomic.Bool }

var errDown = errors.New("down")

func (r *refuseRenewals) DialHook(next redis.DialHook) redis.DialHook { return next }
func (r *refuseRenewals) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}
func (r *refuseRenewals) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if r.on.Load() {
			cmd.SetErr(errDown)
			return errDown
		}
		return next(ctx, cmd)
	}
}

func TestALeaseThatCannotBeRenewedEndsComputing(t *testing.T) {
	var failures atomic.Int64
	b, _ := timed(t, impl.LockConfig{StateTTL: 60 * time.Millisecond, OnRenewError: func(_ context.Context, id string, err error) {
		assert.Equal(t, "d", id)
		assert.ErrorIs(t, err, errDown)
		failures.Add(1)
	}})
	down := &refuseRenewals{}
	b.Redis.AddHook(down)
	err := b.Lock.Do(t.Context(), "d", impl.Processing, func(ctx context.Context) error {
		down.on.Store(true)
		<-ctx.Done()
		return ctx.Err()
	})
	assert.ErrorIs(t, err, errDown, "leaving failed")
	assert.ErrorContains(t, err, "after it was computed")
	assert.Positive(t, failures.Load())
	down.on.Store(false)
	assert.Equal(t, "PROCESSING", b.Key(t, status), "the lease ends by itself")
}

// A call whose reply was lost is sent again by the client.
func TestLockCallsMayBeSentTwice(t *testing.T) {
	client := impltest.OpenMini(t)
	same := impl.LockConfig{NewToken: func() string { return "t" }}
	lock, err := lua.NewStatusLock(client, same)
	require.NoError(t, err)
	mutex, err := lua.NewMutex(client, same)
	require.NoError(t, err)
	for range 2 {
		token, err := mutex.Lock(t.Context(), "d")
		require.NoError(t, err)
		assert.Equal(t, "t", token)
	}
	_ = lock.Do(t.Context(), "d", impl.Processing, func(ctx context.Context) error {
		_ = lock.Do(ctx, "d", impl.Processing, func(context.Context) error {
			assert.Equal(t, []string{"t"}, client.ZRange(ctx, holders, 0, -1).Val(), "one holder")
			return nil
		})
		return nil
	})
}

func TestLockConstructorsRefuse(t *testing.T) {
	client := impltest.OpenMini(t)
	for _, bad := range []impl.LockConfig{{Lease: -1}, {Wait: time.Microsecond}, {StateTTL: time.Second + 1}, {StateTTL: 2 * time.Millisecond}} {
		_, err := lua.NewStatusLock(client, bad)
		assert.ErrorIs(t, err, impl.ErrInvalid, "%+v", bad)
	}
	_, err := lua.NewMutex(client, impl.LockConfig{Lease: -1})
	assert.ErrorIs(t, err, impl.ErrInvalid)
}

func TestLockScriptsGoByHash(t *testing.T) {
	b := impltest.NewLockBench(t, impltest.OpenMini(t), locks, impl.LockConfig{})
	for range 2 {
		require.NoError(t, b.Lock.Do(t.Context(), "d", impl.Processing, impltest.Nothing))
	}
	var names []string
	for _, words := range b.Recorder.Take() {
		names = append(names, words[0])
		for _, key := range words[3 : 3+int(words[2][0]-'0')] {
			assert.Contains(t, key, "{d}")
		}
	}
	assert.Equal(t, []string{"EVALSHA", "EVAL", "EVALSHA", "EVAL", "EVALSHA", "EVALSHA"}, names)
}
