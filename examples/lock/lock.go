// Package lock is a lock with a lease: whoever dies with it keeps it for thirty seconds, and no longer.
package lock

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

// Lease is how long a lock is kept at most.
const Lease = 30 * time.Second

// Naive deletes what it finds when it unlocks, as if nobody else could have come meanwhile.
type Naive struct {
	Redis redis.UniversalClient
	Key   string
	Owner string // another one for each holder
}

// TryLock says whether the lock is ours now.
func (l Naive) TryLock(ctx context.Context) (bool, error) {
	return l.Redis.SetNX(ctx, l.Key, l.Owner, Lease).Result()
}

// Unlock gives the lock back, and with it, when the lease is over, that of the next holder.
func (l Naive) Unlock(ctx context.Context) error {
	return l.Redis.Del(ctx, l.Key).Err()
}

// Fixed compares and deletes in one script.
type Fixed struct{ Naive }

var unlock = redis.NewScript(`
if redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('DEL', KEYS[1])
end
return 0`)

// Unlock gives the lock back if it is still ours.
func (l Fixed) Unlock(ctx context.Context) error {
	return unlock.Run(ctx, l.Redis, []string{l.Key}, l.Owner).Err()
}
