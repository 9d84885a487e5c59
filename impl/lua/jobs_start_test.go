package lua_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/racebench/racebench/impl"
	"github.com/racebench/racebench/impl/impltest"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// beforeCommand is a hook that does something before each command is sent.
type beforeCommand func()

func (beforeCommand) DialHook(next redis.DialHook) redis.DialHook { return next }
func (beforeCommand) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}
func (before beforeCommand) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		before()
		return next(ctx, cmd)
	}
}

// meddled returns a bench whose Redis is changed before each command of Start;
// round counts them from 1.
func meddled(t *testing.T, change func(ctx context.Context, other *redis.Client, round int)) *impltest.Bench {
	client := impltest.OpenMini(t)
	other := redis.NewClient(&redis.Options{Addr: client.Options().Addr})
	t.Cleanup(func() { other.Close() })
	round := 0
	b := impltest.NewBench(t, client, newJobs, impl.JobsConfig{})
	client.AddHook(beforeCommand(func() {
		round++
		change(t.Context(), other, round)
	}))
	return b
}

func TestStartGivesUpWhenThePointerKeepsMoving(t *testing.T) {
	b := meddled(t, func(ctx context.Context, other *redis.Client, round int) {
		require.NoError(t, other.Set(ctx, impl.PointerKey(impltest.Target), fmt.Sprint("other", round), 0).Err())
	})
	_, err := b.Jobs.Start(t.Context(), impltest.Target, impltest.Total)
	assert.ErrorIs(t, err, impl.ErrContended)
	assert.Empty(t, b.Started)
}

func TestStartTakesOverWhenTheJobMetHasEnded(t *testing.T) {
	const seenOnFirstCall = 2 // EVALSHA, then EVAL
	b := meddled(t, func(ctx context.Context, other *redis.Client, round int) {
		if round <= seenOnFirstCall {
			require.NoError(t, other.Set(ctx, impl.PointerKey(impltest.Target), "ending", 0).Err())
			return
		}
		require.NoError(t, other.Del(ctx, impl.PointerKey(impltest.Target)).Err())
	})
	acquired, err := b.Jobs.Start(t.Context(), impltest.Target, impltest.Total)
	require.NoError(t, err)
	assert.Equal(t, impl.Acquired{Job: impl.Job{Target: impltest.Target, ID: "j1"}}, acquired)
	assert.Len(t, b.Started, 1)
}
