package ratelimiter

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/racebench/racebench/interleave"
)

type limiter interface {
	Allow(ctx context.Context, user string) (bool, error)
}

const (
	limit      = 1
	neverMore  = "never more than the limit"
	windowEnds = "a window ends"
)

// threeRequests of one user come within one window, which has room for one.
func threeRequests(of func(redis.UniversalClient) limiter) func(*interleave.World) {
	return func(w *interleave.World) {
		for _, name := range []string{"A", "B", "C"} {
			w.Actor(name, func(a *interleave.Actor) error {
				ok, err := of(a.Redis()).Allow(a.Context(), "kim")
				if ok {
					a.Note("allowed", a.Name())
				}
				return err
			})
		}
		w.Finally(neverMore, func(s *interleave.State) error {
			if n := len(s.Notes("allowed")); n > limit {
				return fmt.Errorf("%d of 3 requests allowed, the limit is %d", n, limit)
			}
			return nil
		})
		w.Finally(windowEnds, func(s *interleave.State) error {
			ttl, err := s.Redis().TTL(s.Context(), "rate:kim").Result()
			if err == nil && ttl == -1 {
				return fmt.Errorf("rate:kim never expires: kim is locked out for good")
			}
			return err
		})
	}
}

func naive(c redis.UniversalClient) limiter { return Naive{c, limit, time.Minute} }
func fixed(c redis.UniversalClient) limiter { return Fixed{c, limit, time.Minute} }

func TestNaiveAllowsTooMany(t *testing.T) {
	interleave.Violates(t, "A.GET B.GET A.. B..", neverMore, threeRequests(naive))
}

// The process dies between INCR and EXPIRE.
func TestNaiveLocksOutForGood(t *testing.T) {
	interleave.Violates(t, "A.GET A.INCR!crash", windowEnds, threeRequests(naive))
}

// In every order, and wherever one of the three dies.
func TestFixedHoldsInEveryOrder(t *testing.T) {
	interleave.Explore(t, threeRequests(fixed), interleave.Faults("crash:1"))
}
