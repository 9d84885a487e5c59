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

// A task that fails is gone from the queue, and nobody tries it again.
func ExampleQueue() {
	server, err := miniredis.Run()
	if err != nil {
		panic(err)
	}
	defer server.Close()
	rdb := redis.NewClient(&redis.Options{Addr: server.Addr()})
	defer rdb.Close()
	ctx := context.Background()
	db, err := impl.OpenTasks(ctx)
	if err != nil {
		panic(err)
	}
	defer db.Close()

	queue, err := naive.NewQueue(rdb, db, impl.QueueConfig{Name: "mail"}, naive.QueueOptions{})
	if err != nil {
		panic(err)
	}
	if err := queue.Add(ctx, 7); err != nil {
		panic(err)
	}
	work, err := queue.Work(ctx, "host-1", func(context.Context, impl.Task) (string, error) {
		return "", errors.New("mail server is down")
	})
	fmt.Println(work.Task, work.State, err)
	fmt.Println("keys left:", rdb.DBSize(ctx).Val())
	// Output:
	// task 7 failed <nil>
	// keys left: 0
}
