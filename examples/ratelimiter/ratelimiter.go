// Package ratelimiter lets a user do something so many times in a minute.
package ratelimiter

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// Naive reads the counter, then raises it, then says when it ends: three commands with room between them.
type Naive struct {
	Redis  redis.UniversalClient
	Limit  int
	Window time.Duration
}

// Allow says whether the user may go on.
func (l Naive) Allow(ctx context.Context, user string) (bool, error) {
	key := "rate:" + user
	n, err := l.Redis.Get(ctx, key).Int()
	if err != nil && !errors.Is(err, redis.Nil) {
		return false, err
	}
	if n >= l.Limit {
		return false, nil
	}
	if err := l.Redis.Incr(ctx, key).Err(); err != nil {
		return false, err
	}
	if n > 0 {
		return true, nil // the first one has said when the window ends
	}
	return true, l.Redis.Expire(ctx, key, l.Window).Err()
}

// Fixed does the same in one script.
type Fixed Naive

var allow = redis.NewScript(`
if tonumber(redis.call('GET', KEYS[1]) or '0') >= tonumber(ARGV[1]) then
  return 0
end
if redis.call('INCR', KEYS[1]) == 1 then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return 1`)

// Allow says whether the user may go on.
func (l Fixed) Allow(ctx context.Context, user string) (bool, error) {
	return allow.Run(ctx, l.Redis, []string{"rate:" + user}, l.Limit, l.Window.Milliseconds()).Bool()
}
