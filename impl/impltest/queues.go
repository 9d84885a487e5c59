package impltest

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/racebench/racebench/impl"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// NewQueue is the constructor of an implementation for one process.
type NewQueue func(p *Process, cfg impl.QueueConfig) (impl.Queue, error)

// QueueBench is one implementation on one server and one database, with a clock
// that only the test moves.
type QueueBench struct {
	*Process
	Redis *redis.Client // shadows that of the Process, and passes no Step
	Queue impl.Queue    // of the Process
	Clock time.Time
	Cfg   impl.QueueConfig

	t    testing.TB
	open NewQueue
	db   *Database
}

// NewQueueBench returns a bench for one test; the Name, Poll and Now of cfg are replaced.
func NewQueueBench(t testing.TB, client *redis.Client, open NewQueue, cfg impl.QueueConfig) *QueueBench {
	t.Helper()
	b := &QueueBench{Redis: client, Clock: time.UnixMilli(1_700_000_000_000), t: t, open: open, db: OpenDatabase(t)}
	cfg.Name, cfg.Poll, cfg.Now = "q", time.Second, func() time.Time { return b.Clock }
	var err error
	b.Cfg, err = cfg.Prepare()
	require.NoError(t, err)
	b.Process, b.Queue = b.Start()
	require.NoError(t, impl.MigrateTasks(t.Context(), b.DB))
	return b
}

// Start starts one more process.
func (b *QueueBench) Start() (*Process, impl.Queue) {
	b.t.Helper()
	p := NewProcess(b.t, b.Redis, b.db)
	q, err := b.open(p, b.Cfg)
	require.NoError(b.t, err)
	return p, q
}

// With adds a task and returns the bench.
func (b *QueueBench) With(t testing.TB, id int64) *QueueBench {
	t.Helper()
	require.NoError(t, b.Queue.Add(t.Context(), id))
	return b
}

// Row returns the row of a task, the zero one when it has none.
func (b *QueueBench) Row(id int64) impl.TaskRow {
	b.t.Helper()
	row, _, err := impl.ReadTask(context.WithoutCancel(b.t.Context()), b.DB, id)
	require.NoError(b.t, err)
	return row
}

// Age makes everything that is active older than the Timeout.
func (b *QueueBench) Age() {
	b.t.Helper()
	ctx := context.WithoutCancel(b.t.Context())
	b.Clock = b.Clock.Add(b.Cfg.Timeout + time.Second)
	if b.Redis.Type(ctx, b.Cfg.ActiveKey()).Val() != "zset" {
		return // naive goes by the clock of its process
	}
	for _, task := range b.Redis.ZRange(ctx, b.Cfg.ActiveKey(), 0, -1).Val() {
		require.NoError(b.t, b.Redis.ZAdd(ctx, b.Cfg.ActiveKey(), redis.Z{Member: task, Score: 1}).Err())
	}
}

// Say is a handler that succeeds.
func Say(result string) impl.Handler {
	return func(context.Context, impl.Task) (string, error) { return result, nil }
}

// queueCase is one behaviour that all implementations share.
type queueCase struct {
	name string
	test func(t *testing.T, b *QueueBench)
}

// queueCaseCount is asserted, so that a case cannot be lost unnoticed.
const queueCaseCount = 7

// RunQueues runs the suite against every backend there is.
func RunQueues(t *testing.T, open NewQueue) {
	t.Parallel()
	ran := 0
	backends := Backends(t)
	for _, backend := range backends {
		for _, c := range queueCases {
			t.Run(backend.Name+"/"+c.name, func(t *testing.T) {
				ran++
				c.test(t, NewQueueBench(t, backend.Open(t), open, impl.QueueConfig{}))
			})
		}
	}
	for name, options := range map[string]*redis.Options{
		"a Redis that does not answer": {Addr: Mute(t), ReadTimeout: 20 * time.Millisecond, MaxRetries: -1},
		"a Redis that is down": {MaxRetries: -1, Dialer: func(context.Context, string, string) (net.Conn, error) {
			return nil, errors.New("connection refused")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			b := NewQueueBench(t, newClient(t, options), open, impl.QueueConfig{})
			_, err := b.Queue.Work(t.Context(), "w", func(context.Context, impl.Task) (string, error) {
				t.Error("executed")
				return "", nil
			})
			assert.Error(t, err)
			assert.NotErrorIs(t, err, impl.ErrAttemptLost, "an error of Redis is no refusal")
			_, err = b.Queue.Reap(t.Context())
			assert.Error(t, err)
			assert.Error(t, b.Queue.Add(t.Context(), 1))
			assert.Equal(t, impl.TaskPending, b.Row(1).State, "the row is there, and the caller knows that the rest is not")
		})
	}
	t.Run("count", func(t *testing.T) {
		if len(queueCases) != queueCaseCount {
			t.Errorf("the suite has %d cases, want %d", len(queueCases), queueCaseCount)
		}
		t.Logf("%d cases ran on %d backends", ran, len(backends))
	})
}

