package lua

import (
	"context"
	"database/sql"
	"fmt"
	"sync/atomic"

	"github.com/racebench/racebench/impl"
	"github.com/redis/go-redis/v9"
)

// Queue implements [impl.Queue] with scripts, and with rows that are written on
// condition of the attempt. Why no single crash loses a task is said at the head
// of this package.
//
//	queue:{name}:ready            list         tasks that wait for a worker, the next one last
//	queue:{name}:active           sorted set   tasks that a worker has, and when each was taken
//	queue:{name}:done             sorted set   tasks that are done, and since when; forgotten after Retention
//	queue:{name}:dead             sorted set   what was given up, and since when
//	queue:{name}:attempts         hash         number of the last attempt of each task in one of the four
//	queue:{name}:wake             list         on which idle workers wait; a hint, never longer than ready
//	queue:{name}:claim:<worker>   hash, TTL    the task that the worker took last; TTL twice the Timeout
//
// All times are milliseconds of the server's clock. The others have no TTL.
//
// It keeps these promises in every order of calls and with a crash anywhere: a
// task is in exactly one of ready, active, done and dead; each attempt has one
// worker; only the worker of the last attempt can end it, and only once; a task ends, done
// or dead, as long as some worker and some reaper live; retry_count is how often
// it went back from active to ready; and when nobody is in the middle of
// anything, row and queue agree.
//
// Limits: a handler runs at least once for a task, not exactly once. One that
// takes longer than the Timeout goes on beside the next attempt, and what it
// returns is refused. The dead stay until somebody looks: to try one again, make
// its row pending with retry_count 0, then remove it from dead and from attempts, and a reaper adds
// it. What a failover of Redis loses is found again in the rows: the task runs again.
type Queue struct {
	rdb   redis.UniversalClient
	db    *sql.DB
	cfg   impl.QueueConfig
	swept atomic.Int64 // the last row that the reaper has looked at
}

var _ impl.Queue = (*Queue)(nil)

// NewQueue returns a queue kept in rdb with its rows in db (see
// [impl.MigrateTasks]), or [impl.ErrInvalid] for a configuration that can never work.
func NewQueue(rdb redis.UniversalClient, db *sql.DB, cfg impl.QueueConfig) (*Queue, error) {
	cfg, err := cfg.Prepare()
	if err != nil {
		return nil, fmt.Errorf("lua queue: %w", err)
	}
	return &Queue{rdb: rdb, db: db, cfg: cfg}, nil
}

// Add inserts the row, and then puts the task into ready, in one step, unless the
// queue knows it. It may be called again, after an error above all: a task that
// is there stays what it is. A process that dies in between leaves a row that a
// reaper adds.
func (q *Queue) Add(ctx context.Context, id int64) error {
	if err := impl.CheckTask(id); err != nil {
		return fmt.Errorf("add: %w", err)
	}
	attempt := int64(0)
	if _, err := q.db.ExecContext(ctx, impl.InsertTask, id); err != nil {
		// Each database has another error for a row that is there; so look.
		row, found, again := impl.ReadTask(ctx, q.db, id)
		if again != nil || !found {
			return fmt.Errorf("add task %d: insert: %w", id, err)
		}
		if row.State != impl.TaskPending {
			return nil // it is on its way, or at its end
		}
		attempt = row.Attempt
	}
	if _, err := q.push(ctx, id, attempt); err != nil {
		return fmt.Errorf("add task %d: %w", id, err)
	}
	return nil
}

// push puts a task into ready, unless the queue knows it.
func (q *Queue) push(ctx context.Context, id, attempt int64) (pushed bool, err error) {
	r, err := run(ctx, q.rdb, queueAddScript, []string{q.cfg.AttemptsKey(), q.cfg.ReadyKey(), q.cfg.WakeKey()}, id, attempt)
	if err != nil {
		return false, err
	}
	switch r.code {
	case codeDone:
		return true, nil
	case codeKnown:
		return false, nil
	}
	return false, r.unexpected()
}

// The places that an attempt can be settled to.
const (
	toReady = "ready"
	toDone  = "done"
	toDead  = "dead"
)

// settle ends an attempt in the queue, after its row has ended it. It reports
// whether this call did it. floor is the last attempt by the row.
func (q *Queue) settle(ctx context.Context, task impl.Task, to string, floor int64) (settled bool, err error) {
	r, err := run(ctx, q.rdb, queueSettleScript,
		[]string{q.cfg.ActiveKey(), q.cfg.AttemptsKey(), q.cfg.ReadyKey(), q.cfg.DoneKey(), q.cfg.DeadKey(), q.cfg.WakeKey()},
		task.ID, task.Attempt, to, floor, q.cfg.Retention.Milliseconds())
	if err != nil {
		return false, fmt.Errorf("settle to %s: %w", to, err)
	}
	switch r.code {
	case codeDone:
		return true, nil
	case codeMoved:
		return false, nil
	}
	return false, r.unexpected()
}
