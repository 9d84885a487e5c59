package naive

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/racebench/racebench/impl"
	"github.com/redis/go-redis/v9"
)

// Jobs implements [impl.Jobs] by reading, deciding, then writing.
type Jobs struct {
	rdb redis.UniversalClient
	cfg impl.JobsConfig
}

var _ impl.Jobs = (*Jobs)(nil)

// NewJobs returns jobs kept in rdb, or [impl.ErrInvalid] for a configuration
// that can never work. It accepts a PointerTTL below the Deadline.
func NewJobs(rdb redis.UniversalClient, cfg impl.JobsConfig) (*Jobs, error) {
	cfg, err := cfg.Prepare()
	if err != nil {
		return nil, fmt.Errorf("naive jobs: %w", err)
	}
	return &Jobs{rdb: rdb, cfg: cfg}, nil
}

// Start returns the job that the pointer names if its status is RUNNING, else
// it creates one.
//
// Limits: two calls that both read before either writes create two jobs, and
// the pointer names the later one. A process that dies on the way leaves a hash
// without a TTL, or a hash that no pointer names.
func (j *Jobs) Start(ctx context.Context, target string, total int) (impl.Acquired, error) {
	if err := impl.CheckStart(target, total); err != nil {
		return impl.Acquired{}, fmt.Errorf("start: %w", err)
	}
	running, err := j.running(ctx, target)
	if err != nil {
		return impl.Acquired{}, fmt.Errorf("start %s: %w", target, err)
	}
	if running != (impl.Job{}) {
		return impl.Acquired{Job: running, Reused: true}, nil
	}

	job, err := j.cfg.NewJob(target)
	if err != nil {
		return impl.Acquired{}, fmt.Errorf("start %s: %w", target, err)
	}
	if err := j.Create(ctx, job, total); err != nil {
		return impl.Acquired{}, fmt.Errorf("start %s: %w", target, err)
	}
	if err := j.rdb.Set(ctx, job.PointerKey(), job.ID, j.cfg.PointerTTL).Err(); err != nil {
		return impl.Acquired{}, fmt.Errorf("start %s: set pointer: %w", target, err)
	}
	j.cfg.StartWorker(ctx, job, total)
	return impl.Acquired{Job: job}, nil
}

// running returns the job that the pointer of target names if it is RUNNING,
// else the zero Job.
func (j *Jobs) running(ctx context.Context, target string) (impl.Job, error) {
	id, err := j.rdb.Get(ctx, impl.PointerKey(target)).Result()
	if errors.Is(err, redis.Nil) {
		return impl.Job{}, nil
	}
	if err != nil {
		return impl.Job{}, fmt.Errorf("get pointer: %w", err)
	}
	job := impl.Job{Target: target, ID: id}
	status, err := j.rdb.HGet(ctx, job.Key(), impl.FieldStatus).Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		return impl.Job{}, fmt.Errorf("read job %s: %w", job, err)
	}
	if impl.JobState(status) != impl.JobRunning {
		return impl.Job{}, nil
	}
	return job, nil
}

// Create stores the hash of a new job and gives it its TTL, in two commands. It
// is one part of Start, exported for setnx, which does the other part differently.
func (j *Jobs) Create(ctx context.Context, job impl.Job, total int) error {
	if err := j.rdb.HSet(ctx, job.Key(), impl.NewJobHash(total, j.cfg.Now())...).Err(); err != nil {
		return fmt.Errorf("create job %s: %w", job, err)
	}
	if err := j.rdb.Expire(ctx, job.Key(), j.cfg.JobTTL).Err(); err != nil {
		return fmt.Errorf("expire job %s: %w", job, err)
	}
	return nil
}

// Progress counts the item and stores its text; the results get the TTL of a job.
//
// Limits: it does not look at the status, so a job that has ended goes on
// growing, and one whose TTL has passed comes back as a hash without a TTL. An
// item reported twice counts twice.
func (j *Jobs) Progress(ctx context.Context, job impl.Job, item int, text string) error {
	if err := impl.CheckItem(item); err != nil {
		return fmt.Errorf("progress of %s: %w", job, err)
	}
	if err := j.rdb.HIncrBy(ctx, job.Key(), impl.FieldProcessed, 1).Err(); err != nil {
		return fmt.Errorf("progress of %s: count: %w", job, err)
	}
	if err := j.rdb.HSet(ctx, job.ResultsKey(), strconv.Itoa(item), text).Err(); err != nil {
		return fmt.Errorf("progress of %s: store item %d: %w", job, item, err)
	}
	// The results key exists only from the HSET on, so its TTL comes last.
	if err := j.rdb.Expire(ctx, job.ResultsKey(), j.cfg.JobTTL).Err(); err != nil {
		return fmt.Errorf("progress of %s: expire results: %w", job, err)
	}
	return nil
}

// Succeed writes SUCCESS and deletes the pointer of the target.
//
// Limits: it looks neither at the status, so FAILED becomes SUCCESS, nor at
// the pointer, which may name a newer job.
func (j *Jobs) Succeed(ctx context.Context, job impl.Job) error {
	return j.end(ctx, job, impl.JobSuccess)
}

// Fail writes FAILED and deletes the pointer of the target. It has the limits
// of [Jobs.Succeed].
func (j *Jobs) Fail(ctx context.Context, job impl.Job) error {
	return j.end(ctx, job, impl.JobFailed)
}

func (j *Jobs) end(ctx context.Context, job impl.Job, state impl.JobState) error {
	if err := j.rdb.HSet(ctx, job.Key(), impl.FieldStatus, string(state)).Err(); err != nil {
		return fmt.Errorf("set job %s to %s: %w", job, state, err)
	}
	if err := j.rdb.Del(ctx, job.PointerKey()).Err(); err != nil {
		return fmt.Errorf("delete pointer of %s: %w", job.Target, err)
	}
	return nil
}

// Status reads the job and, if it is overdue, writes FAILED and deletes the
// pointer of the target.
//
// Limits: what it read may be over when it writes, so SUCCESS can become
// FAILED, and the pointer it deletes may name a newer job.
func (j *Jobs) Status(ctx context.Context, job impl.Job) (impl.JobStatus, error) {
	hash, err := j.rdb.HGetAll(ctx, job.Key()).Result()
	if err != nil {
		return impl.JobStatus{}, fmt.Errorf("read job %s: %w", job, err)
	}
	status, err := impl.ParseJobHash(job, hash)
	if err != nil {
		return impl.JobStatus{}, err
	}
	if j.cfg.Overdue(status) {
		if err := j.end(ctx, job, impl.JobFailed); err != nil {
			return impl.JobStatus{}, err
		}
		status.State = impl.JobFailed
	}
	return status, nil
}