var queueCases = []queueCase{
	{"a task is added, worked on, and done", func(t *testing.T, b *QueueBench) {
		require.NoError(t, b.Queue.Add(t.Context(), 7))
		assert.Equal(t, impl.TaskRow{ID: 7, State: impl.TaskPending}, b.Row(7))
		assert.Equal(t, []string{"7"}, b.Redis.LRange(t.Context(), "queue:{q}:ready", 0, -1).Val())
		work, err := b.Queue.Work(t.Context(), "w", func(_ context.Context, task impl.Task) (string, error) {
			assert.EqualValues(t, 7, task.ID)
			row := b.Row(7)
			assert.Equal(t, impl.TaskProcessing, row.State)
			assert.False(t, row.StartedAt.IsZero())
			assert.Zero(t, b.Redis.LLen(t.Context(), "queue:{q}:ready").Val())
			return "seven", nil
		})
		require.NoError(t, err)
		assert.True(t, work.Found)
		assert.EqualValues(t, 7, work.Task.ID)
		assert.Equal(t, impl.TaskDone, work.State)
		row := b.Row(7)
		assert.Equal(t, impl.TaskDone, row.State)
		assert.Equal(t, "seven", row.Result)
		assert.Equal(t, b.Clock, row.FinishedAt)
		assert.Zero(t, row.Retries)
		assert.Zero(t, b.Redis.Exists(t.Context(), "queue:{q}:ready", "queue:{q}:active", "queue:{q}:start_at").Val())
	}},
	{"tasks come in the order in which they were added", func(t *testing.T, b *QueueBench) {
		for id := range int64(3) {
			require.NoError(t, b.Queue.Add(t.Context(), id+1))
		}
		for id := range int64(3) {
			work, err := b.Queue.Work(t.Context(), "w", Say(""))
			require.NoError(t, err)
			assert.Equal(t, id+1, work.Task.ID)
		}
	}},
	{"nothing to do is no error", func(t *testing.T, b *QueueBench) {
		work, err := b.Queue.Work(t.Context(), "w", Say(""))
		require.NoError(t, err)
		assert.False(t, work.Found)
	}},
	{"a worker that waits gets what is added", func(t *testing.T, b *QueueBench) {
		p, q := b.Start()
		waiting := make(chan struct{}, 1)
		p.Step = func(what string, after bool) error {
			if what[0] == 'B' && !after { // BLPOP, BRPOPLPUSH
				waiting <- struct{}{}
			}
			return nil
		}
		worked := make(chan impl.Work)
		go func() {
			work, err := q.Work(t.Context(), "w", Say(""))
			assert.NoError(t, err)
			worked <- work
		}()
		<-waiting
		require.NoError(t, b.Queue.Add(t.Context(), 1))
		assert.True(t, (<-worked).Found)
	}},
	{"a task whose worker died is tried again", func(t *testing.T, b *QueueBench) {
		require.NoError(t, b.Queue.Add(t.Context(), 1))
		p, q := b.Start()
		_, err := q.Work(t.Context(), "w1", func(context.Context, impl.Task) (string, error) {
			p.DieAt(1)
			return "late", nil
		})
		require.ErrorIs(t, err, ErrDead)
		assert.Equal(t, impl.TaskProcessing, b.Row(1).State)

		pass, err := b.Queue.Reap(t.Context())
		require.NoError(t, err)
		assert.Equal(t, "reaper: 0 stale", pass.String(), "not yet")
		b.Age()
		pass, err = b.Queue.Reap(t.Context())
		require.NoError(t, err)
		assert.Equal(t, "reaper: 1 stale; requeued 1", pass.String())
		row := b.Row(1)
		assert.Equal(t, impl.TaskPending, row.State)
		assert.Equal(t, 1, row.Retries)
		assert.True(t, row.StartedAt.IsZero())

		work, err := b.Queue.Work(t.Context(), "w2", Say("second"))
		require.NoError(t, err)
		assert.Equal(t, impl.TaskDone, work.State)
		assert.Equal(t, "second", b.Row(1).Result)
		assert.Equal(t, 1, b.Row(1).Retries)
		pass, err = b.Queue.Reap(t.Context())
		require.NoError(t, err)
		assert.Equal(t, impl.Pass{}, pass)
	}},
	{"a handler that fails is told", func(t *testing.T, b *QueueBench) {
		require.NoError(t, b.Queue.Add(t.Context(), 1))
		broken := errors.New("broken")
		work, err := b.Queue.Work(t.Context(), "w", func(context.Context, impl.Task) (string, error) { return "", broken })
		require.NoError(t, err)
		assert.Equal(t, broken, work.Cause)
		assert.Equal(t, work.State, b.Row(1).State)
		assert.Equal(t, "broken", b.Row(1).Result)
	}},
	{"bad arguments are refused and write nothing", func(t *testing.T, b *QueueBench) {
		sent := b.Record()
		assert.ErrorIs(t, b.Queue.Add(t.Context(), 0), impl.ErrInvalid)
		for _, worker := range []string{"", "a}b"} {
			_, err := b.Queue.Work(t.Context(), worker, Say(""))
			assert.ErrorIs(t, err, impl.ErrInvalid)
		}
		assert.Empty(t, sent())
		for _, bad := range []impl.QueueConfig{{}, {Name: "{"}, {Name: "q", Poll: time.Millisecond}, {Name: "q", Timeout: -1},
			{Name: "q", Retention: time.Second}, {Name: "q", MaxRetries: -1}, {Name: "q", Batch: -1}} {
			_, err := b.open(b.Process, bad)
			assert.ErrorIs(t, err, impl.ErrInvalid, "%+v", bad)
		}
	}},
}
