package naive

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"

	"github.com/racebench/racebench/impl"
	"github.com/redis/go-redis/v9"
)

// Queue implements [impl.Queue] as published: a list moved from, a list moved
// to, and a hash of start times.
//
//	queue:{name}:ready      list   ids of tasks, the next one last
//	queue:{name}:active     list   ids of tasks that a worker has
//	queue:{name}:start_at   hash   id -> when it was taken, milliseconds of the worker's clock
//
// None of them has a TTL.
type Queue struct {
	rdb redis.UniversalClient
	db  *sql.DB
	cfg impl.QueueConfig
	opt QueueOptions
}

// QueueOptions are what is done otherwise than in the published repair. The zero
// value is the repair.
type QueueOptions struct {
	Legacy     bool // the version before it: BRPOP, and nothing that remembers the task
	NoRowGuard bool // a reaper that requeues also when its UPDATE changed no row
}

var _ impl.Queue = (*Queue)(nil)

// NewQueue returns a queue kept in rdb with its rows in db (see
// [impl.MigrateTasks]), or [impl.ErrInvalid] for a configuration that can never work.
func NewQueue(rdb redis.UniversalClient, db *sql.DB, cfg impl.QueueConfig, opt QueueOptions) (*Queue, error) {
	cfg, err := cfg.Prepare()
	if err != nil {
		return nil, fmt.Errorf("naive queue: %w", err)
	}
	return &Queue{rdb: rdb, db: db, cfg: cfg, opt: opt}, nil
}

// Add inserts the row and pushes the id.
//
// Limits: a process that dies in between leaves a row that nobody works on; a push
// whose reply is lost and that the client sends again is there twice.
func (q *Queue) Add(ctx context.Context, id int64) error {
	if err := impl.CheckTask(id); err != nil {
		return fmt.Errorf("add: %w", err)
	}
	if _, err := q.db.ExecContext(ctx, impl.InsertTask, id); err != nil {
		return fmt.Errorf("add task %d: insert: %w", id, err)
	}
	if err := q.rdb.LPush(ctx, q.cfg.ReadyKey(), id).Err(); err != nil {
		return fmt.Errorf("add task %d: push: %w", id, err)
	}
	return nil
}

// Work moves an id to the active list, writes its start time, says processing
// in the row, calls handle, and says done in the row. Whatever happened, at the end the
// id is removed from the active list and its start time deleted.
//
// Limits: a process that dies before the start time is written leaves an entry
// that no reaper looks at; one that dies before the row says processing, an
// entry that no reaper can put back. A task whose handle fails is removed as well.
// The rows are written without asking whose the task is now, and removing removes
// whichever entry is equal. The legacy version keeps nothing to remove: what it took is
// lost when it dies.
func (q *Queue) Work(ctx context.Context, worker string, handle impl.Handler) (impl.Work, error) {
	if err := impl.CheckWorker(worker); err != nil {
		return impl.Work{}, fmt.Errorf("work: %w", err)
	}
	payload, err := q.take(ctx)
	if errors.Is(err, redis.Nil) {
		return impl.Work{}, nil
	}
	if err != nil {
		return impl.Work{}, fmt.Errorf("take task: %w", err)
	}
	return q.execute(ctx, payload, handle)
}

// take pops an id, or moves it.
func (q *Queue) take(ctx context.Context) (string, error) {
	if q.opt.Legacy {
		popped, err := q.rdb.BRPop(ctx, q.cfg.Poll, q.cfg.ReadyKey()).Result()
		if err != nil {
			return "", err
		}
		return popped[1], nil // after the name of the list
	}
	return q.rdb.BRPopLPush(ctx, q.cfg.ReadyKey(), q.cfg.ActiveKey(), q.cfg.Poll).Result()
}

// execute does what comes after the move.
func (q *Queue) execute(ctx context.Context, payload string, handle impl.Handler) (work impl.Work, err error) {
	defer func() {
		if !q.opt.Legacy {
			err = errors.Join(err, q.forget(context.WithoutCancel(ctx), payload))
		}
	}()
	now := q.cfg.Now().UnixMilli()
	if !q.opt.Legacy {
		if err := q.rdb.HSet(ctx, q.cfg.StartAtKey(), payload, now).Err(); err != nil {
			return impl.Work{}, fmt.Errorf("stamp %q: %w", payload, err)
		}
	}
	id, err := parseTask(payload)
	if err != nil {
		return impl.Work{}, err
	}
	work = impl.Work{Found: true, Task: impl.Task{ID: id}, State: impl.TaskPending}
	if _, err := q.db.ExecContext(ctx, `UPDATE tasks SET status = 'processing', started_at = ? WHERE id = ?`, now, id); err != nil {
		return work, fmt.Errorf("%s: say processing: %w", work.Task, err)
	}
	work.State = impl.TaskProcessing
	result, cause := handle(ctx, work.Task)
	if cause != nil {
		_, err = q.db.ExecContext(ctx, `UPDATE tasks SET status = 'failed', result = ? WHERE id = ?`, cause.Error(), id)
		work.State, work.Cause = impl.TaskFailed, cause
	} else {
		_, err = q.db.ExecContext(ctx, `UPDATE tasks SET status = 'done', result = ?, finished_at = ? WHERE id = ?`,
			result, q.cfg.Now().UnixMilli(), id)
		work.State = impl.TaskDone
	}
	if err != nil {
		return work, fmt.Errorf("%s: say %s: %w", work.Task, work.State, err)
	}
	return work, nil
}

// forget is the finally of Work.
func (q *Queue) forget(ctx context.Context, payload string) error {
	if err := q.rdb.LRem(ctx, q.cfg.ActiveKey(), 1, payload).Err(); err != nil {
		return fmt.Errorf("remove %q from active: %w", payload, err)
	}
	if err := q.rdb.HDel(ctx, q.cfg.StartAtKey(), payload).Err(); err != nil {
		return fmt.Errorf("remove start time of %q: %w", payload, err)
	}
	return nil
}

// parseTask reads the id of a task from an entry.
func parseTask(payload string) (int64, error) {
	id, err := strconv.ParseInt(payload, 10, 64)
	if err != nil || impl.CheckTask(id) != nil {
		return 0, fmt.Errorf("%w: entry %q (want the id of a task)", impl.ErrCorrupt, payload)
	}
	return id, nil
}
