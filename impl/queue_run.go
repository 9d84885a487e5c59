package impl

import (
	"context"
	"time"
)

// pause is how long a worker waits after an error, lest it asks a server that is
// down again and again.
const pause = time.Second

// RunWorker calls Work again and again until ctx ends, and returns its error. Each
// answer is told to saw, if it is set: for logs and for metrics. After an error it
// waits a second.
func RunWorker(ctx context.Context, q Queue, worker string, handle Handler, saw func(Work, error)) error {
	for ctx.Err() == nil {
		work, err := q.Work(ctx, worker, handle)
		if saw != nil {
			saw(work, err)
		}
		if err != nil {
			wait(ctx, pause)
		}
	}
	return ctx.Err()
}

// RunReaper calls Reap at once and then at the interval (0 for 30 s) until ctx
// ends, and returns its error. Each answer is told to saw, if it is set.
func RunReaper(ctx context.Context, q Queue, every time.Duration, saw func(Pass, error)) error {
	if every == 0 {
		every = DefaultReapInterval
	}
	for ctx.Err() == nil {
		pass, err := q.Reap(ctx)
		if saw != nil {
			saw(pass, err)
		}
		wait(ctx, every)
	}
	return ctx.Err()
}

func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
