package impl

import (
	"context"
	"fmt"
	"strings"
)

// Queue hands each task to one worker at a time, and its row in a database says
// how far it is. A worker that dies leaves its task to the reaper, which puts it
// back when it has been active for too long.
//
// What each operation promises when calls run one after the other is said here;
// what is left of it when they overlap, or when a process dies, is said by each
// implementation.
type Queue interface {
	// Add makes the row of a new task, pending, and puts the task into the queue.
	Add(ctx context.Context, id int64) error

	// Work takes one task, waiting for it up to the Poll of its configuration,
	// calls handle, and records what came of it. The name of the worker is its own
	// among all that live. Work is not Found when there was no task.
	//
	// That handle failed is no error of Work: it is in the answer.
	Work(ctx context.Context, worker string, handle Handler) (Work, error)

	// Reap makes one pass of the reaper. Any number may run, at any time.
	Reap(ctx context.Context) (Pass, error)
}

// Handler executes a task. It may be called more than once for a task: what it
// does elsewhere should be conditional on the attempt, or harmless when repeated.
type Handler func(ctx context.Context, task Task) (result string, err error)

// Task is one attempt at one task.
type Task struct {
	ID      int64
	Attempt int64 // from 1, another one each time the task is taken; 0 from naive, which does not count
}

// String is "task 7", or "task 7, attempt 2".
func (t Task) String() string {
	if t.Attempt == 0 {
		return fmt.Sprintf("task %d", t.ID)
	}
	return fmt.Sprintf("task %d, attempt %d", t.ID, t.Attempt)
}

// TaskState is the status of a row.
type TaskState string

// The states of a row. Done and dead are never left; failed is what naive makes
// of a task that failed, and nothing ever happens to it again.
const (
	TaskPending    TaskState = "pending"
	TaskProcessing TaskState = "processing"
	TaskDone       TaskState = "done"
	TaskDead       TaskState = "dead"
	TaskFailed     TaskState = "failed"
)

// Work is what one call of [Queue.Work] did.
type Work struct {
	Found bool // there was a task
	Task  Task
	State TaskState // of the row now: done; pending when it will be tried again; dead, or failed
	Cause error     // by which handle failed
}

// Pass is what one call of [Queue.Reap] did.
type Pass struct {
	Stale    int     // entries that had been active for too long
	Requeued []int64 // tasks put back, to be tried again
	Dead     []int64 // tasks given up: tried too often, or without a row
	Done     []int64 // tasks that were done, and whose worker died before it could say so here
	Added    []int64 // tasks with a row that the queue had never heard of, or had forgotten
	Aside    int     // entries that were no tasks, put among the dead
}

// String is the reaper's line in a log: "reaper: 1 stale; requeued 7".
func (p Pass) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "reaper: %d stale", p.Stale)
	for _, part := range []struct {
		what string
		ids  []int64
	}{{"requeued", p.Requeued}, {"dead", p.Dead}, {"done", p.Done}, {"added", p.Added}} {
		if len(part.ids) > 0 {
			fmt.Fprintf(&b, "; %s %s", part.what, strings.Trim(fmt.Sprint(part.ids), "[]"))
		}
	}
	if p.Aside > 0 {
		fmt.Fprintf(&b, "; %d malformed", p.Aside)
	}
	return b.String()
}

// AttemptError is the [ErrAttemptLost] of one call of [Queue.Work]. What the
// attempt produced is not recorded.
type AttemptError struct {
	Task Task
	Op   string  // "begin", "finish" or "fail"
	Met  TaskRow // its State is "" when there is none
}

// Error names the attempt and what the row says instead.
func (e *AttemptError) Error() string {
	if e.Met.State == "" {
		return fmt.Sprintf("%s: %s: %v: it has no row", e.Task, e.Op, ErrAttemptLost)
	}
	return fmt.Sprintf("%s: %s: %v: the row is %s, attempt %d", e.Task, e.Op, ErrAttemptLost, e.Met.State, e.Met.Attempt)
}

// Is makes errors.Is(err, ErrAttemptLost) true.
func (e *AttemptError) Is(target error) bool { return target == ErrAttemptLost }
