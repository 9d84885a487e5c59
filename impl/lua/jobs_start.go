package lua

import (
	"context"
	"fmt"

	"github.com/racebench/racebench/impl"
)

// maxAcquireTries bounds the calls of one Start. Each further one means that
// another Start got the pointer in the meantime, so somebody always advances.
const maxAcquireTries = 8

// Start creates a job, its hash and the pointer in one step, or returns the
// RUNNING job that the pointer names. A free target costs one script call; a
// taken one costs a second, which names the job that the first one met (why:
// acquire.lua). Sent again after a lost reply it is the same acquisition.
//
// Limits: a process that dies after the script and before its worker runs
// leaves the job RUNNING, and its target taken, until a Status past the
// deadline fails it or the pointer expires. It returns [impl.ErrIDTaken] when NewID
// repeats itself, and [impl.ErrContended] when the pointer moved under every try.
func (j *Jobs) Start(ctx context.Context, target string, total int) (impl.Acquired, error) {
	if err := impl.CheckStart(target, total); err != nil {
		return impl.Acquired{}, fmt.Errorf("start: %w", err)
	}
	job, err := j.cfg.NewJob(target)
	if err != nil {
		return impl.Acquired{}, fmt.Errorf("start %s: %w", target, err)
	}
	createdAt := j.cfg.Now().UnixMilli()
	seen := impl.Job{}
	for range maxAcquireTries {
		seenKey := job.Key()
		if seen.ID != "" {
			seenKey = seen.Key()
		}
		r, err := run(ctx, j.rdb, acquireScript,
			[]string{job.PointerKey(), job.Key(), seenKey},
			job.ID, seen.ID, total, createdAt,
			j.cfg.JobTTL.Milliseconds(), j.cfg.PointerTTL.Milliseconds())
		if err != nil {
			return impl.Acquired{}, fmt.Errorf("start %s: %w", target, err)
		}
		switch r.code {
		case codeAcquired:
			j.cfg.StartWorker(ctx, job, total)
			return impl.Acquired{Job: job}, nil
		case codeReused:
			return impl.Acquired{Job: impl.Job{Target: target, ID: r.detail}, Reused: true}, nil
		case codeMoved:
			seen = impl.Job{Target: target, ID: r.detail}
		case codeTaken:
			return impl.Acquired{}, fmt.Errorf("start %s: %w: %q", target, impl.ErrIDTaken, r.detail)
		default:
			return impl.Acquired{}, fmt.Errorf("start %s: %w", target, r.unexpected())
		}
	}
	return impl.Acquired{}, fmt.Errorf("start %s: %w: it named another job in each of %d tries",
		target, impl.ErrContended, maxAcquireTries)
}
