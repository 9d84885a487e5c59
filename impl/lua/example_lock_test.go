package lua_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/racebench/racebench/impl"
	"github.com/racebench/racebench/impl/lua"
	"github.com/redis/go-redis/v9"
)

func ExampleStatusLock_Do() {
	server, err := miniredis.Run()
	if err != nil {
		panic(err)
	}
	defer server.Close()
	rdb := redis.NewClient(&redis.Options{Addr: server.Addr()})
	defer rdb.Close()

	lock, err := lua.NewStatusLock(rdb, impl.LockConfig{})
	if err != nil {
		panic(err)
	}
	err = lock.Do(context.Background(), "doc-1", impl.Processing, func(ctx context.Context) error {
		cancel := lock.Do(ctx, "doc-1", impl.Cancelling, func(context.Context) error { return nil })
		var refused *impl.StateError
		fmt.Println("refused:", errors.As(cancel, &refused), "met:", refused.Met)
		return nil // heed ctx in what takes long: it ends when the lease is lost
	})
	fmt.Println(err)
	fmt.Println(lock.State(context.Background(), "doc-1"))
	// Output:
	// refused: true met: PROCESSING
	// <nil>
	// WAITING <nil>
}

func ExampleMutex() {
	server, err := miniredis.Run()
	if err != nil {
		panic(err)
	}
	defer server.Close()
	rdb := redis.NewClient(&redis.Options{Addr: server.Addr()})
	defer rdb.Close()
	ctx := context.Background()

	mutex, err := lua.NewMutex(rdb, impl.LockConfig{Wait: time.Millisecond})
	if err != nil {
		panic(err)
	}
	token, err := mutex.Lock(ctx, "doc-1")
	fmt.Println("locked:", token != "", err)
	_, err = mutex.Lock(ctx, "doc-1")
	fmt.Println("taken:", errors.Is(err, impl.ErrLockTimeout))
	fmt.Println("unlocked:", mutex.Unlock(ctx, "doc-1", token))
	fmt.Println("not ours any more:", errors.Is(mutex.Unlock(ctx, "doc-1", token), impl.ErrLeaseLost))
	// Output:
	// locked: true <nil>
	// taken: true
	// unlocked: <nil>
	// not ours any more: true
}
