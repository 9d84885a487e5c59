package lua

import (
	"context"
	"fmt"

	"github.com/racebench/racebench/impl"
)

// The statements that move a row from one attempt to the next. Each is one
// UPDATE whose WHERE decides, so that of all who want to end an attempt one
// changes the row and the others change nothing. They are plain enough for
// SQLite, MySQL and MariaDB.
const (
	// begin: started_at, attempt, worker, id, attempt.
	beginRow = `UPDATE tasks SET status = 'processing', started_at = ?, attempt = ?, worker = ?
		WHERE id = ? AND status = 'pending' AND attempt < ?`

	// The worker of the attempt ends it: …, id, attempt, worker.
	ownAttempt = ` WHERE id = ? AND status = 'processing' AND attempt = ? AND worker = ?`
	finishRow  = `UPDATE tasks SET status = 'done', result = ?, finished_at = ?` + ownAttempt
	failRow    = `UPDATE tasks SET status = 'pending', retry_count = retry_count + 1, started_at = NULL, worker = NULL, result = ?` +
		ownAttempt + ` AND retry_count < ?`
	giveUpRow = `UPDATE tasks SET status = 'dead', result = ?, finished_at = ?` + ownAttempt + ` AND retry_count >= ?`

	// The reaper ends an attempt, begun or not: attempt, …, id, attempt, attempt, retries.
	anyAttempt = ` WHERE id = ? AND (status = 'processing' AND attempt <= ? OR status = 'pending' AND attempt < ?)`
	reclaimRow = `UPDATE tasks SET attempt = ?, status = 'pending', retry_count = retry_count + 1, started_at = NULL, worker = NULL` +
		anyAttempt + ` AND retry_count < ?`
	buryRow = `UPDATE tasks SET attempt = ?, status = 'dead', finished_at = ?` + anyAttempt + ` AND retry_count >= ?`
)

// change executes a statement and reports whether it changed a row.
func (q *Queue) change(ctx context.Context, statement string, args ...any) (bool, error) {
	result, err := q.db.ExecContext(ctx, statement, args...)
	if err != nil {
		return false, err
	}
	n, err := result.RowsAffected()
	return n > 0, err
}

// The writes below return the state that they have put the row into, and "" when the
// row did not let them.

// finish writes that the worker's attempt is done.
func (q *Queue) finish(ctx context.Context, task impl.Task, worker, result string) (impl.TaskState, error) {
	ended, err := q.change(ctx, finishRow, result, q.cfg.Now().UnixMilli(), task.ID, task.Attempt, worker)
	return ifSo(ended, impl.TaskDone), err
}

// endByWorker writes that the worker's attempt failed: to be tried again, or dead.
func (q *Queue) endByWorker(ctx context.Context, task impl.Task, worker, cause string) (impl.TaskState, error) {
	ended, err := q.change(ctx, failRow, cause, task.ID, task.Attempt, worker, q.cfg.MaxRetries)
	if ended || err != nil {
		return ifSo(ended, impl.TaskPending), err
	}
	ended, err = q.change(ctx, giveUpRow, cause, q.cfg.Now().UnixMilli(), task.ID, task.Attempt, worker, q.cfg.MaxRetries)
	return ifSo(ended, impl.TaskDead), err
}

// endByReaper writes that an attempt is over, whoever has it: to be tried again, or dead.
func (q *Queue) endByReaper(ctx context.Context, task impl.Task) (impl.TaskState, error) {
	n := task.Attempt
	ended, err := q.change(ctx, reclaimRow, n, task.ID, n, n, q.cfg.MaxRetries)
	if ended || err != nil {
		return ifSo(ended, impl.TaskPending), err
	}
	ended, err = q.change(ctx, buryRow, n, q.cfg.Now().UnixMilli(), task.ID, n, n, q.cfg.MaxRetries)
	return ifSo(ended, impl.TaskDead), err
}

func ifSo(changed bool, state impl.TaskState) impl.TaskState {
	if changed {
		return state
	}
	return ""
}

// places are where in the queue a task is whose row has ended an attempt.
var places = map[impl.TaskState]string{
	impl.TaskPending: toReady,
	impl.TaskDone:    toDone,
	impl.TaskDead:    toDead,
}

// follow makes the queue agree with the row of a task whose given attempt is
// active, or was a moment ago: the row is the truth about how an attempt ended. It
// returns the row, the zero one when there is none, and the place that it settled
// the attempt to, "" when this call settled nothing.
func (q *Queue) follow(ctx context.Context, task impl.Task) (row impl.TaskRow, to string, err error) {
	row, found, err := impl.ReadTask(ctx, q.db, task.ID)
	if err != nil {
		return row, "", err
	}
	to = places[row.State]
	switch {
	case !found:
		to = toDead // without a row nobody could say how it ends
	case row.State == impl.TaskProcessing, row.State == impl.TaskPending && row.Attempt < task.Attempt:
		return row, "", nil // the attempt goes on, or a later one does
	case to == "":
		return row, "", fmt.Errorf("%w: row of %s is %q", impl.ErrCorrupt, task, row.State)
	}
	settled, err := q.settle(ctx, task, to, row.Attempt)
	if err != nil || !settled {
		return row, "", err
	}
	return row, to, nil
}
