package naive_test

import (
	"context"
	"fmt"

	"github.com/alicebob/miniredis/v2"
	"github.com/racebench/racebench/impl"
	"github.com/racebench/racebench/impl/naive"
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

	jobs, err := naive.NewJobs(rdb, impl.JobsConfig{})
	if err != nil {
		panic(err)
	}
	acquired, _ := jobs.Start(ctx, "doc-1", 1)
	fmt.Println("fail:", jobs.Fail(ctx, acquired.Job))
	fmt.Println("late success:", jobs.Succeed(ctx, acquired.Job))
	status, _ := jobs.Status(ctx, acquired.Job)
	fmt.Println(status.State)
	// Output:
	// fail: <nil>
	// late success: <nil>
	// SUCCESS
}
