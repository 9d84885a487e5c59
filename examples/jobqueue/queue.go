// Package jobqueue hands jobs from a list to workers, some of whom die.
package jobqueue

import (
	"context"
	"errors"

	"github.com/redis/go-redis/v9"
)

// The lists of the queue, and the set of the jobs that are done.
const (
	Pending = "jobs:pending"
	Working = "jobs:working"
	Done    = "jobs:done"
)

// Naive takes a job out of the list. From then on only the worker's memory has it.
type Naive struct{ Redis redis.UniversalClient }

// Next does the next job; false if there is none.
func (q Naive) Next(ctx context.Context, do func(job string) error) (bool, error) {
	job, err := q.Redis.LPop(ctx, Pending).Result()
	if errors.Is(err, redis.Nil) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if err := do(job); err != nil {
		return false, err
	}
	return true, q.Redis.SAdd(ctx, Done, job).Err()
}

// Fixed moves a job from list to list, so that it is always in one of them. Who moves the jobs of the dead back is not shown here.
type Fixed Naive

// Next does the next job; false if there is none.
func (q Fixed) Next(ctx context.Context, do func(job string) error) (bool, error) {
	job, err := q.Redis.LMove(ctx, Pending, Working, "LEFT", "RIGHT").Result()
	if errors.Is(err, redis.Nil) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if err := do(job); err != nil {
		return false, err
	}
	_, err = q.Redis.TxPipelined(ctx, func(p redis.Pipeliner) error {
		p.SAdd(ctx, Done, job)
		p.LRem(ctx, Working, 1, job)
		return nil
	})
	return true, err
}
