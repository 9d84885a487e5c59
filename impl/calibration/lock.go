package calibration

import (
	"context"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"
)

// Lock is held by one owner at a time. A supervisor that believes the holder
// dead may take it over.
type Lock struct {
	rdb        redis.UniversalClient
	key, owner string
}

// NewLock returns the lock under a key as its owner sees it. Owners have
// different names.
func NewLock(rdb redis.UniversalClient, key, owner string) *Lock { return &Lock{rdb, key, owner} }

// Take takes the lock if nobody holds it, and reports whether it did.
func (l *Lock) Take(ctx context.Context) (bool, error) {
	err := l.rdb.SetArgs(ctx, l.key, l.owner, redis.SetArgs{Mode: "NX"}).Err()
	if errors.Is(err, redis.Nil) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("take %s: %w", l.key, err)
	}
	return true, nil
}

// TakeOver makes the owner the holder and returns who was it before, "" for
// nobody.
func (l *Lock) TakeOver(ctx context.Context) (from string, err error) {
	from, err = l.rdb.Get(ctx, l.key).Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		return "", fmt.Errorf("take over %s: read: %w", l.key, err)
	}
	if err := l.rdb.Set(ctx, l.key, l.owner, 0).Err(); err != nil {
		return "", fmt.Errorf("take over %s: write: %w", l.key, err)
	}
	return from, nil
}

// Release gives the lock back if the owner still holds it, and reports whether
// it did.
//
// Limits: it looks and then deletes. A lock that is taken over in between is
// deleted under its new holder.
func (l *Lock) Release(ctx context.Context) (bool, error) {
	holder, err := l.rdb.Get(ctx, l.key).Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		return false, fmt.Errorf("release %s: read: %w", l.key, err)
	}
	if holder != l.owner {
		return false, nil
	}
	if err := l.rdb.Del(ctx, l.key).Err(); err != nil {
		return false, fmt.Errorf("release %s: delete: %w", l.key, err)
	}
	return true, nil
}

// ReleaseScript does what Release does, inside one script.
func (l *Lock) ReleaseScript(ctx context.Context) (bool, error) {
	n, err := releaseScript.Run(ctx, l.rdb, []string{l.key}, l.owner).Int()
	if err != nil {
		return false, fmt.Errorf("release %s: %w", l.key, err)
	}
	return n == 1, nil
}
