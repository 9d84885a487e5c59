package scenarios

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/racebench/racebench/impl"
)

// What a process of these scenarios can do.

// later lets a process come some time after the world began.
func later(d time.Duration) func(*queueProcess) error {
	return func(p *queueProcess) error {
		return comesAfter(d)(&process{actor: p.actor})
	}
}

// add adds a task.
func add(id int64) func(*queueProcess) error {
	return func(p *queueProcess) error { return p.queue.Add(p.actor.Context(), id) }
}

// reap makes one pass of the reaper and notes its line of the log, or why it came to no end.
func (p *queueProcess) reap() error {
	pass, err := p.queue.Reap(p.actor.Context())
	if errors.Is(err, impl.ErrCorrupt) {
		p.actor.Note(noteBroken, err.Error())
		return nil
	}
	if err == nil {
		p.actor.Note(noteReaper, pass.String())
	}
	return err
}

// work takes one task and executes it, unless none comes in time.
func (p *queueProcess) work() error {
	_, err := p.takes(p.execute)
	return err
}

// workAll takes tasks until none comes in time.
func (p *queueProcess) workAll() error { return p.takeAll(p.execute) }

// failOne and failAll are work and workAll of a worker whose calls fail.
func (p *queueProcess) failOne() error {
	_, err := p.takes(p.fail)
	return err
}

func (p *queueProcess) failAll() error { return p.takeAll(p.fail) }

func (p *queueProcess) takeAll(handle impl.Handler) error {
	for {
		found := false
		err := p.stubborn(func() (err error) {
			found, err = p.takes(handle)
			return err
		})
		if err != nil || !found {
			return err
		}
	}
}

// stubborn does something again after an error, as impl.RunWorker and impl.RunReaper do; here not for ever.
func (p *queueProcess) stubborn(do func() error) error {
	err := do()
	for range 2 {
		if err == nil || p.actor.Context().Err() != nil {
			break
		}
		p.actor.Note(noteError, err.Error())
		if err := later(time.Second)(p); err != nil {
			return err
		}
		err = do()
	}
	return err
}

// reapOn is reap, again after an error.
func (p *queueProcess) reapOn() error { return p.stubborn(p.reap) }

// execute is the slow call of a task.
func (p *queueProcess) execute(_ context.Context, task impl.Task) (string, error) {
	p.actor.Note(noteBegun, task.String())
	p.actor.Point(pointExecute)
	return "by " + p.actor.Name(), nil
}

// fail is a slow call that fails.
func (p *queueProcess) fail(ctx context.Context, task impl.Task) (string, error) {
	if _, err := p.execute(ctx, task); err != nil {
		return "", err
	}
	return "", errors.New("503 from the model")
}

// skewed sets the clock of the process.
func skewed(by time.Duration) func(*queueProcess) error {
	return func(p *queueProcess) error {
		if by != 0 {
			p.actor.Skew(by)
		}
		return nil
	}
}

// takes takes one task for a handler and notes what came of it. A refusal is an outcome and no error.
func (p *queueProcess) takes(handle impl.Handler) (found bool, err error) {
	work, err := p.queue.Work(p.actor.Context(), p.actor.Name(), handle)
	var waited net.Error
	switch {
	case errors.As(err, &waited) && waited.Timeout():
		p.actor.Note(noteWaited, err.Error()) // the clock jumped past what its client waits for a reply
		return false, nil
	case errors.Is(err, impl.ErrAttemptLost):
		p.actor.Note(noteLate, work.Task.String())
		return true, nil
	case errors.Is(err, impl.ErrCorrupt):
		p.actor.Note(noteMisfit, err.Error())
		return true, nil
	case err != nil || !work.Found:
		return false, err
	case work.Cause != nil:
		p.actor.Note(noteFailed, fmt.Sprintf("task %d: %s", work.Task.ID, work.State))
	case work.State == impl.TaskDone:
		p.actor.Note(noteEnded, fmt.Sprintf("task %d", work.Task.ID))
	}
	return true, nil
}
