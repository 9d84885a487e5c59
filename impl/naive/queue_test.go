package naive_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/racebench/racebench/impl"
	"github.com/racebench/racebench/impl/impltest"
	"github.com/racebench/racebench/impl/naive"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func newQueue(opt naive.QueueOptions) impltest.NewQueue {
	return func(p *impltest.Process, cfg impl.QueueConfig) (impl.Queue, error) {
		return naive.NewQueue(p.Redis, p.DB, cfg, opt)
	}
}

func TestQueueConforms(t *testing.T) { impltest.RunQueues(t, newQueue(naive.QueueOptions{})) }

func queueBench(t *testing.T, opt naive.QueueOptions) *impltest.QueueBench {
	return impltest.NewQueueBench(t, impltest.OpenMini(t), newQueue(opt), impl.QueueConfig{})
}

// The order of commands and statements is what makes the races, so it is part of the contract.
func TestQueueOrderOfCommands(t *testing.T) {
	fails := func(context.Context, impl.Task) (string, error) { return "", errors.New("broken") }
	for _, c := range []struct {
		name                    string
		opt                     naive.QueueOptions
		worked, failed, reaped2 []string // the last: two entries, one of which is stale
	}{
		{"as published", naive.QueueOptions{},
			[]string{"BRPOPLPUSH", "HSET", "UPDATE", "UPDATE", "LREM", "HDEL"},
			[]string{"BRPOPLPUSH", "HSET", "UPDATE", "UPDATE", "LREM", "HDEL"},
			[]string{"LRANGE", "HGET", "UPDATE", "LREM", "HDEL", "LPUSH", "HGET"}},
		{"legacy", naive.QueueOptions{Legacy: true},
			[]string{"BRPOP", "UPDATE", "UPDATE"}, []string{"BRPOP", "UPDATE", "UPDATE"}, nil},
	} {
		b := queueBench(t, c.opt)
		sent := b.Record()
		for id := range int64(4) {
			require.NoError(t, b.Queue.Add(t.Context(), id+1))
			assert.Equal(t, []string{"INSERT", "LPUSH"}, sent(), c.name)
		}
		for _, how := range []struct {
			handle impl.Handler
			want   []string
		}{{impltest.Say(""), c.worked}, {fails, c.failed}} {
			_, err := b.Queue.Work(t.Context(), "w", how.handle)
			require.NoError(t, err)
			assert.Equal(t, how.want, sent(), c.name)
		}
		for range 2 { // 4 will be the first of active, and fresh; 3 is stale
			p, q := b.Start()
			_, err := q.Work(t.Context(), "w", func(context.Context, impl.Task) (string, error) {
				p.DieAt(1)
				return "", nil
			})
			require.ErrorIs(t, err, impltest.ErrDead)
			b.Clock = b.Clock.Add(400 * time.Second)
		}
		if !c.opt.Legacy {
			// The stale one comes first in the expectation.
			require.NoError(t, b.Redis.LMove(t.Context(), b.Cfg.ActiveKey(), b.Cfg.ActiveKey(), "LEFT", "RIGHT").Err())
		}
		_, err := b.Queue.Reap(t.Context())
		require.NoError(t, err)
		assert.Equal(t, c.reaped2, sent(), c.name)
	}
}

// died leaves a task of a worker that died at the nth step of its Work: before
// the first command for 1, after it for 2, and so on.
func died(t *testing.T, b *impltest.QueueBench, id int64, step int) {
	t.Helper()
	require.NoError(t, b.Queue.Add(t.Context(), id))
	p, q := b.Start()
	p.DieAt(step)
	_, err := q.Work(t.Context(), "dead", impltest.Say(""))
	require.ErrorIs(t, err, impltest.ErrDead)
	b.Age()
}

func reap(t *testing.T, b *impltest.QueueBench) impl.Pass {
	t.Helper()
	pass, err := b.Queue.Reap(t.Context())
	require.NoError(t, err)
	return pass
}

