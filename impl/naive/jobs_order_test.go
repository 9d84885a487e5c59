package naive_test

import (
	"testing"
	"time"

	"github.com/racebench/racebench/impl"
	"github.com/racebench/racebench/impl/impltest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The order of commands is what makes the races, so it is part of the contract.
func TestJobsOrderOfCommands(t *testing.T) {
	b := impltest.NewBench(t, impltest.OpenMini(t), newJobs, impl.JobsConfig{})
	ctx := t.Context()
	const (
		pointer = "job:{doc-1}:running"
		job     = "job:{doc-1}:j1"
		results = "job:{doc-1}:j1:results"
	)
	j1 := impl.Job{Target: "doc-1", ID: "j1"}
	for _, step := range []struct {
		name string
		call func() error
		want []string
	}{
		{"start",
			func() error { _, err := b.Jobs.Start(ctx, "doc-1", 3); return err },
			[]string{"GET " + pointer, "HSET " + job, "EXPIRE " + job, "SET " + pointer}},
		{"start while running",
			func() error { _, err := b.Jobs.Start(ctx, "doc-1", 3); return err },
			[]string{"GET " + pointer, "HGET " + job}},
		{"progress",
			func() error { return b.Jobs.Progress(ctx, j1, 0, "zero") },
			[]string{"HINCRBY " + job, "HSET " + results, "EXPIRE " + results}},
		{"status",
			func() error { _, err := b.Jobs.Status(ctx, j1); return err },
			[]string{"HGETALL " + job}},
		{"succeed",
			func() error { return b.Jobs.Succeed(ctx, j1) },
			[]string{"HSET " + job, "DEL " + pointer}},
		{"apply",
			func() error { _, err := b.Jobs.Apply(ctx, j1, b.DB); return err },
			[]string{"HGET " + job, "HGETALL " + results}},
		{"fail",
			func() error { return b.Jobs.Fail(ctx, j1) },
			[]string{"HSET " + job, "DEL " + pointer}},
		{"start of a job to forget",
			func() error { _, err := b.Jobs.Start(ctx, "doc-1", 3); return err },
			[]string{"GET " + pointer, "HSET job:{doc-1}:j2", "EXPIRE job:{doc-1}:j2", "SET " + pointer}},
		{"status past the deadline",
			func() error {
				b.Clock = b.Clock.Add(10 * time.Minute)
				_, err := b.Jobs.Status(ctx, impl.Job{Target: "doc-1", ID: "j2"})
				return err
			},
			[]string{"HGETALL job:{doc-1}:j2", "HSET job:{doc-1}:j2", "DEL " + pointer}},
	} {
		require.NoError(t, step.call(), step.name)
		assert.Equal(t, step.want, b.Recorder.TakeNames(), step.name)
	}
}

func TestJobsArgumentsOfStart(t *testing.T) {
	b := impltest.NewBench(t, impltest.OpenMini(t), newJobs, impl.JobsConfig{})
	b.Start(t)
	assert.Equal(t, [][]string{
		{"GET", "job:{doc-1}:running"},
		{"HSET", "job:{doc-1}:j1", "status", "RUNNING", "total", "3", "processed", "0", "created_at", "1700000000000"},
		{"EXPIRE", "job:{doc-1}:j1", "3600"},
		{"SET", "job:{doc-1}:running", "j1", "ex", "1200"},
	}, b.Recorder.Take())
}
