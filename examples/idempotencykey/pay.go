// Package idempotencykey charges a card once, however often the client sends its request again.
package idempotencykey

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// Keep is how long the answer to a request is remembered.
const Keep = 24 * time.Hour

// ErrInProgress says that the same request is being worked on. The client asks again later.
var ErrInProgress = errors.New("idempotencykey: the same request is in progress")

// Provider is who moves the money. It returns a receipt.
type Provider func(ctx context.Context, amount string) (receipt string, err error)

// Naive looks for an answer, charges, and keeps the answer.
type Naive struct {
	Redis  redis.UniversalClient
	Charge Provider
}

// Pay charges the amount, or returns the receipt of the first time.
func (p Naive) Pay(ctx context.Context, key, amount string) (string, error) {
	receipt, err := p.Redis.Get(ctx, "idem:"+key).Result()
	if !errors.Is(err, redis.Nil) {
		return receipt, err
	}
	if receipt, err = p.Charge(ctx, amount); err != nil {
		return "", err
	}
	return receipt, p.Redis.Set(ctx, "idem:"+key, receipt, Keep).Err()
}

// Fixed claims the key before it charges; SET NX has one winner.
type Fixed Naive

const pending = "pending"

// Pay charges the amount, returns the receipt of the first time, or ErrInProgress. After a crash in the middle the key stays
// pending, because nobody knows whether the money has moved: that is for a person or a reconciliation to say.
func (p Fixed) Pay(ctx context.Context, key, amount string) (string, error) {
	mine, err := p.Redis.SetNX(ctx, "idem:"+key, pending, Keep).Result()
	if err != nil {
		return "", err
	}
	if !mine {
		receipt, err := p.Redis.Get(ctx, "idem:"+key).Result()
		if receipt == pending {
			return "", ErrInProgress
		}
		return receipt, err
	}
	receipt, err := p.Charge(ctx, amount)
	if err != nil {
		return "", err
	}
	return receipt, p.Redis.Set(ctx, "idem:"+key, receipt, Keep).Err()
}
