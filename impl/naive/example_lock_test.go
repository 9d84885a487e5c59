package naive_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/alicebob/miniredis/v2"
	"github.com/racebench/racebench/impl"
	"github.com/racebench/racebench/impl/naive"
	"github.com/redis/go-redis/v9"
)

// Nobody computes any more, and the other state is refused all the same.
func ExampleStatusLock_Do() {
	server, err := miniredis.Run()
	if err != nil {
		panic(err)
	}
	defer server.Close()
	rdb := redis.NewClient(&redis.Options{Addr: server.Addr()})
	defer rdb.Close()
	ctx := context.Background()
	nothing := func(context.Context) error { return nil }

	lock, err := naive.NewStatusLock(rdb, impl.LockConfig{}, naive.LockOptions{})
	if err != nil {
		panic(err)
	}
	fmt.Println("process:", lock.Do(ctx, "doc-1", impl.Processing, nothing))
	err = lock.Do(ctx, "doc-1", impl.Cancelling, nothing)
	fmt.Println("cancel:", err, errors.Is(err, impl.ErrRefused))
	// Output:
	// process: <nil>
	// cancel: datum doc-1: CANCELLING refused: it is PROCESSING true
}
