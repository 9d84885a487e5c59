package lua_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/racebench/racebench/impl"
	"github.com/racebench/racebench/impl/impltest"
	"github.com/racebench/racebench/impl/lua"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func newQueue(p *impltest.Process, cfg impl.QueueConfig) (impl.Queue, error) {
	return lua.NewQueue(p.Redis, p.DB, cfg)
}

func TestQueueConforms(t *testing.T) { impltest.RunQueues(t, newQueue) }

func queueBench(t *testing.T, cfg impl.QueueConfig) *impltest.QueueBench {
	return impltest.NewQueueBench(t, impltest.OpenMini(t), newQueue, cfg)
}

func fail(context.Context, impl.Task) (string, error) { return "", errors.New("broken") }

// place is where in the queue a task is: exactly one of four, or the test fails.
func place(t *testing.T, b *impltest.QueueBench, task string) string {
	t.Helper()
	ctx := t.Context()
	var places []string
	for _, entry := range b.Redis.LRange(ctx, b.Cfg.ReadyKey(), 0, -1).Val() {
		if entry == task {
			places = append(places, "ready")
		}
	}
	for _, key := range []string{b.Cfg.ActiveKey(), b.Cfg.DoneKey(), b.Cfg.DeadKey()} {
		if b.Redis.ZScore(ctx, key, task).Err() == nil {
			places = append(places, strings.TrimPrefix(key, "queue:{q}:"))
		}
	}
	require.Len(t, places, 1, "task %s is in %v", task, places)
	return places[0]
}

// finishAll lets reapers and workers do what is left, and checks how it ended.
func finishAll(t *testing.T, b *impltest.QueueBench, tasks int) {
	t.Helper()
	for range 3 { // a pass, what it freed, and a pass that finds nothing
		b.Age()
		_, err := b.Queue.Reap(t.Context())
		require.NoError(t, err)
		for b.Redis.LLen(t.Context(), b.Cfg.ReadyKey()).Val() > 0 {
			_, err := b.Queue.Work(t.Context(), "survivor", impltest.Say("survivor"))
			require.NoError(t, err)
		}
	}
	for id := range int64(tasks) {
		row := b.Row(id + 1)
		assert.Equal(t, impl.TaskDone, row.State)
		assert.Equal(t, "done", place(t, b, fmt.Sprint(id+1)))
		assert.EqualValues(t, row.Retries+1, row.Attempt, "each attempt but the last was put back, and counted")
		assert.Equal(t, strconv.FormatInt(row.Attempt, 10), b.Redis.HGet(t.Context(), b.Cfg.AttemptsKey(), fmt.Sprint(id+1)).Val())
	}
}

// Whoever dies, before or after whichever command or statement: every task ends,
// and row and queue agree.
func TestQueueSurvivesEveryCrash(t *testing.T) {
	for _, role := range []struct {
		name  string
		given func(t *testing.T, b *impltest.QueueBench)
		act   func(ctx context.Context, q impl.Queue) error
		steps int // before and after each of its commands and statements
	}{
		{"a producer", nil, func(ctx context.Context, q impl.Queue) error { return q.Add(ctx, 2) }, 2 * 2},
		{"a worker", nil, func(ctx context.Context, q impl.Queue) error {
			_, err := q.Work(ctx, "victim", impltest.Say("victim"))
			return err
		}, 2 * 4},
		{"a worker that fails", nil, func(ctx context.Context, q impl.Queue) error {
			_, err := q.Work(ctx, "victim", fail)
			return err
		}, 2 * 4},
		{"a reaper of an attempt that has begun", dead(5), reapOnce, 2 * 5},
		{"a reaper of one that has not", dead(3), reapOnce, 2 * 5},
		{"a reaper of one that is done", dead(7), reapOnce, 2 * 6},
		{"a reaper of a row without an entry", func(t *testing.T, b *impltest.QueueBench) {
			p, q := b.Start()
			p.DieAt(3)
			require.ErrorIs(t, q.Add(t.Context(), 2), impltest.ErrDead)
		}, reapOnce, 2 * 4},
	} {
		t.Run(role.name, func(t *testing.T) {
			for n := 1; ; n++ {
				b := queueBench(t, impl.QueueConfig{})
				require.NoError(t, b.Queue.Add(t.Context(), 1))
				warm(t, b)
				tasks := 1
				if role.given != nil {
					role.given(t, b)
				}
				p, q := b.Start()
				dead := p.DieAt(n)
				err := role.act(t.Context(), q)
				if !dead() {
					require.NoError(t, err)
					assert.Equal(t, role.steps+1, n, "steps of %s", role.name)
					break
				}
				require.ErrorIs(t, err, impltest.ErrDead)
				if b.Row(2).ID != 0 {
					tasks = 2
				}
				finishAll(t, b, tasks)
				require.False(t, t.Failed(), "death at step %d", n)
			}
		})
	}
}

