package lua

import (
	"context"
	"errors"
	"fmt"

	"github.com/racebench/racebench/impl"
)

// Progress stores the text of the item and counts it, in one step and only
// while the job is RUNNING. An item reported again keeps its last text and is
// counted once, so a call may be repeated after a lost reply.
//
// It refuses a job that has ended with [impl.ErrRefused], and an item that the
// job does not have with [impl.ErrInvalid]. It does not ask for the pointer: a
// job that lost it may go on, but cannot succeed.
func (j *Jobs) Progress(ctx context.Context, job impl.Job, item int, text string) error {
	if err := impl.CheckItem(item); err != nil {
		return fmt.Errorf("progress of %s: %w", job, err)
	}
	r, err := run(ctx, j.rdb, progressScript, []string{job.Key(), job.ResultsKey()}, item, text)
	if err != nil {
		return fmt.Errorf("progress of %s: %w", job, err)
	}
	switch r.code {
	case codeDone:
		return nil
	case codeRange:
		return fmt.Errorf("progress of %s: %w: item %d of a job of %s items", job, impl.ErrInvalid, item, r.detail)
	}
	return r.jobError(job, "progress")
}

// Status reads the job; if it is overdue, it asks for the transition to FAILED
// and, when the job has ended otherwise in the meantime, reads again and
// reports that end.
//
// The reading and the transition are two steps on purpose: polls are many and
// stay plain reads. Nothing is lost by it, because a deadline once passed stays
// passed, and the script decides on the status of its own moment. The clock is
// that of the caller, as for created_at; clocks that differ shift the deadline
// by their difference.
func (j *Jobs) Status(ctx context.Context, job impl.Job) (impl.JobStatus, error) {
	status, err := j.read(ctx, job)
	if err != nil || !j.cfg.Overdue(status) {
		return status, err
	}
	err = j.transition(ctx, job, impl.JobFailed, "fail")
	if errors.Is(err, impl.ErrRefused) {
		return j.read(ctx, job)
	}
	if err != nil {
		return impl.JobStatus{}, err
	}
	status.State = impl.JobFailed
	return status, nil
}

func (j *Jobs) read(ctx context.Context, job impl.Job) (impl.JobStatus, error) {
	hash, err := j.rdb.HGetAll(ctx, job.Key()).Result()
	if err != nil {
		return impl.JobStatus{}, fmt.Errorf("read job %s: %w", job, err)
	}
	return impl.ParseJobHash(job, hash)
}
