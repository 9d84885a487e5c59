package scenarios

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/racebench/racebench/impl"
)

// What a process of these scenarios can do. Each notes what came of it; a refusal is such an outcome and no error.

// comesAfter lets a request come some time after the world began, so that it reads the clock then and not before.
func comesAfter(d time.Duration) func(*process) error {
	return func(p *process) error {
		select {
		case <-time.After(d):
			return nil
		case <-p.actor.Context().Done():
			return p.actor.Context().Err()
		}
	}
}

// start starts a job of the target and notes which it got.
func (p *process) start() error {
	got, err := p.jobs.Start(p.actor.Context(), p.target, items)
	if err != nil {
		return err
	}
	p.own = got.Job
	if got.Reused {
		p.actor.Note(noteReused, got.ID)
	} else {
		p.actor.Note(noteAcquired, got.ID)
	}
	return nil
}

// succeed ends a job as SUCCESS.
func (p *process) succeed(job impl.Job) error {
	return p.refusal(job, p.jobs.Succeed(p.actor.Context(), job))
}

// fail ends a job as FAILED.
func (p *process) fail(job impl.Job) error {
	return p.refusal(job, p.jobs.Fail(p.actor.Context(), job))
}

// report reports items of a job.
func (p *process) report(job impl.Job, list ...int) error {
	for _, item := range list {
		if err := p.refusal(job, p.jobs.Progress(p.actor.Context(), job, item, textOf(job, item))); err != nil {
			return err
		}
	}
	return nil
}

// poll asks for the status of a job.
func (p *process) poll(job impl.Job) error {
	status, err := p.jobs.Status(p.actor.Context(), job)
	if err != nil {
		return p.refusal(job, err)
	}
	p.actor.Note(noteState, job.ID+": "+string(status.State))
	return nil
}

// apply writes the results of a job to the database.
func (p *process) apply(job impl.Job) error {
	n, err := p.jobs.Apply(p.actor.Context(), job, p.actor.SQL())
	if err != nil {
		return p.refusal(job, err)
	}
	p.actor.Note(noteApplied, strconv.Itoa(n))
	return nil
}

// refusal notes an error by which an implementation refuses, as it should, and returns any other.
func (p *process) refusal(job impl.Job, err error) error {
	var refused *impl.RefusedError
	if errors.As(err, &refused) {
		p.actor.Note(noteRefused, fmt.Sprintf("%s: it is %s", job.ID, refused.Met))
		return nil
	}
	for _, sentinel := range []error{impl.ErrNotOwner, impl.ErrIncomplete, impl.ErrAlreadyApplied, impl.ErrNotFound} {
		if errors.Is(err, sentinel) {
			p.actor.Note(noteRefused, job.ID+": "+sentinel.Error())
			return nil
		}
	}
	return err
}

// textOf is the result of an item, which says what it is of.
func textOf(job impl.Job, item int) string { return fmt.Sprintf("text %d of %s", item, job.ID) }

// jobOfText is the job that a text of textOf comes from.
func jobOfText(target, text string) (impl.Job, bool) {
	_, id, ok := strings.Cut(text, " of ")
	return impl.Job{Target: target, ID: id}, ok
}
