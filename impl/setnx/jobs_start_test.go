package setnx_test

import (
	"testing"

	"github.com/racebench/racebench/impl"
	"github.com/racebench/racebench/impl/impltest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestJobsOrderOfStart(t *testing.T) {
	b := impltest.NewBench(t, impltest.OpenMini(t), newJobs, impl.JobsConfig{})
	b.Start(t)
	assert.Equal(t, [][]string{
		{"SET", "job:{doc-1}:running", "j1", "ex", "1200", "nx"},
		{"HSET", "job:{doc-1}:j1", "status", "RUNNING", "total", "3", "processed", "0", "created_at", "1700000000000"},
		{"EXPIRE", "job:{doc-1}:j1", "3600"},
	}, b.Recorder.Take())

	_, err := b.Jobs.Start(t.Context(), impltest.Target, impltest.Total)
	require.NoError(t, err)
	assert.Equal(t, []string{"SET job:{doc-1}:running", "GET job:{doc-1}:running"}, b.Recorder.TakeNames())
}

// A process that dies after the claim leaves a job that nobody can use and
// nobody can replace.
func TestJobsPointerWithoutHashBlocks(t *testing.T) {
	b := impltest.NewBench(t, impltest.OpenMini(t), newJobs, impl.JobsConfig{})
	require.NoError(t, b.Redis.Set(t.Context(), impl.PointerKey(impltest.Target), "dead", 0).Err())
	acquired, err := b.Jobs.Start(t.Context(), impltest.Target, impltest.Total)
	require.NoError(t, err)
	assert.Equal(t, impl.Acquired{Job: impl.Job{Target: impltest.Target, ID: "dead"}, Reused: true}, acquired)
	_, err = b.Jobs.Status(t.Context(), acquired.Job)
	assert.ErrorIs(t, err, impl.ErrNotFound)
	assert.Empty(t, b.Started)
}
