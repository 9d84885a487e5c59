package calibration

import (
	"context"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"
)

// Counter counts under one key.
type Counter struct {
	rdb redis.UniversalClient
	key string
}

// NewCounter returns the counter under a key. A key that does not exist counts as 0.
func NewCounter(rdb redis.UniversalClient, key string) *Counter { return &Counter{rdb, key} }

// Add reads the counter and writes it back, greater by one.
//
// Limits: of two calls that both read before either writes, one is lost.
func (c *Counter) Add(ctx context.Context) error {
	n, err := c.rdb.Get(ctx, c.key).Int()
	if err != nil && !errors.Is(err, redis.Nil) {
		return fmt.Errorf("add to %s: read: %w", c.key, err)
	}
	if err := c.rdb.Set(ctx, c.key, n+1, 0).Err(); err != nil {
		return fmt.Errorf("add to %s: write: %w", c.key, err)
	}
	return nil
}

// Incr adds one with INCR, which reads and writes in one command.
func (c *Counter) Incr(ctx context.Context) error {
	if err := c.rdb.Incr(ctx, c.key).Err(); err != nil {
		return fmt.Errorf("add to %s: %w", c.key, err)
	}
	return nil
}

// AddScript does what Add does, inside one script.
func (c *Counter) AddScript(ctx context.Context) error {
	if err := addScript.Run(ctx, c.rdb, []string{c.key}).Err(); err != nil {
		return fmt.Errorf("add to %s: %w", c.key, err)
	}
	return nil
}

// Log writes down under a name what its owner does, one command for each line.
// Nobody else reads or writes it.
type Log struct {
	rdb redis.UniversalClient
	key string
	n   int
}

// NewLog returns the log of a name.
func NewLog(rdb redis.UniversalClient, name string) *Log { return &Log{rdb: rdb, key: name + ":log"} }

// Write adds lines, as many as it is told.
func (l *Log) Write(ctx context.Context, lines int) error {
	for range lines {
		l.n++
		if err := l.rdb.HSet(ctx, l.key, fmt.Sprint("line ", l.n), "done").Err(); err != nil {
			return fmt.Errorf("log to %s: %w", l.key, err)
		}
	}
	return nil
}
