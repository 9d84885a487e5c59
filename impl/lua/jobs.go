package lua

import (
	"context"
	"fmt"

	"github.com/racebench/racebench/impl"
	"github.com/redis/go-redis/v9"
)

// Jobs implements [impl.Jobs] with one script an operation.
//
// It keeps these promises in every order of calls and with a crash anywhere: at
// most one RUNNING job of a target owns the pointer; a job that has ended never
// changes; SUCCESS implies that the job owned the pointer; the pointer is
// deleted only by its owner.
type Jobs struct {
	rdb redis.UniversalClient
	cfg impl.JobsConfig
}

var _ impl.Jobs = (*Jobs)(nil)

// NewJobs returns jobs kept in rdb. It returns [impl.ErrInvalid] for a
// configuration that can never work and [impl.ErrShortPointer] for a PointerTTL
// below the Deadline, unless AllowShortPointer is set: a pointer that expires
// while its job runs lets a second one start, and the first can no longer succeed.
func NewJobs(rdb redis.UniversalClient, cfg impl.JobsConfig) (*Jobs, error) {
	cfg, err := cfg.Prepare()
	if err != nil {
		return nil, fmt.Errorf("lua jobs: %w", err)
	}
	if cfg.PointerTTL < cfg.Deadline && !cfg.AllowShortPointer {
		return nil, fmt.Errorf("lua jobs: %w: PointerTTL %v, Deadline %v", impl.ErrShortPointer, cfg.PointerTTL, cfg.Deadline)
	}
	return &Jobs{rdb: rdb, cfg: cfg}, nil
}

// Succeed ends the job as SUCCESS and gives the pointer back, if the job is
// RUNNING and owns the pointer. Sent again after a lost reply it returns nil.
//
// It refuses a FAILED job with [impl.ErrRefused], and a RUNNING one that the
// pointer does not name with [impl.ErrNotOwner]: that one stays RUNNING until
// Fail or its deadline ends it.
func (j *Jobs) Succeed(ctx context.Context, job impl.Job) error {
	return j.transition(ctx, job, impl.JobSuccess, "succeed")
}

// Fail ends the job as FAILED, if it is RUNNING, and gives the pointer back if
// the job owns it; the pointer of a newer job stays. Sent again it returns nil.
// It refuses a SUCCESS job with [impl.ErrRefused].
func (j *Jobs) Fail(ctx context.Context, job impl.Job) error {
	return j.transition(ctx, job, impl.JobFailed, "fail")
}

func (j *Jobs) transition(ctx context.Context, job impl.Job, to impl.JobState, op string) error {
	r, err := run(ctx, j.rdb, transitionScript,
		[]string{job.Key(), job.PointerKey()},
		string(impl.JobRunning), string(to), job.ID)
	if err != nil {
		return fmt.Errorf("%s job %s: %w", op, job, err)
	}
	switch r.code {
	case codeDone, codeAlready:
		return nil
	case codeNotOwner:
		return fmt.Errorf("%s job %s: %w: it names %q", op, job, impl.ErrNotOwner, r.detail)
	}
	return r.jobError(job, op)
}

// jobError turns the codes that several scripts share into errors.
func (r reply) jobError(job impl.Job, op string) error {
	switch r.code {
	case codeRefused:
		return &impl.RefusedError{Job: job, Op: op, Met: impl.JobState(r.detail)}
	case codeNotFound:
		return fmt.Errorf("%s job %s: %w", op, job, impl.ErrNotFound)
	}
	return fmt.Errorf("%s job %s: %w", op, job, r.unexpected())
}
