package lua

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/racebench/racebench/impl"
)

// Reap ends every attempt that has been active for longer than the Timeout, by
// the server's clock: first in its row, then in the queue. An attempt whose row had
// ended before, since somebody died in between, is only settled. Then it looks at
// the next Batch of rows that are not at their end, and adds those tasks that the
// queue does not know: somebody died while adding them, or Redis lost them.
//
// An entry that fails does not keep the pass from the others; the errors are
// joined. A pass may end anywhere: the next one goes on.
func (q *Queue) Reap(ctx context.Context) (impl.Pass, error) {
	var pass impl.Pass
	stale, err := q.stale(ctx, &pass)
	if err != nil {
		return pass, fmt.Errorf("reap: list stale: %w", err)
	}
	var failed []error
	for _, task := range stale {
		if ctx.Err() != nil {
			return pass, errors.Join(append(failed, ctx.Err())...)
		}
		if err := q.reclaim(ctx, task, &pass); err != nil {
			failed = append(failed, fmt.Errorf("reap %s: %w", task, err))
		}
	}
	if err := q.sweep(ctx, &pass); err != nil {
		failed = append(failed, fmt.Errorf("reap: sweep rows: %w", err))
	}
	return pass, errors.Join(failed...)
}

// stale lists the attempts that have been active for too long.
func (q *Queue) stale(ctx context.Context, pass *impl.Pass) ([]impl.Task, error) {
	r, err := run(ctx, q.rdb, queueStaleScript, []string{q.cfg.ActiveKey(), q.cfg.AttemptsKey(), q.cfg.DeadKey()},
		q.cfg.Timeout.Milliseconds(), q.cfg.Batch)
	if err != nil {
		return nil, err
	}
	if r.code != codeDone || len(r.rest)%2 != 0 {
		return nil, r.unexpected()
	}
	if pass.Aside, err = strconv.Atoi(r.detail); err != nil {
		return nil, r.unexpected()
	}
	var tasks []impl.Task
	for i := 0; i < len(r.rest); i += 2 {
		id, err1 := strconv.ParseInt(r.rest[i], 10, 64)
		attempt, err2 := strconv.ParseInt(r.rest[i+1], 10, 64)
		if err := errors.Join(err1, err2); err != nil {
			return nil, fmt.Errorf("%w: attempt %q of task %q", impl.ErrCorrupt, r.rest[i+1], r.rest[i])
		}
		tasks = append(tasks, impl.Task{ID: id, Attempt: attempt})
	}
	pass.Stale = len(tasks)
	return tasks, nil
}

// reclaim ends one attempt.
func (q *Queue) reclaim(ctx context.Context, task impl.Task, pass *impl.Pass) error {
	state, err := q.endByReaper(ctx, task)
	if err != nil {
		return err
	}
	var to string
	if state != "" {
		to = places[state]
		if settled, err := q.settle(ctx, task, to, task.Attempt); err != nil || !settled {
			return err
		}
	} else if to, err = q.followOrCatchUp(ctx, task); err != nil {
		return err
	}
	switch to {
	case toReady:
		pass.Requeued = append(pass.Requeued, task.ID)
	case toDone:
		pass.Done = append(pass.Done, task.ID)
	case toDead:
		pass.Dead = append(pass.Dead, task.ID)
	}
	return nil
}

// followOrCatchUp is follow, also for a queue that lags behind the row: a later
// attempt has begun there, and the queue has never given it out. That needs a
// failover that lost writes, since attempts are given out here first and never twice.
func (q *Queue) followOrCatchUp(ctx context.Context, task impl.Task) (string, error) {
	row, to, err := q.follow(ctx, task)
	if err != nil || row.State != impl.TaskProcessing || row.Attempt <= task.Attempt {
		return to, err
	}
	last, err := q.rdb.HGet(ctx, q.cfg.AttemptsKey(), strconv.FormatInt(task.ID, 10)).Int64()
	if err != nil || last >= row.Attempt {
		return "", err // what was listed is over by now, and a later attempt runs as it should
	}
	if _, err := q.endByReaper(ctx, impl.Task{ID: task.ID, Attempt: row.Attempt}); err != nil {
		return "", err
	}
	_, to, err = q.follow(ctx, task)
	return to, err
}

// sweep adds the tasks that have a row and are not in the queue.
func (q *Queue) sweep(ctx context.Context, pass *impl.Pass) error {
	after := q.swept.Load()
	rows, err := impl.ReadUnfinished(ctx, q.db, after, q.cfg.Batch)
	if err != nil {
		return err
	}
	last := int64(0) // from the beginning again
	if len(rows) == q.cfg.Batch {
		last = rows[len(rows)-1].ID
	}
	q.swept.Store(last)
	if len(rows) == 0 {
		return nil
	}
	ids := make([]string, len(rows))
	for i, row := range rows {
		ids[i] = strconv.FormatInt(row.ID, 10)
	}
	known, err := q.rdb.HMGet(ctx, q.cfg.AttemptsKey(), ids...).Result()
	if err != nil {
		return err
	}
	var failed []error
	for i, row := range rows {
		if known[i] != nil {
			continue
		}
		if err := q.adopt(ctx, row, pass); err != nil {
			failed = append(failed, fmt.Errorf("task %d: %w", row.ID, err))
		}
	}
	return errors.Join(failed...)
}

// adopt adds the task of a row. One that is processing was lost while a worker had
// it; its attempt ends first, so that the worker can't end it later.
func (q *Queue) adopt(ctx context.Context, row impl.TaskRow, pass *impl.Pass) error {
	if row.State == impl.TaskProcessing {
		switch state, err := q.endByReaper(ctx, impl.Task{ID: row.ID, Attempt: row.Attempt}); {
		case err != nil:
			return err
		case state == impl.TaskDead:
			pass.Dead = append(pass.Dead, row.ID)
			return nil
		case state == "":
			return nil // it ended by itself, or another reaper is at it
		}
	}
	pushed, err := q.push(ctx, row.ID, row.Attempt)
	if pushed {
		pass.Added = append(pass.Added, row.ID)
	}
	return err
}
