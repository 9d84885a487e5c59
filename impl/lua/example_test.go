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

func ExampleNewJobs() {
	server, err := miniredis.Run()
	if err != nil {
		panic(err)
	}
	defer server.Close()
	rdb := redis.NewClient(&redis.Options{Addr: server.Addr()})
	defer rdb.Close()
	ctx := context.Background()

	jobs, err := lua.NewJobs(rdb, impl.JobsConfig{})
	if err != nil {
		panic(err)
	}
	first, _ := jobs.Start(ctx, "doc-1", 1)
	second, _ := jobs.Start(ctx, "doc-1", 1)
	fmt.Println("same job:", first.Job == second.Job, "reused:", second.Reused)

	fmt.Println("fail:", jobs.Fail(ctx, first.Job))
	err = jobs.Succeed(ctx, first.Job)
	fmt.Println("late success refused:", errors.Is(err, impl.ErrRefused))
	// Output:
	// same job: true reused: true
	// fail: <nil>
	// late success refused: true
}
