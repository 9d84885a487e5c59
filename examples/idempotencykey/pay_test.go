package idempotencykey

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/racebench/racebench/interleave"
)

type payer interface {
	Pay(ctx context.Context, key, amount string) (string, error)
}

const chargedOnce = "charged at most once"

// sentTwice is one request that the client has sent again because the answer took too long.
func sentTwice(of func(redis.UniversalClient, Provider) payer) func(*interleave.World) {
	return func(w *interleave.World) {
		for _, name := range []string{"A", "B"} {
			w.Actor(name, func(a *interleave.Actor) error {
				charge := func(ctx context.Context, amount string) (string, error) {
					n, err := a.Redis().RPush(ctx, "charges", amount).Result() // the provider's books
					return fmt.Sprintf("receipt-%d", n), err
				}
				_, err := of(a.Redis(), charge).Pay(a.Context(), "order-7", "9.90")
				if errors.Is(err, ErrInProgress) {
					return nil
				}
				return err
			})
		}
		w.Always(chargedOnce, func(s *interleave.State) error {
			n, err := s.Redis().LLen(s.Context(), "charges").Result()
			if err == nil && n > 1 {
				return fmt.Errorf("order-7 charged %d times", n)
			}
			return err
		})
	}
}

func naive(c redis.UniversalClient, p Provider) payer { return Naive{c, p} }
func fixed(c redis.UniversalClient, p Provider) payer { return Fixed{c, p} }

func TestNaiveChargesTwice(t *testing.T) {
	interleave.Violates(t, "A.GET B.GET A.. B..", chargedOnce, sentTwice(naive))
}

// In every order, and wherever one of the two dies.
func TestFixedHoldsInEveryOrder(t *testing.T) {
	interleave.Explore(t, sentTwice(fixed), interleave.Faults("crash:1"))
}
