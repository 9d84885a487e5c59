package naive

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/racebench/racebench/impl"
	"github.com/redis/go-redis/v9"
)

// requeueRow is the guard of the reaper: id, limit.
const requeueRow = `UPDATE tasks SET status = 'pending', retry_count = retry_count + 1, started_at = NULL
	WHERE id = ? AND status = 'processing' AND started_at < ?`

// Reap looks at every active entry. When its start time is more than the Timeout
// ago by the clock of this process, it makes the row pending again and, if that
// changed one row, removes the entry and its start time and pushes the id to ready.
//
// Limits: an entry without a start time, or whose row is not processing, is
// skipped, this time and ever after. A process that dies after the row was
// changed leaves such an entry; one that dies before the push loses the task.
// An entry that is no task ends the pass, and nothing behind it is looked at.
func (q *Queue) Reap(ctx context.Context) (impl.Pass, error) {
	var pass impl.Pass
	if q.opt.Legacy {
		return pass, nil // nothing remembers what is active
	}
	active, err := q.rdb.LRange(ctx, q.cfg.ActiveKey(), 0, -1).Result()
	if err != nil {
		return pass, fmt.Errorf("reap: list active: %w", err)
	}
	for _, payload := range active {
		if err := q.reap(ctx, payload, &pass); err != nil {
			return pass, fmt.Errorf("reap: %w", err)
		}
	}
	return pass, nil
}

func (q *Queue) reap(ctx context.Context, payload string, pass *impl.Pass) error {
	id, err := parseTask(payload)
	if err != nil {
		return err
	}
	started, err := q.rdb.HGet(ctx, q.cfg.StartAtKey(), payload).Result()
	if errors.Is(err, redis.Nil) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read start time of task %d: %w", id, err)
	}
	at, err := strconv.ParseInt(started, 10, 64)
	if err != nil {
		return fmt.Errorf("%w: start time %q of task %d", impl.ErrCorrupt, started, id)
	}
	limit := q.cfg.Now().Add(-q.cfg.Timeout).UnixMilli()
	if at >= limit {
		return nil
	}
	pass.Stale++
	changed, err := q.db.ExecContext(ctx, requeueRow, id, limit)
	if err != nil {
		return fmt.Errorf("requeue row of task %d: %w", id, err)
	}
	rows, err := changed.RowsAffected()
	if err != nil {
		return fmt.Errorf("requeue row of task %d: %w", id, err)
	}
	if rows != 1 && !q.opt.NoRowGuard {
		return nil
	}
	if err := q.forget(ctx, payload); err != nil {
		return err
	}
	if err := q.rdb.LPush(ctx, q.cfg.ReadyKey(), payload).Err(); err != nil {
		return fmt.Errorf("requeue task %d: push: %w", id, err)
	}
	pass.Requeued = append(pass.Requeued, id)
	return nil
}
