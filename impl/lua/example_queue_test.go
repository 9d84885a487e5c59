package lua_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/alicebob/miniredis/v2"
	"github.com/racebench/racebench/impl"
	"github.com/racebench/racebench/impl/lua"
	"github.com/redis/go-redis/v9"
)

func ExampleQueue() {
	server, err := miniredis.Run()
	if err != nil {
		panic(err)
	}
	defer server.Close()
	rdb := redis.NewClient(&redis.Options{Addr: server.Addr()})
	defer rdb.Close()
	ctx := context.Background()
	db, err := impl.OpenTasks(ctx) // yours: impl.MigrateTasks
	if err != nil {
		panic(err)
	}
	defer db.Close()

	queue, err := lua.NewQueue(rdb, db, impl.QueueConfig{Name: "mail"})
	if err != nil {
		panic(err)
	}
	if err := queue.Add(ctx, 7); err != nil {
		panic(err)
	}
	// impl.RunWorker and impl.RunReaper do this for ever.
	handle := func(_ context.Context, task impl.Task) (string, error) {
		if task.Attempt == 1 {
			return "", errors.New("mail server is down")
		}
		return "sent", nil
	}
	for range 2 {
		work, err := queue.Work(ctx, "host-1", handle)
		fmt.Println(work.Task, work.State, work.Cause, err)
	}
	row, _, _ := impl.ReadTask(ctx, db, 7)
	fmt.Println(row.State, row.Result, "retries:", row.Retries)
	pass, err := queue.Reap(ctx)
	fmt.Println(pass, err)
	// Output:
	// task 7, attempt 1 pending mail server is down <nil>
	// task 7, attempt 2 done <nil> <nil>
	// done sent retries: 1
	// reaper: 0 stale <nil>
}
