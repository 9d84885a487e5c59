package lua_test

import (
	"testing"
	"time"

	"github.com/racebench/racebench/impl"
	"github.com/racebench/racebench/impl/impltest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each promise that naive does not keep, on every backend.
func TestJobsRefuse(t *testing.T) {
	t.Parallel()
	for _, backend := range impltest.Backends(t) {
		for _, c := range refusals {
			t.Run(backend.Name+"/"+c.name, func(t *testing.T) {
				c.test(t, impltest.NewBench(t, backend.Open(t), newJobs, impl.JobsConfig{}))
			})
		}
	}
}

var refusals = []struct {
	name string
	test func(t *testing.T, b *impltest.Bench)
}{
	{"a late SUCCESS after FAILED", func(t *testing.T, b *impltest.Bench) {
		job := b.Start(t)
		require.NoError(t, b.Jobs.Fail(t.Context(), job))
		assertRefused(t, b.Jobs.Succeed(t.Context(), job), "succeed", impl.JobFailed)
		assert.Equal(t, impl.JobFailed, b.State(t, job))
	}},
	{"a late FAILED after SUCCESS", func(t *testing.T, b *impltest.Bench) {
		job := b.Start(t)
		require.NoError(t, b.Jobs.Succeed(t.Context(), job))
		assertRefused(t, b.Jobs.Fail(t.Context(), job), "fail", impl.JobSuccess)
		assert.Equal(t, impl.JobSuccess, b.State(t, job))
	}},
	{"SUCCESS without the pointer", func(t *testing.T, b *impltest.Bench) {
		older, newer := twoRunning(t, b)
		assert.ErrorIs(t, b.Jobs.Succeed(t.Context(), older), impl.ErrNotOwner)
		assert.Equal(t, impl.JobRunning, b.State(t, older))
		assert.Equal(t, newer.ID, b.Pointer(t))
		assert.NoError(t, b.Jobs.Succeed(t.Context(), newer))

		b.Clock = b.Clock.Add(10 * time.Minute)
		status, err := b.Jobs.Status(t.Context(), older)
		require.NoError(t, err)
		assert.Equal(t, impl.JobFailed, status.State, "the deadline ends the job that lost the pointer")
	}},
	{"SUCCESS when there is no pointer at all", func(t *testing.T, b *impltest.Bench) {
		job := b.Start(t)
		require.NoError(t, b.Redis.Del(t.Context(), job.PointerKey()).Err())
		assert.ErrorIs(t, b.Jobs.Succeed(t.Context(), job), impl.ErrNotOwner)
	}},
	{"the pointer of a newer job survives an older one's FAILED", func(t *testing.T, b *impltest.Bench) {
		older, newer := twoRunning(t, b)
		assert.NoError(t, b.Jobs.Fail(t.Context(), older))
		assert.Equal(t, impl.JobFailed, b.State(t, older))
		assert.Equal(t, newer.ID, b.Pointer(t))
	}},
	{"progress after the end", func(t *testing.T, b *impltest.Bench) {
		job := b.Start(t)
		require.NoError(t, b.Jobs.Fail(t.Context(), job))
		assertRefused(t, b.Jobs.Progress(t.Context(), job, 0, "late"), "progress", impl.JobFailed)
		assert.Equal(t, "0", b.Redis.HGet(t.Context(), job.Key(), "processed").Val())
		assert.Zero(t, b.Redis.Exists(t.Context(), job.ResultsKey()).Val())
	}},
	{"an item that the job does not have", func(t *testing.T, b *impltest.Bench) {
		job := b.Start(t)
		assert.ErrorIs(t, b.Jobs.Progress(t.Context(), job, impltest.Total, ""), impl.ErrInvalid)
	}},
	{"writing to a job that is gone", func(t *testing.T, b *impltest.Bench) {
		gone := impl.Job{Target: impltest.Target, ID: "gone"}
		assert.ErrorIs(t, b.Jobs.Progress(t.Context(), gone, 0, ""), impl.ErrNotFound)
		assert.ErrorIs(t, b.Jobs.Succeed(t.Context(), gone), impl.ErrNotFound)
		assert.ErrorIs(t, b.Jobs.Fail(t.Context(), gone), impl.ErrNotFound)
		assert.Empty(t, b.Redis.Keys(t.Context(), "*").Val())
	}},
	{"applying a part", func(t *testing.T, b *impltest.Bench) {
		job := b.Start(t)
		b.Finish(t, job)
		require.NoError(t, b.Redis.HDel(t.Context(), job.ResultsKey(), "1").Err())
		_, err := b.Jobs.Apply(t.Context(), job, b.DB)
		assert.ErrorIs(t, err, impl.ErrIncomplete)
		assert.ErrorContains(t, err, "2 of 3")
		require.NoError(t, b.Redis.Del(t.Context(), job.ResultsKey()).Err())
		_, err = b.Jobs.Apply(t.Context(), job, b.DB)
		assert.ErrorIs(t, err, impl.ErrIncomplete)
		assertApplied(t, b, 0)
	}},
	{"applying twice", func(t *testing.T, b *impltest.Bench) {
		job := b.Start(t)
		b.Finish(t, job)
		_, err := b.Jobs.Apply(t.Context(), job, b.DB)
		require.NoError(t, err)
		rows, err := b.Jobs.Apply(t.Context(), job, b.DB)
		assert.ErrorIs(t, err, impl.ErrAlreadyApplied)
		assert.Zero(t, rows)
		assertApplied(t, b, 1)

		next := b.Start(t)
		b.Finish(t, next)
		_, err = b.Jobs.Apply(t.Context(), next, b.DB)
		require.NoError(t, err, "another job of the target may be applied")
		assertApplied(t, b, 2)
	}},
	{"applying to rows that are not all there", func(t *testing.T, b *impltest.Bench) {
		job := b.Start(t)
		b.Finish(t, job)
		_, err := b.DB.ExecContext(t.Context(), `DELETE FROM items WHERE idx = 2`)
		require.NoError(t, err)
		_, err = b.Jobs.Apply(t.Context(), job, b.DB)
		assert.ErrorIs(t, err, impl.ErrIncomplete)
		assertApplied(t, b, 0)
		_, err = b.DB.ExecContext(t.Context(), `INSERT INTO items (target, idx) VALUES (?, 2)`, impltest.Target)
		require.NoError(t, err)
		_, err = b.Jobs.Apply(t.Context(), job, b.DB)
		assert.NoError(t, err, "the refused apply claimed nothing")
	}},
	{"a new id that is in use", func(t *testing.T, b *impltest.Bench) {
		require.NoError(t, b.Redis.HSet(t.Context(), "job:{doc-1}:j1", "status", "FAILED").Err())
		_, err := b.Jobs.Start(t.Context(), impltest.Target, impltest.Total)
		assert.ErrorIs(t, err, impl.ErrIDTaken)
		assert.Empty(t, b.Pointer(t))
		assert.Empty(t, b.Started)
	}},
	{"a stale pointer does not block", func(t *testing.T, b *impltest.Bench) {
		require.NoError(t, b.Redis.Set(t.Context(), impl.PointerKey(impltest.Target), "dead", 0).Err())
		job := b.Start(t)
		assert.Equal(t, job.ID, b.Pointer(t))
	}},
}

// twoRunning leaves an older job RUNNING beside the one the pointer names.
func twoRunning(t *testing.T, b *impltest.Bench) (older, newer impl.Job) {
	t.Helper()
	older = b.Start(t)
	require.NoError(t, b.Redis.Del(t.Context(), older.PointerKey()).Err()) // as its TTL would
	return older, b.Start(t)
}

func assertRefused(t *testing.T, err error, op string, met impl.JobState) {
	t.Helper()
	var refused *impl.RefusedError
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, op, refused.Op)
	assert.Equal(t, met, refused.Met)
}

