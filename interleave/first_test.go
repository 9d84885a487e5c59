package interleave_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/racebench/racebench/interleave"
)

func naiveWorld(w *interleave.World) {
	for _, name := range []string{"A", "B"} {
		w.Actor(name, func(a *interleave.Actor) error {
			ctx, rdb := context.Background(), a.Redis()
			v, err := rdb.Get(ctx, "k").Result()
			if err == nil {
				a.Note("found", v)
				return nil
			}
			if err := rdb.HSet(ctx, "job:"+a.Name(), "status", "RUNNING").Err(); err != nil {
				return err
			}
			return rdb.Set(ctx, "k", a.Name(), 0).Err()
		})
	}
	w.Finally("one job", func(s *interleave.State) error {
		if n := len(s.Keys("job:*")); n != 1 {
			return fmt.Errorf("%d jobs", n)
		}
		return nil
	})
}

func TestFirst(t *testing.T) {
	interleave.Force(t, "A.. B..", naiveWorld, interleave.Redis("process"))
	interleave.Force(t, "A.GET B.GET A.. B..", naiveWorld, interleave.Redis("process"))
}
