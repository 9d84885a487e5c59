package setnx_test

import (
	"context"
	"fmt"

	"github.com/alicebob/miniredis/v2"
	"github.com/racebench/racebench/impl"
	"github.com/racebench/racebench/impl/setnx"
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

	jobs, err := setnx.NewJobs(rdb, impl.JobsConfig{})
	if err != nil {
		panic(err)
	}
	first, _ := jobs.Start(ctx, "doc-1", 1)
	second, _ := jobs.Start(ctx, "doc-1", 1)
	fmt.Println("same job:", first.Job == second.Job, "reused:", second.Reused)
	// Output:
	// same job: true reused: true
}
