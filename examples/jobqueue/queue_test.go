package jobqueue

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/racebench/racebench/interleave"
)

type queue interface {
	Next(ctx context.Context, do func(job string) error) (bool, error)
}

const noneLost = "no job is lost"

// twoWorkers empty a queue of two jobs.
func twoWorkers(of func(redis.UniversalClient) queue) func(*interleave.World) {
	return func(w *interleave.World) {
		jobs := []string{"job-1", "job-2"}
		w.Redis().RPush(context.Background(), Pending, jobs[0], jobs[1]) // not through the gate
		for _, name := range []string{"A", "B"} {
			w.Actor(name, func(a *interleave.Actor) error {
				_, err := of(a.Redis()).Next(a.Context(), func(string) error { return nil })
				return err
			})
		}
		w.Finally(noneLost, func(s *interleave.State) error {
			ctx, c := s.Context(), s.Redis()
			have := slices.Concat(c.LRange(ctx, Pending, 0, -1).Val(), c.LRange(ctx, Working, 0, -1).Val(), c.SMembers(ctx, Done).Val())
			for _, job := range jobs {
				if !slices.Contains(have, job) {
					return fmt.Errorf("%s is neither pending, nor in work, nor done", job)
				}
			}
			return nil
		})
	}
}

func naive(c redis.UniversalClient) queue { return Naive{c} }
func fixed(c redis.UniversalClient) queue { return Fixed{c} }

// The worker dies with the job in its hand.
func TestNaiveLosesAJob(t *testing.T) {
	interleave.Violates(t, "A.LPOP!crash", noneLost, twoWorkers(naive))
}

// In every order, and wherever one of the two dies.
func TestFixedHoldsInEveryOrder(t *testing.T) {
	interleave.Explore(t, twoWorkers(fixed), interleave.Faults("crash:1"))
}
