package naive_test

import (
	"context"
	"slices"
	"testing"

	"github.com/racebench/racebench/impl"
	"github.com/racebench/racebench/impl/impltest"
	"github.com/racebench/racebench/impl/naive"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func newLocks(opt naive.LockOptions) impltest.NewLocks {
	return impltest.NewLocks{
		Status: func(rdb redis.UniversalClient, cfg impl.LockConfig) (impl.StatusLock, error) {
			return naive.NewStatusLock(rdb, cfg, opt)
		},
		Mutex: func(rdb redis.UniversalClient, cfg impl.LockConfig) (impl.Mutex, error) {
			return naive.NewMutex(rdb, cfg)
		},
	}
}

func TestLocksConform(t *testing.T) { impltest.RunLocks(t, newLocks(naive.LockOptions{})) }

// The order of commands is what makes the races, so it is part of the contract.
func TestStatusLockOrderOfCommands(t *testing.T) {
	const (
		status   = "status:{d}"
		lock     = "status:{d}:lock"
		unlocked = "status:{d}:unlocked"
	)
	locking, guard := []string{"SET " + lock}, []string{"GET " + status, "SET " + status}
	unlocking := []string{"GET " + lock, "DEL " + lock, "PUBLISH " + unlocked}
	computing := []string{"PING"} // what compute sends here
	for _, c := range []struct {
		name string
		opt  naive.LockOptions
		want []string
	}{
		{"as published", naive.LockOptions{}, slices.Concat(locking, guard, unlocking, computing)},
		{"no lock", naive.LockOptions{NoLock: true}, slices.Concat(guard, computing)},
		{"compute inside", naive.LockOptions{ComputeInside: true}, slices.Concat(locking, guard, computing, unlocking)},
		{"clear on finish", naive.LockOptions{ClearOnFinish: true},
			slices.Concat(locking, guard, unlocking, computing, []string{"DEL " + status})},
		{"no lock, clear on finish", naive.LockOptions{NoLock: true, ClearOnFinish: true},
			slices.Concat(guard, computing, []string{"DEL " + status})},
	} {
		b := impltest.NewLockBench(t, impltest.OpenMini(t), newLocks(c.opt), impl.LockConfig{})
		require.NoError(t, b.Lock.Do(t.Context(), "d", impl.Processing, func(ctx context.Context) error {
			return b.Redis.Ping(ctx).Err()
		}), c.name)
		assert.Equal(t, c.want, b.Recorder.TakeNames(), c.name)
	}

	b := impltest.NewLockBench(t, impltest.OpenMini(t), newLocks(naive.LockOptions{}), impl.LockConfig{})
	require.NoError(t, b.Redis.Set(t.Context(), status, "CANCELLING", 0).Err())
	b.Recorder.Take()
	require.ErrorIs(t, b.Lock.Do(t.Context(), "d", impl.Processing, impltest.Nothing), impl.ErrRefused)
	assert.Equal(t, slices.Concat(locking, guard[:1], unlocking), b.Recorder.TakeNames(), "refused")
}

func TestStatusLockArguments(t *testing.T) {
	b := impltest.NewLockBench(t, impltest.OpenMini(t), newLocks(naive.LockOptions{}), impl.LockConfig{})
	require.NoError(t, b.Lock.Do(t.Context(), "d", impl.Cancelling, impltest.Nothing))
	assert.Equal(t, [][]string{
		{"SET", "status:{d}:lock", "t1", "ex", "10", "nx"},
		{"GET", "status:{d}"},
		{"SET", "status:{d}", "CANCELLING", "ex", "30"},
		{"GET", "status:{d}:lock"},
		{"DEL", "status:{d}:lock"},
		{"PUBLISH", "status:{d}:unlocked", "t1"},
	}, b.Recorder.Take())
}

// Each limit that the documentation admits, shown by calls one after the other.
func TestStatusLockDocumentedLimits(t *testing.T) {
	for _, limit := range []struct {
		name string
		opt  naive.LockOptions
		show func(t *testing.T, b *impltest.LockBench)
	}{
		{"the state outlives compute", naive.LockOptions{}, func(t *testing.T, b *impltest.LockBench) {
			require.NoError(t, b.Lock.Do(t.Context(), "d", impl.Processing, impltest.Nothing))
			assert.ErrorIs(t, b.Lock.Do(t.Context(), "d", impl.Cancelling, impltest.Nothing), impl.ErrRefused)
		}},
		{"the first to finish clears the state of all", naive.LockOptions{ClearOnFinish: true}, func(t *testing.T, b *impltest.LockBench) {
			require.NoError(t, b.Lock.Do(t.Context(), "d", impl.Processing, func(ctx context.Context) error {
				require.NoError(t, b.Lock.Do(ctx, "d", impl.Processing, impltest.Nothing))
				return b.Lock.Do(ctx, "d", impl.Cancelling, impltest.Nothing)
			}))
		}},
		{"the wrong word is stored and judged by", naive.LockOptions{WrongValue: true}, func(t *testing.T, b *impltest.LockBench) {
			require.NoError(t, b.Lock.Do(t.Context(), "d", impl.Processing, impltest.Nothing))
			assert.Equal(t, "CANCELLED", b.Key(t, "status:{d}"))
			_, err := b.Lock.State(t.Context(), "d")
			assert.ErrorIs(t, err, impl.ErrCorrupt)
			err = b.Lock.Do(t.Context(), "d", impl.Processing, impltest.Nothing)
			var refused *impl.StateError
			require.ErrorAs(t, err, &refused)
			assert.Equal(t, "CANCELLED", refused.Met)
		}},
		{"unlocking a lock that is another's says nothing", naive.LockOptions{}, func(t *testing.T, b *impltest.LockBench) {
			assert.NoError(t, b.Mutex.Unlock(t.Context(), "d", "mine"))
			assert.Equal(t, []string{"GET status:{d}:lock"}, b.Recorder.TakeNames())
		}},
	} {
		t.Run(limit.name, func(t *testing.T) {
			limit.show(t, impltest.NewLockBench(t, impltest.OpenMini(t), newLocks(limit.opt), impl.LockConfig{}))
		})
	}
}
