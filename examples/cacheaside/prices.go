// Package cacheaside keeps prices in a table and copies of them in Redis.
package cacheaside

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
)

// Keep is how long a copy lives.
const Keep = time.Hour

// Naive fills the cache when it misses, and deletes the copy when the price changes.
type Naive struct {
	Redis redis.UniversalClient
	DB    *sql.DB
}

// Price returns the price of an item.
func (p Naive) Price(ctx context.Context, id int) (int, error) {
	price, err := p.Redis.Get(ctx, cached(id)).Int()
	if !errors.Is(err, redis.Nil) {
		return price, err
	}
	if err := p.DB.QueryRowContext(ctx, `SELECT price FROM items WHERE id = ?`, id).Scan(&price); err != nil {
		return 0, err
	}
	return price, p.Redis.Set(ctx, cached(id), price, Keep).Err() // of before or after a change: nobody asks
}

// SetPrice changes the price of an item.
func (p Naive) SetPrice(ctx context.Context, id, price int) error {
	if _, err := p.DB.ExecContext(ctx, `UPDATE items SET price = ?, version = version + 1 WHERE id = ?`, price, id); err != nil {
		return err
	}
	return p.Redis.Del(ctx, cached(id)).Err()
}

// Fixed keeps the version of the row with the copy. Readers and writers put copies through one script, which takes no older
// one. A writer that dies between table and cache leaves an old copy for at most Keep.
type Fixed Naive

var put = redis.NewScript(`
if tonumber(redis.call('HGET', KEYS[1], 'version') or '-1') >= tonumber(ARGV[1]) then
  return 0
end
redis.call('HSET', KEYS[1], 'version', ARGV[1], 'price', ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1`)

// Price returns the price of an item.
func (p Fixed) Price(ctx context.Context, id int) (int, error) {
	text, err := p.Redis.HGet(ctx, cached(id), "price").Result()
	if err == nil {
		return strconv.Atoi(text)
	}
	if !errors.Is(err, redis.Nil) {
		return 0, err
	}
	return p.fill(ctx, id)
}

// SetPrice changes the price of an item.
func (p Fixed) SetPrice(ctx context.Context, id, price int) error {
	if _, err := p.DB.ExecContext(ctx, `UPDATE items SET price = ?, version = version + 1 WHERE id = ?`, price, id); err != nil {
		return err
	}
	_, err := p.fill(ctx, id)
	return err
}

// fill copies the row as it is now.
func (p Fixed) fill(ctx context.Context, id int) (int, error) {
	var price, version int
	if err := p.DB.QueryRowContext(ctx, `SELECT price, version FROM items WHERE id = ?`, id).Scan(&price, &version); err != nil {
		return 0, err
	}
	return price, put.Run(ctx, p.Redis, []string{cached(id)}, version, price, Keep.Milliseconds()).Err()
}

func cached(id int) string { return fmt.Sprintf("price:%d", id) }
