package lua_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"testing"

	"github.com/racebench/racebench/impl"
	"github.com/racebench/racebench/impl/impltest"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each promise that naive does not keep, on every backend.
func TestQueuePromises(t *testing.T) {
	t.Parallel()
	for _, backend := range impltest.Backends(t) {
		for _, c := range queuePromises {
			t.Run(backend.Name+"/"+c.name, func(t *testing.T) {
				c.test(t, impltest.NewQueueBench(t, backend.Open(t), newQueue, impl.QueueConfig{}))
			})
		}
	}
}

var queuePromises = []struct {
	name string
	test func(t *testing.T, b *impltest.QueueBench)
}{
	{"a task is added once", func(t *testing.T, b *impltest.QueueBench) {
		for range 2 {
			require.NoError(t, b.Queue.Add(t.Context(), 1))
		}
		assert.Equal(t, "ready", place(t, b, "1"))
		_, err := b.Queue.Work(t.Context(), "w", impltest.Say("one"))
		require.NoError(t, err)
		require.NoError(t, b.Queue.Add(t.Context(), 1))
		assert.Equal(t, "done", place(t, b, "1"))
	}},
	{"twins of one push are one task", func(t *testing.T, b *impltest.QueueBench) {
		require.NoError(t, b.Queue.Add(t.Context(), 1))
		require.NoError(t, b.Queue.Add(t.Context(), 2))
		require.NoError(t, b.Redis.RPush(t.Context(), b.Cfg.ReadyKey(), 1).Err()) // somebody else's producer, twice
		for range 2 {
			work, err := b.Queue.Work(t.Context(), "w", func(context.Context, impl.Task) (string, error) { return "", nil })
			require.NoError(t, err)
			assert.Equal(t, impl.TaskDone, work.State)
		}
		assert.Equal(t, "done", place(t, b, "1"))
		assert.Equal(t, "done", place(t, b, "2"))
		assert.EqualValues(t, 1, b.Row(1).Attempt)
	}},
	{"a worker that asks again has the same attempt", func(t *testing.T, b *impltest.QueueBench) {
		warm(t, b)
		require.NoError(t, b.Queue.Add(t.Context(), 1))
		require.NoError(t, b.Queue.Add(t.Context(), 2))
		for _, lost := range []string{"EVALSHA", "UPDATE"} { // the reply of the claim, that of the beginning
			p, q := b.Start()
			p.Step = func(what string, after bool) error {
				if after && what == lost {
					return errors.New("reply lost")
				}
				return nil
			}
			_, err := q.Work(t.Context(), "w", impltest.Say(""))
			require.ErrorContains(t, err, "reply lost")
		}
		work, err := b.Queue.Work(t.Context(), "w", impltest.Say("at last"))
		require.NoError(t, err)
		assert.Equal(t, impl.Work{Found: true, Task: impl.Task{ID: 1, Attempt: 1}, State: impl.TaskDone}, work)
		assert.Equal(t, "ready", place(t, b, "2"))
	}},
	{"a worker whose end was not heard learns it", func(t *testing.T, b *impltest.QueueBench) {
		require.NoError(t, b.Queue.Add(t.Context(), 1))
		p, q := b.Start()
		_, err := q.Work(t.Context(), "w", func(context.Context, impl.Task) (string, error) {
			p.DieAt(2) // the row says done; that is all
			return "one", nil
		})
		require.ErrorIs(t, err, impltest.ErrDead)
		assert.Equal(t, "active", place(t, b, "1"))
		work, err := b.Queue.Work(t.Context(), "w", func(context.Context, impl.Task) (string, error) {
			t.Error("executed again")
			return "", nil
		})
		require.NoError(t, err)
		assert.Equal(t, impl.TaskDone, work.State)
		assert.Equal(t, "done", place(t, b, "1"))
		assert.Equal(t, "one", b.Row(1).Result)
	}},
	{"a late worker is refused, and removes nothing", func(t *testing.T, b *impltest.QueueBench) {
		for _, late := range []struct {
			name   string
			handle impl.Handler
			op     string
		}{{"1", impltest.Say("late"), "finish"}, {"2", fail, "fail"}} {
			id, err := strconv.ParseInt(late.name, 10, 64)
			require.NoError(t, err)
			require.NoError(t, b.Queue.Add(t.Context(), id))
			_, slow := b.Start()
			_, err = slow.Work(t.Context(), "slow", func(ctx context.Context, task impl.Task) (string, error) {
				b.Age()
				_, err := b.Queue.Reap(ctx)
				require.NoError(t, err)
				p, second := b.Start()
				_, err = second.Work(ctx, "second", func(context.Context, impl.Task) (string, error) {
					p.DieAt(1)
					return "", nil
				})
				require.ErrorIs(t, err, impltest.ErrDead)
				return late.handle(ctx, task)
			})
			var lost *impl.AttemptError
			require.ErrorAs(t, err, &lost)
			assert.Equal(t, late.op, lost.Op)
			assert.Equal(t, impl.Task{ID: id, Attempt: 1}, lost.Task)
			assert.EqualValues(t, 2, lost.Met.Attempt)
			assert.Equal(t, "active", place(t, b, late.name))
			assert.Equal(t, impl.TaskProcessing, b.Row(id).State)
			finishAll(t, b, int(id))
		}
	}},
	{"a task that fails is tried again, then dead", func(t *testing.T, b *impltest.QueueBench) {
		require.NoError(t, b.Queue.Add(t.Context(), 1))
		for range 3 {
			work, err := b.Queue.Work(t.Context(), "w", fail)
			require.NoError(t, err)
			assert.Equal(t, impl.TaskPending, work.State)
			assert.Equal(t, "ready", place(t, b, "1"))
		}
		work, err := b.Queue.Work(t.Context(), "w", fail)
		require.NoError(t, err)
		assert.Equal(t, impl.TaskDead, work.State)
		assert.Equal(t, "dead", place(t, b, "1"))
		row := b.Row(1)
		assert.Equal(t, impl.TaskDead, row.State)
		assert.Equal(t, 3, row.Retries)
		assert.Equal(t, "broken", row.Result)
	}},
	{"a task that kills its workers is dead in the end", func(t *testing.T, b *impltest.QueueBench) {
		require.NoError(t, b.Queue.Add(t.Context(), 1))
		for n := range 4 {
			p, q := b.Start()
			_, err := q.Work(t.Context(), fmt.Sprint("w", n), func(context.Context, impl.Task) (string, error) {
				p.DieAt(1)
				return "", nil
			})
			require.ErrorIs(t, err, impltest.ErrDead)
			b.Age()
			_, err = b.Queue.Reap(t.Context())
			require.NoError(t, err)
		}
		assert.Equal(t, "dead", place(t, b, "1"))
		assert.Equal(t, impl.TaskDead, b.Row(1).State)
		assert.Equal(t, 3, b.Row(1).Retries)
	}},
	{"what is no task is set aside, and the rest goes on", func(t *testing.T, b *impltest.QueueBench) {
		ctx := t.Context()
		for _, poison := range []string{"", "poison", "007", "-1", "1.5", "1234567890123456789"} {
			require.NoError(t, b.Redis.RPush(ctx, b.Cfg.ReadyKey(), poison).Err())
			require.NoError(t, b.Redis.ZAdd(ctx, b.Cfg.ActiveKey(), redis.Z{Member: poison + "!", Score: 1}).Err())
		}
		dead(5)(t, b.With(t, 1))
		pass, err := b.Queue.Reap(ctx)
		require.NoError(t, err)
		assert.Equal(t, "reaper: 1 stale; requeued 1; 6 malformed", pass.String())
		finishAll(t, b, 1)
		assert.EqualValues(t, 12, b.Redis.ZCard(ctx, b.Cfg.DeadKey()).Val())
	}},
	{"a task without a row is set aside", func(t *testing.T, b *impltest.QueueBench) {
		require.NoError(t, b.Redis.LPush(t.Context(), b.Cfg.ReadyKey(), 9).Err())
		_, err := b.Queue.Work(t.Context(), "w", impltest.Say(""))
		assert.ErrorIs(t, err, impl.ErrAttemptLost)
		assert.ErrorContains(t, err, "task 9, attempt 1: begin: attempt lost: it has no row")
		assert.Equal(t, "dead", place(t, b, "9"))
	}},
	{"two reapers put a task back once", func(t *testing.T, b *impltest.QueueBench) {
		dead(5)(t, b.With(t, 1))
		p, other := b.Start()
		nested := false
		p.Step = func(what string, after bool) error { // the second runs between listing and row of the first
			if what == "UPDATE" && !nested {
				nested = true
				pass, err := b.Queue.Reap(t.Context())
				assert.NoError(t, err)
				assert.Equal(t, []int64{1}, pass.Requeued)
			}
			return nil
		}
		pass, err := other.Reap(t.Context())
		require.NoError(t, err)
		assert.True(t, nested)
		assert.Empty(t, pass.Requeued)
		assert.Equal(t, "ready", place(t, b, "1"))
		assert.Equal(t, 1, b.Row(1).Retries)
	}},
	{"one entry that fails does not keep the reaper from the rest", func(t *testing.T, b *impltest.QueueBench) {
		for id := range int64(2) {
			p, q := b.With(t, id+1).Start()
			p.DieAt(5)
			_, err := q.Work(t.Context(), fmt.Sprint("w", id), impltest.Say(""))
			require.ErrorIs(t, err, impltest.ErrDead)
		}
		b.Age()
		p, q := b.Start()
		failed := false
		p.Step = func(what string, _ bool) error {
			if what == "UPDATE" && !failed {
				failed = true
				return errors.New("locked")
			}
			return nil
		}
		pass, err := q.Reap(t.Context())
		assert.ErrorContains(t, err, "reap task 1, attempt 1: locked")
		assert.Equal(t, []int64{2}, pass.Requeued)
		finishAll(t, b, 2)
	}},
	{"what Redis lost is found in the rows", func(t *testing.T, b *impltest.QueueBench) {
		require.NoError(t, b.Queue.Add(t.Context(), 1))
		require.NoError(t, b.Queue.Add(t.Context(), 2))
		_, err := b.Queue.Work(t.Context(), "slow", func(ctx context.Context, task impl.Task) (string, error) {
			for _, key := range b.Redis.Keys(ctx, "queue:*").Val() {
				require.NoError(t, b.Redis.Del(ctx, key).Err())
			}
			pass, err := b.Queue.Reap(ctx)
			require.NoError(t, err)
			assert.Equal(t, []int64{1, 2}, pass.Added)
			return "late", nil
		})
		assert.ErrorIs(t, err, impl.ErrAttemptLost)
		finishAll(t, b, 2)
		assert.EqualValues(t, 2, b.Row(1).Attempt)
	}},
	{"a claim that Redis lost is caught up with", func(t *testing.T, b *impltest.QueueBench) {
		dead(5)(t, b.With(t, 1))
		_, err := b.Queue.Reap(t.Context())
		require.NoError(t, err)
		dead(5)(t, b)
		// A failover brings back what was there before the second attempt, and before the reaper had settled the first.
		require.NoError(t, b.Redis.HSet(t.Context(), b.Cfg.AttemptsKey(), "1", 1).Err())
		pass, err := b.Queue.Reap(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []int64{1}, pass.Requeued)
		assert.Equal(t, "2", b.Redis.HGet(t.Context(), b.Cfg.AttemptsKey(), "1").Val())
		finishAll(t, b, 1)
	}},
	{"an attempt that Redis gives out twice stays the first one's", func(t *testing.T, b *impltest.QueueBench) {
		require.NoError(t, b.Queue.Add(t.Context(), 1))
		work, err := b.Queue.Work(t.Context(), "first", func(ctx context.Context, task impl.Task) (string, error) {
			// A failover forgets the claim.
			require.NoError(t, b.Redis.ZRem(ctx, b.Cfg.ActiveKey(), 1).Err())
			require.NoError(t, b.Redis.HSet(ctx, b.Cfg.AttemptsKey(), "1", 0).Err())
			require.NoError(t, b.Redis.LPush(ctx, b.Cfg.ReadyKey(), 1).Err())
			_, err := b.Queue.Work(ctx, "second", func(context.Context, impl.Task) (string, error) {
				t.Error("two have one attempt")
				return "", nil
			})
			assert.ErrorIs(t, err, impl.ErrAttemptLost)
			assert.Zero(t, b.Redis.Exists(ctx, b.Cfg.ClaimKey("second")).Val(), "the second is free for another")
			return "", nil
		})
		require.NoError(t, err)
		assert.Equal(t, impl.TaskDone, work.State)
		assert.Equal(t, "done", place(t, b, "1"))
	}},
	{"the wake list is never longer than ready", func(t *testing.T, b *impltest.QueueBench) {
		for id := range int64(3) {
			require.NoError(t, b.Queue.Add(t.Context(), id+1))
		}
		assert.EqualValues(t, 3, b.Redis.LLen(t.Context(), b.Cfg.WakeKey()).Val())
		for range 3 {
			_, err := b.Queue.Work(t.Context(), "w", impltest.Say(""))
			require.NoError(t, err)
		}
		require.NoError(t, b.Queue.Add(t.Context(), 4))
		assert.EqualValues(t, 3, b.Redis.LLen(t.Context(), b.Cfg.WakeKey()).Val())
		for range 2 {
			_, err := b.Queue.Work(t.Context(), "w", impltest.Say("")) // the second finds nothing
			require.NoError(t, err)
		}
		assert.Zero(t, b.Redis.Exists(t.Context(), b.Cfg.WakeKey()).Val())
	}},
}
