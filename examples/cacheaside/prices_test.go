package cacheaside

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/racebench/racebench/interleave"
	_ "github.com/racebench/racebench/interleave/database/sqlite" // the database of these worlds
)

type prices interface {
	Price(ctx context.Context, id int) (int, error)
	SetPrice(ctx context.Context, id, price int) error
}

const notStale = "the copy is the row"

// readAndWrite: R reads a price that is not in the cache while W changes it.
func readAndWrite(of func(*interleave.Actor) prices, copied func(*interleave.State) (int, error)) func(*interleave.World) {
	return func(w *interleave.World) {
		for _, q := range []string{
			`CREATE TABLE items (id INTEGER PRIMARY KEY, price INTEGER, version INTEGER)`,
			`INSERT INTO items VALUES (1, 100, 1)`,
		} {
			if _, err := w.SQL().Exec(q); err != nil { // not through the gate
				w.Fail(err)
				return
			}
		}
		w.Actor("R", func(a *interleave.Actor) error {
			_, err := of(a).Price(a.Context(), 1)
			return err
		})
		w.Actor("W", func(a *interleave.Actor) error { return of(a).SetPrice(a.Context(), 1, 80) })
		w.Finally(notStale, func(s *interleave.State) error {
			var row int
			if err := s.SQL().QueryRow(`SELECT price FROM items WHERE id = 1`).Scan(&row); err != nil {
				return err
			}
			cache, err := copied(s)
			if errors.Is(err, redis.Nil) {
				return nil // no copy is no stale copy
			}
			if err == nil && cache != row {
				return fmt.Errorf("the cache sells for %d what costs %d", cache, row)
			}
			return err
		})
	}
}

var (
	naive = readAndWrite(
		func(a *interleave.Actor) prices { return Naive{a.Redis(), a.SQL()} },
		func(s *interleave.State) (int, error) { return s.Redis().Get(s.Context(), "price:1").Int() })
	fixed = readAndWrite(
		func(a *interleave.Actor) prices { return Fixed{a.Redis(), a.SQL()} },
		func(s *interleave.State) (int, error) { return s.Redis().HGet(s.Context(), "price:1", "price").Int() })
)

// R has read the old price when W changes it and deletes a copy that is not there yet.
func TestNaiveKeepsAnOldPrice(t *testing.T) {
	interleave.Violates(t, "R.GET R.SELECT W.UPDATE W.DEL R.SET", notStale, naive)
}

func TestFixedHoldsInEveryOrder(t *testing.T) { interleave.Explore(t, fixed) }