// Each limit that the documentation admits, shown by calls one after the other.
func TestQueueDocumentedLimits(t *testing.T) {
	const ready, active, startAt = "queue:{q}:ready", "queue:{q}:active", "queue:{q}:start_at"
	for _, limit := range []struct {
		name string
		opt  naive.QueueOptions
		show func(t *testing.T, b *impltest.QueueBench)
	}{
		{"legacy: what a dead worker had is lost", naive.QueueOptions{Legacy: true}, func(t *testing.T, b *impltest.QueueBench) {
			died(t, b, 1, 5) // after the row says processing
			reap(t, b)
			assert.Equal(t, impl.TaskProcessing, b.Row(1).State)
			assert.Zero(t, b.Redis.DBSize(t.Context()).Val())
		}},
		{"an entry without a start time is skipped for ever", naive.QueueOptions{}, func(t *testing.T, b *impltest.QueueBench) {
			died(t, b, 1, 3) // before HSET
			assert.Zero(t, reap(t, b).Stale)
			assert.Equal(t, []string{"1"}, b.Redis.LRange(t.Context(), active, 0, -1).Val())
		}},
		{"so is one whose row is not processing", naive.QueueOptions{}, func(t *testing.T, b *impltest.QueueBench) {
			died(t, b, 1, 5) // before UPDATE
			pass := reap(t, b)
			assert.Equal(t, 1, pass.Stale)
			assert.Empty(t, pass.Requeued)
			assert.Equal(t, []string{"1"}, b.Redis.LRange(t.Context(), active, 0, -1).Val())
		}},
		{"a reaper that dies after the row leaves such a one", naive.QueueOptions{}, func(t *testing.T, b *impltest.QueueBench) {
			died(t, b, 1, 7)
			p, q := b.Start()
			p.DieAt(6) // LRANGE, HGET, UPDATE: after it
			_, err := q.Reap(t.Context())
			require.ErrorIs(t, err, impltest.ErrDead)
			assert.Equal(t, impl.TaskPending, b.Row(1).State)
			b.Age()
			assert.Empty(t, reap(t, b).Requeued)
			assert.Equal(t, []string{"1"}, b.Redis.LRange(t.Context(), active, 0, -1).Val())
		}},
		{"one that dies before the push loses the task", naive.QueueOptions{}, func(t *testing.T, b *impltest.QueueBench) {
			died(t, b, 1, 7)
			p, q := b.Start()
			p.DieAt(11) // after UPDATE, LREM and HDEL
			_, err := q.Reap(t.Context())
			require.ErrorIs(t, err, impltest.ErrDead)
			assert.Zero(t, b.Redis.Exists(t.Context(), ready, active, startAt).Val())
			assert.Empty(t, reap(t, b).Requeued)
		}},
		{"without the row guard a stuck entry is requeued without its row", naive.QueueOptions{NoRowGuard: true}, func(t *testing.T, b *impltest.QueueBench) {
			died(t, b, 1, 5)
			assert.Equal(t, []int64{1}, reap(t, b).Requeued)
			assert.Zero(t, b.Row(1).Retries)
		}},
		{"a late worker removes the entries of the next, and overwrites its row", naive.QueueOptions{}, func(t *testing.T, b *impltest.QueueBench) {
			require.NoError(t, b.Queue.Add(t.Context(), 1))
			_, slow := b.Start()
			_, err := slow.Work(t.Context(), "slow", func(context.Context, impl.Task) (string, error) {
				b.Age()
				reap(t, b)
				p, second := b.Start()
				_, err := second.Work(t.Context(), "second", func(context.Context, impl.Task) (string, error) {
					p.DieAt(1)
					return "", nil
				})
				require.ErrorIs(t, err, impltest.ErrDead)
				return "late", nil
			})
			require.NoError(t, err)
			assert.Zero(t, b.Redis.Exists(t.Context(), ready, active, startAt).Val())
			assert.Equal(t, "late", b.Row(1).Result)
		}},
		{"a task that fails is never tried again", naive.QueueOptions{}, func(t *testing.T, b *impltest.QueueBench) {
			require.NoError(t, b.Queue.Add(t.Context(), 1))
			_, err := b.Queue.Work(t.Context(), "w", func(context.Context, impl.Task) (string, error) { return "", errors.New("broken") })
			require.NoError(t, err)
			assert.Equal(t, impl.TaskFailed, b.Row(1).State)
			assert.Zero(t, b.Redis.DBSize(t.Context()).Val())
		}},
		{"an entry that is no task ends every pass", naive.QueueOptions{}, func(t *testing.T, b *impltest.QueueBench) {
			died(t, b, 1, 7)
			require.NoError(t, b.Redis.LPush(t.Context(), active, "poison").Err())
			for range 2 {
				_, err := b.Queue.Reap(t.Context())
				assert.ErrorIs(t, err, impl.ErrCorrupt)
			}
			assert.Equal(t, impl.TaskProcessing, b.Row(1).State)
		}},
		{"of equal entries one takes the start time of the other", naive.QueueOptions{}, func(t *testing.T, b *impltest.QueueBench) {
			died(t, b, 1, 7)
			require.NoError(t, b.Redis.LPush(t.Context(), ready, 1).Err()) // a push that was sent twice
			_, err := b.Queue.Work(t.Context(), "w", impltest.Say(""))
			require.NoError(t, err)
			assert.Equal(t, []string{"1"}, b.Redis.LRange(t.Context(), active, 0, -1).Val())
			assert.Zero(t, b.Redis.Exists(t.Context(), startAt).Val())
		}},
		{"the clocks decide", naive.QueueOptions{}, func(t *testing.T, b *impltest.QueueBench) {
			b.Clock = b.Clock.Add(time.Hour) // of the worker
			died(t, b, 1, 7)
			b.Clock = b.Clock.Add(-time.Hour) // of the reaper
			assert.Zero(t, reap(t, b).Stale)
		}},
	} {
		t.Run(limit.name, func(t *testing.T) { limit.show(t, queueBench(t, limit.opt)) })
	}
}