func reapOnce(ctx context.Context, q impl.Queue) error {
	_, err := q.Reap(ctx)
	return err
}

// dead gives an old entry of a worker that died at a step of its Work: claim,
// begin, finish and settle have two each.
func dead(step int) func(*testing.T, *impltest.QueueBench) {
	return func(t *testing.T, b *impltest.QueueBench) {
		p, q := b.Start()
		p.DieAt(step)
		_, err := q.Work(t.Context(), "dead", impltest.Say("dead"))
		require.ErrorIs(t, err, impltest.ErrDead)
		b.Age()
	}
}

// warm loads all scripts, so that each call is one command.
func warm(t *testing.T, b *impltest.QueueBench) {
	t.Helper()
	files, err := filepath.Glob("*.lua")
	require.NoError(t, err)
	for _, file := range files {
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, b.Redis.ScriptLoad(t.Context(), string(source)).Err())
	}
}

func TestQueueForgetsWhatIsLongDone(t *testing.T) {
	b := queueBench(t, impl.QueueConfig{Timeout: time.Second, Retention: time.Second})
	for id := range int64(3) {
		require.NoError(t, b.Queue.Add(t.Context(), id+1))
		_, err := b.Queue.Work(t.Context(), "w", impltest.Say(""))
		require.NoError(t, err)
		if id == 0 {
			require.NoError(t, b.Redis.ZAdd(t.Context(), b.Cfg.DoneKey(), redis.Z{Member: "1", Score: 1}).Err())
		}
	}
	assert.Equal(t, []string{"2", "3"}, b.Redis.ZRange(t.Context(), b.Cfg.DoneKey(), 0, -1).Val())
	assert.EqualValues(t, 2, b.Redis.HLen(t.Context(), b.Cfg.AttemptsKey()).Val())
}

func TestSweepGoesThroughAllRows(t *testing.T) {
	b := queueBench(t, impl.QueueConfig{Batch: 2})
	for id := range 5 {
		_, err := b.DB.ExecContext(t.Context(), impl.InsertTask, id+1)
		require.NoError(t, err)
	}
	var added [][]int64
	for range 4 {
		pass, err := b.Queue.Reap(t.Context())
		require.NoError(t, err)
		added = append(added, pass.Added)
	}
	assert.Equal(t, [][]int64{{1, 2}, {3, 4}, {5}, nil}, added)
}

func TestQueueScriptsGoByHash(t *testing.T) {
	b := queueBench(t, impl.QueueConfig{})
	recorder := impltest.Record(b.Process.Redis)
	cycle := func(id int64) (names []string) {
		require.NoError(t, b.Queue.Add(t.Context(), id))
		_, err := b.Queue.Work(t.Context(), "w", impltest.Say(""))
		require.NoError(t, err)
		_, err = b.Queue.Reap(t.Context())
		require.NoError(t, err)
		for _, words := range recorder.Take() {
			names = append(names, words[0])
			for _, key := range words[3 : 3+int(words[2][0]-'0')] {
				assert.Contains(t, key, "{q}")
			}
		}
		return names
	}
	assert.Len(t, cycle(1), 8, "first use of the four scripts")
	assert.Equal(t, []string{"EVALSHA", "EVALSHA", "EVALSHA", "EVALSHA"}, cycle(2))
}

func TestRunWorkerAndReaperEndWithTheirContext(t *testing.T) {
	b := queueBench(t, impl.QueueConfig{})
	require.NoError(t, b.Queue.Add(t.Context(), 1))
	ctx, cancel := context.WithCancel(t.Context())
	passes := 0
	err := impl.RunReaper(ctx, b.Queue, 0, func(_ impl.Pass, err error) {
		assert.NoError(t, err)
		passes++
		cancel()
	})
	assert.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, 1, passes)

	ctx, cancel = context.WithCancel(t.Context())
	var states []impl.TaskState
	err = impl.RunWorker(ctx, b.Queue, "w", func(context.Context, impl.Task) (string, error) {
		cancel() // told to stop while it works: the result is recorded all the same
		return "one", nil
	}, func(work impl.Work, err error) {
		assert.NoError(t, err)
		states = append(states, work.State)
	})
	assert.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, []impl.TaskState{impl.TaskDone}, states)
	assert.Equal(t, "one", b.Row(1).Result)
}
