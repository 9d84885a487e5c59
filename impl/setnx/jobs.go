// Package setnx holds the tempting half-measure: the pointer is claimed
// atomically with SET NX, and everything else is done as in package naive.
package setnx

import (
	"context"
	"errors"
	"fmt"

	"github.com/racebench/racebench/impl"
	"github.com/racebench/racebench/impl/naive"
	"github.com/redis/go-redis/v9"
)

// Jobs implements [impl.Jobs] like [naive.Jobs], except for Start.
type Jobs struct {
	*naive.Jobs
	rdb redis.UniversalClient
	cfg impl.JobsConfig
}

var _ impl.Jobs = (*Jobs)(nil)

// NewJobs returns jobs kept in rdb, or [impl.ErrInvalid] for a configuration
// that can never work. It accepts a PointerTTL below the Deadline.
func NewJobs(rdb redis.UniversalClient, cfg impl.JobsConfig) (*Jobs, error) {
	cfg, err := cfg.Prepare()
	if err != nil {
		return nil, fmt.Errorf("setnx jobs: %w", err)
	}
	rest, err := naive.NewJobs(rdb, cfg)
	if err != nil {
		return nil, fmt.Errorf("setnx jobs: %w", err)
	}
	return &Jobs{Jobs: rest, rdb: rdb, cfg: cfg}, nil
}

// Start claims the pointer with SET NX and, if it got it, creates the job; else
// it returns the job that the pointer names.
//
// Two calls never both create a job. Limits: a process that dies after the
// claim leaves a pointer without a hash, and every later call returns that job,
// which does not exist, until the pointer's TTL passes. The same happens to a
// caller who uses the returned job before its creator has written the hash.
func (j *Jobs) Start(ctx context.Context, target string, total int) (impl.Acquired, error) {
	if err := impl.CheckStart(target, total); err != nil {
		return impl.Acquired{}, fmt.Errorf("start: %w", err)
	}
	job, err := j.cfg.NewJob(target)
	if err != nil {
		return impl.Acquired{}, fmt.Errorf("start %s: %w", target, err)
	}
	claimed, err := j.rdb.SetNX(ctx, job.PointerKey(), job.ID, j.cfg.PointerTTL).Result()
	if err != nil {
		return impl.Acquired{}, fmt.Errorf("start %s: claim pointer: %w", target, err)
	}
	if !claimed {
		return j.reuse(ctx, target)
	}
	if err := j.Create(ctx, job, total); err != nil {
		return impl.Acquired{}, fmt.Errorf("start %s: %w", target, err)
	}
	j.cfg.StartWorker(ctx, job, total)
	return impl.Acquired{Job: job}, nil
}

// reuse returns the job that holds the pointer, whatever its hash says: between
// claim and creation there is none to ask.
func (j *Jobs) reuse(ctx context.Context, target string) (impl.Acquired, error) {
	id, err := j.rdb.Get(ctx, impl.PointerKey(target)).Result()
	if errors.Is(err, redis.Nil) {
		return impl.Acquired{}, fmt.Errorf("start %s: %w: it went away after the claim was refused", target, impl.ErrContended)
	}
	if err != nil {
		return impl.Acquired{}, fmt.Errorf("start %s: get pointer: %w", target, err)
	}
	return impl.Acquired{Job: impl.Job{Target: target, ID: id}, Reused: true}, nil
}