func assertApplied(t *testing.T, b *impltest.Bench, want int) {
	t.Helper()
	for _, item := range b.Items(t) {
		assert.Equal(t, want, item.Applied, "applied of item %d", item.Index)
	}
}

// Every write may be sent again after a lost reply.
func TestJobsRepeatedCalls(t *testing.T) {
	b := impltest.NewBench(t, impltest.OpenMini(t), newJobs, impl.JobsConfig{})
	ctx := t.Context()
	job := b.Start(t)
	again, err := newJobs(b.Redis, impl.JobsConfig{NewID: func() string { return job.ID }})
	require.NoError(t, err)
	acquired, err := again.Start(ctx, impltest.Target, impltest.Total)
	require.NoError(t, err)
	assert.Equal(t, impl.Acquired{Job: job}, acquired, "the same acquisition")

	for _, text := range []string{"first", "second"} {
		require.NoError(t, b.Jobs.Progress(ctx, job, 0, text))
	}
	status, err := b.Jobs.Status(ctx, job)
	require.NoError(t, err)
	assert.Equal(t, 1, status.Processed)
	assert.Equal(t, "second", b.Redis.HGet(ctx, job.ResultsKey(), "0").Val())

	for range 2 {
		require.NoError(t, b.Jobs.Succeed(ctx, job))
	}
	failed := b.Start(t)
	for range 2 {
		require.NoError(t, b.Jobs.Fail(ctx, failed))
	}
}

func TestJobsShortPointer(t *testing.T) {
	client := impltest.OpenMini(t)
	short := impl.JobsConfig{PointerTTL: 5 * time.Minute}
	_, err := newJobs(client, short)
	assert.ErrorIs(t, err, impl.ErrShortPointer)
	short.AllowShortPointer = true
	_, err = newJobs(client, short)
	assert.NoError(t, err)
	_, err = newJobs(client, impl.JobsConfig{JobTTL: time.Minute})
	assert.ErrorIs(t, err, impl.ErrInvalid)
}

// The poll that found the deadline passed reports the end that came before it.
func TestJobsStatusReportsTheEndItMet(t *testing.T) {
	b := impltest.NewBench(t, impltest.OpenMini(t), newJobs, impl.JobsConfig{})
	job := b.Start(t)
	poller, err := newJobs(b.Redis, impl.JobsConfig{Now: func() time.Time {
		// The poll asks for the time between its reading and its transition.
		require.NoError(t, b.Jobs.Succeed(t.Context(), job))
		return b.Clock.Add(time.Hour)
	}})
	require.NoError(t, err)
	status, err := poller.Status(t.Context(), job)
	require.NoError(t, err)
	assert.Equal(t, impl.JobSuccess, status.State)
	assert.Equal(t, impl.JobSuccess, b.State(t, job))
}
