package lua

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/racebench/racebench/impl"
	"github.com/redis/go-redis/v9"
)

// claim is a task that a worker has, and since when.
type claim struct {
	impl.Task
	takenAt int64 // milliseconds of the server's clock
}

// Work takes a task, says processing in its row, calls handle, ends the attempt
// in the row and then in the queue. What handle returned is recorded also when ctx
// has ended meanwhile; a worker that is told to stop should let handle fail, and
// its task is tried again at once.
//
// An attempt that is over by then, since it took longer than the Timeout, is refused:
// [impl.ErrAttemptLost], and its result is dropped.
//
// After an error of Redis or of the database the task may be taken, begun or
// ended, and stays the worker's: the next Work of the same name gets the same
// attempt again, and goes on where the row says. If there is none, a reaper takes
// it after the Timeout. When only the last step failed, the answer is found, with
// its state, beside the error: the row has ended the attempt, and the queue follows
// when the worker, or a reaper, comes by.
//
// While nothing is ready, Work waits on a list that has an element for each
// task that was put into ready, and so wakes one worker for each. That is only a hint: moving a task and
// stamping it has to be one script, and a script can't wait. A worker that dies
// with the hint in hand costs the others Poll and no task.
func (q *Queue) Work(ctx context.Context, worker string, handle impl.Handler) (impl.Work, error) {
	if err := impl.CheckWorker(worker); err != nil {
		return impl.Work{}, fmt.Errorf("work: %w", err)
	}
	c, found, err := q.claim(ctx, worker)
	if err == nil && !found {
		if err := q.rdb.BLPop(ctx, q.cfg.Poll, q.cfg.WakeKey()).Err(); err != nil && !errors.Is(err, redis.Nil) {
			return impl.Work{}, fmt.Errorf("wait for a task: %w", err)
		}
		c, found, err = q.claim(ctx, worker)
	}
	if err != nil {
		return impl.Work{}, fmt.Errorf("claim for %s: %w", worker, err)
	}
	if !found {
		return impl.Work{}, nil
	}
	if ended, err := q.begin(ctx, c, worker); err != nil || ended != "" {
		return impl.Work{Found: true, Task: c.Task, State: ended}, err
	}
	result, cause := handle(ctx, c.Task)
	return q.end(context.WithoutCancel(ctx), c.Task, worker, result, cause)
}

// claim takes the next task, or the one again that the worker has.
func (q *Queue) claim(ctx context.Context, worker string) (c claim, found bool, err error) {
	keys := []string{q.cfg.ReadyKey(), q.cfg.ActiveKey(), q.cfg.AttemptsKey(), q.cfg.DoneKey(), q.cfg.DeadKey(), q.cfg.WakeKey(), q.cfg.ClaimKey(worker)}
	for {
		r, err := run(ctx, q.rdb, queueClaimScript, keys, 2*q.cfg.Timeout.Milliseconds())
		switch {
		case err != nil:
			return claim{}, false, err
		case r.code == codeEmpty:
			return claim{}, false, nil
		case r.code == codeAgain:
			continue
		case r.code != codeDone || len(r.rest) != 2:
			return claim{}, false, r.unexpected()
		}
		c, err := parseClaim(r)
		return c, err == nil, err
	}
}

func parseClaim(r reply) (c claim, err error) {
	for _, number := range []struct {
		text string
		into *int64
	}{{r.detail, &c.ID}, {r.rest[0], &c.Attempt}, {r.rest[1], &c.takenAt}} {
		if *number.into, err = strconv.ParseInt(number.text, 10, 64); err != nil {
			return claim{}, fmt.Errorf("%w: claim %q %q", impl.ErrCorrupt, r.detail, r.rest)
		}
	}
	return c, nil
}

// begin says in the row that the attempt is the worker's and runs. If the row does
// not let it, the attempt is over, and the queue is made to agree; ended is set when
// it was this worker who had ended it.
func (q *Queue) begin(ctx context.Context, c claim, worker string) (ended impl.TaskState, err error) {
	begun, err := q.change(ctx, beginRow, c.takenAt, c.Attempt, worker, c.ID, c.Attempt)
	if err != nil {
		return "", fmt.Errorf("begin %s: %w", c.Task, err)
	}
	if begun {
		return "", nil
	}
	row, _, err := q.follow(ctx, c.Task)
	if err != nil {
		return "", fmt.Errorf("begin %s: %w", c.Task, err)
	}
	own := row.Attempt == c.Attempt && row.Worker == worker
	switch {
	case own && row.State == impl.TaskProcessing:
		return "", nil // this call was sent twice, or the worker was here before
	case own && row.State == impl.TaskDone:
		return impl.TaskDone, nil // and could not tell the queue then
	case row.Attempt == c.Attempt && row.State == impl.TaskProcessing:
		// Redis forgot a claim, in a failover, and gave the number out again. The
		// one who has begun has it; this worker must be free to take another.
		if err := q.rdb.Del(ctx, q.cfg.ClaimKey(worker)).Err(); err != nil {
			return "", fmt.Errorf("let go of %s: %w", c.Task, err)
		}
	}
	return "", &impl.AttemptError{Task: c.Task, Op: "begin", Met: row}
}

// end ends the attempt: in the row, which may refuse, and then in the queue.
func (q *Queue) end(ctx context.Context, task impl.Task, worker, result string, cause error) (work impl.Work, err error) {
	work = impl.Work{Found: true, Task: task, Cause: cause}
	op := "finish"
	if cause == nil {
		work.State, err = q.finish(ctx, task, worker, result)
	} else {
		op = "fail"
		work.State, err = q.endByWorker(ctx, task, worker, cause.Error())
	}
	if err == nil && work.State != "" {
		_, err = q.settle(ctx, task, places[work.State], task.Attempt)
	} else if err == nil {
		work.State, err = q.refused(ctx, task, worker, op)
	}
	if err != nil {
		return work, fmt.Errorf("%s %s: %w", op, task, err)
	}
	return work, nil
}

// refused is for a worker whose row did not let it end its attempt: it was ended
// before, by somebody else or by this very call, sent twice.
func (q *Queue) refused(ctx context.Context, task impl.Task, worker, op string) (impl.TaskState, error) {
	row, _, err := q.follow(ctx, task)
	if err != nil {
		return "", err
	}
	twice := row.State == impl.TaskDone && row.Worker == worker
	if op == "fail" { // it is to be tried again, or dead: who wrote so makes no difference
		twice = row.State == impl.TaskPending || row.State == impl.TaskDead
	}
	if row.Attempt == task.Attempt && twice {
		return row.State, nil
	}
	return "", &impl.AttemptError{Task: task, Op: op, Met: row}
}
