package impltest

import (
	"testing"
	"time"

	"github.com/racebench/racebench/impl"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// jobsCase is one sequential behaviour that all implementations share.
type jobsCase struct {
	name string
	test func(t *testing.T, b *Bench)
}

// jobsCaseCount is asserted, so that a case cannot be lost unnoticed.
const jobsCaseCount = 14

// RunJobs runs the suite against every backend there is, beside the other
// parallel tests: a redis-server takes two seconds to become a cluster.
func RunJobs(t *testing.T, newJobs NewJobs) {
	t.Parallel()
	ran := 0
	backends := Backends(t)
	for _, backend := range backends {
		for _, c := range jobsCases {
			t.Run(backend.Name+"/"+c.name, func(t *testing.T) {
				ran++
				c.test(t, NewBench(t, backend.Open(t), newJobs, impl.JobsConfig{}))
			})
		}
	}
	t.Run("count", func(t *testing.T) {
		if len(jobsCases) != jobsCaseCount {
			t.Errorf("the suite has %d cases, want %d", len(jobsCases), jobsCaseCount)
		}
		t.Logf("%d cases ran on %d backends", ran, len(backends))
	})
}

var jobsCases = []jobsCase{
	{"start writes hash, pointer and their TTLs", func(t *testing.T, b *Bench) {
		job := b.Start(t)
		assert.Equal(t, job.ID, b.Pointer(t))
		assert.Equal(t, []impl.Job{job}, b.Started)
		hash := b.Redis.HGetAll(t.Context(), "job:{doc-1}:"+job.ID).Val()
		assert.Equal(t, map[string]string{
			"status": "RUNNING", "total": "3", "processed": "0", "created_at": "1700000000000",
		}, hash)
		assertTTL(t, b, job.PointerKey(), 20*time.Minute)
		assertTTL(t, b, job.Key(), time.Hour)
	}},
	{"start while running reuses the job", func(t *testing.T, b *Bench) {
		job := b.Start(t)
		for range 2 {
			acquired, err := b.Jobs.Start(t.Context(), Target, Total)
			require.NoError(t, err)
			assert.Equal(t, impl.Acquired{Job: job, Reused: true}, acquired)
		}
		assert.Len(t, b.Started, 1, "workers started")
		assert.Len(t, b.Redis.Keys(t.Context(), "*").Val(), 2, "keys: pointer and hash")
	}},
	{"start after the end is a new job", func(t *testing.T, b *Bench) {
		first := b.Start(t)
		b.Finish(t, first)
		second := b.Start(t)
		assert.NotEqual(t, first, second)
		assert.Equal(t, second.ID, b.Pointer(t))
		assert.Len(t, b.Started, 2, "workers started")
	}},
	{"targets do not disturb each other", func(t *testing.T, b *Bench) {
		job := b.Start(t)
		other, err := b.Jobs.Start(t.Context(), "doc-2", 1)
		require.NoError(t, err)
		require.NoError(t, b.Jobs.Fail(t.Context(), other.Job))
		assert.Equal(t, job.ID, b.Pointer(t))
		assert.Equal(t, impl.JobRunning, b.State(t, job))
	}},
	{"progress is counted and stored", func(t *testing.T, b *Bench) {
		job := b.Start(t)
		require.NoError(t, b.Jobs.Progress(t.Context(), job, 2, "two"))
		require.NoError(t, b.Jobs.Progress(t.Context(), job, 0, "zero"))
		status, err := b.Jobs.Status(t.Context(), job)
		require.NoError(t, err)
		assert.Equal(t, impl.JobStatus{State: impl.JobRunning, Total: 3, Processed: 2, CreatedAt: b.Clock}, status)
		assert.Equal(t, map[string]string{"0": "zero", "2": "two"},
			b.Redis.HGetAll(t.Context(), "job:{doc-1}:"+job.ID+":results").Val())
		assertTTL(t, b, job.ResultsKey(), time.Hour)
	}},
	{"succeed ends the job and frees the target", func(t *testing.T, b *Bench) {
		job := b.Start(t)
		require.NoError(t, b.Jobs.Succeed(t.Context(), job))
		assert.Equal(t, impl.JobSuccess, b.State(t, job))
		assert.Empty(t, b.Pointer(t))
	}},
	{"fail ends the job and frees the target", func(t *testing.T, b *Bench) {
		job := b.Start(t)
		require.NoError(t, b.Jobs.Fail(t.Context(), job))
		assert.Equal(t, impl.JobFailed, b.State(t, job))
		assert.Empty(t, b.Pointer(t))
	}},
	{"status fails a job at its deadline, not before", func(t *testing.T, b *Bench) {
		job := b.Start(t)
		b.Clock = b.Clock.Add(10*time.Minute - time.Millisecond)
		status, err := b.Jobs.Status(t.Context(), job)
		require.NoError(t, err)
		assert.Equal(t, impl.JobRunning, status.State)
		assert.Equal(t, job.ID, b.Pointer(t))

		b.Clock = b.Clock.Add(time.Millisecond)
		status, err = b.Jobs.Status(t.Context(), job)
		require.NoError(t, err)
		assert.Equal(t, impl.JobFailed, status.State)
		assert.Equal(t, impl.JobFailed, b.State(t, job))
		assert.Empty(t, b.Pointer(t))
	}},
	{"progress does not move the deadline", func(t *testing.T, b *Bench) {
		job := b.Start(t)
		b.Clock = b.Clock.Add(9 * time.Minute)
		require.NoError(t, b.Jobs.Progress(t.Context(), job, 0, "late"))
		b.Clock = b.Clock.Add(time.Minute)
		status, err := b.Jobs.Status(t.Context(), job)
		require.NoError(t, err)
		assert.Equal(t, impl.JobFailed, status.State)
	}},
	{"status leaves a SUCCESS job alone after the deadline", func(t *testing.T, b *Bench) {
		job := b.Start(t)
		b.Finish(t, job)
		b.Clock = b.Clock.Add(time.Hour)
		status, err := b.Jobs.Status(t.Context(), job)
		require.NoError(t, err)
		assert.Equal(t, impl.JobSuccess, status.State)
		assert.Equal(t, Total, status.Processed)
	}},
	{"an unknown job is not found", func(t *testing.T, b *Bench) {
		nobody := impl.Job{Target: Target, ID: "nobody"}
		_, err := b.Jobs.Status(t.Context(), nobody)
		assert.ErrorIs(t, err, impl.ErrNotFound)
		_, err = b.Jobs.Apply(t.Context(), nobody, b.DB)
		assert.ErrorIs(t, err, impl.ErrNotFound)
	}},
	{"apply writes every row of a SUCCESS job", func(t *testing.T, b *Bench) {
		job := b.Start(t)
		b.Finish(t, job)
		rows, err := b.Jobs.Apply(t.Context(), job, b.DB)
		require.NoError(t, err)
		assert.Equal(t, Total, rows)
		assert.Equal(t, []impl.Item{
			{Index: 0, Text: "text 0 of " + job.ID, Applied: 1},
			{Index: 1, Text: "text 1 of " + job.ID, Applied: 1},
			{Index: 2, Text: "text 2 of " + job.ID, Applied: 1},
		}, b.Items(t))
	}},
	{"apply refuses a job that is not SUCCESS", func(t *testing.T, b *Bench) {
		job := b.Start(t)
		assertApplyRefused(t, b, job, impl.JobRunning)
		require.NoError(t, b.Jobs.Fail(t.Context(), job))
		assertApplyRefused(t, b, job, impl.JobFailed)
		for _, item := range b.Items(t) {
			assert.Zero(t, item.Applied)
		}
	}},
	{"bad arguments are refused and write nothing", func(t *testing.T, b *Bench) {
		for _, bad := range []struct {
			target string
			total  int
		}{{"", 1}, {"a}b", 1}, {"{", 1}, {Target, 0}, {Target, -1}} {
			_, err := b.Jobs.Start(t.Context(), bad.target, bad.total)
			assert.ErrorIs(t, err, impl.ErrInvalid, "Start(%q, %d)", bad.target, bad.total)
		}
		err := b.Jobs.Progress(t.Context(), impl.Job{Target: Target, ID: "j1"}, -1, "")
		assert.ErrorIs(t, err, impl.ErrInvalid)
		assert.Empty(t, b.Recorder.Take(), "commands sent")
	}},
}

func assertApplyRefused(t *testing.T, b *Bench, job impl.Job, met impl.JobState) {
	t.Helper()
	_, err := b.Jobs.Apply(t.Context(), job, b.DB)
	var refused *impl.RefusedError
	require.ErrorAs(t, err, &refused)
	assert.ErrorIs(t, err, impl.ErrRefused)
	assert.Equal(t, impl.RefusedError{Job: job, Op: "apply", Met: met}, *refused)
}

// assertTTL allows for the seconds that a test may take on a real server.
func assertTTL(t *testing.T, b *Bench, key string, want time.Duration) {
	t.Helper()
	assert.InDelta(t, want.Seconds(), b.Redis.PTTL(t.Context(), key).Val().Seconds(), 10, "TTL of %s", key)
}
