package naive_test

import (
	"testing"
	"time"

	"github.com/racebench/racebench/impl"
	"github.com/racebench/racebench/impl/impltest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each limit that the documentation admits, shown by calls one after the other.
func TestJobsDocumentedLimits(t *testing.T) {
	for _, limit := range []struct {
		name string
		show func(t *testing.T, b *impltest.Bench)
	}{
		{"FAILED becomes SUCCESS", func(t *testing.T, b *impltest.Bench) {
			job := b.Start(t)
			require.NoError(t, b.Jobs.Fail(t.Context(), job))
			require.NoError(t, b.Jobs.Succeed(t.Context(), job))
			assert.Equal(t, impl.JobSuccess, b.State(t, job))
		}},
		{"the pointer of a newer job is deleted", func(t *testing.T, b *impltest.Bench) {
			older := b.Start(t)
			require.NoError(t, b.Redis.Del(t.Context(), older.PointerKey()).Err()) // as its TTL would
			newer := b.Start(t)
			require.NoError(t, b.Jobs.Fail(t.Context(), older))
			assert.Empty(t, b.Pointer(t))
			assert.Equal(t, impl.JobRunning, b.State(t, newer))
		}},
		{"a job that has ended goes on growing", func(t *testing.T, b *impltest.Bench) {
			job := b.Start(t)
			require.NoError(t, b.Jobs.Fail(t.Context(), job))
			require.NoError(t, b.Jobs.Progress(t.Context(), job, 0, "late"))
			assert.Equal(t, "1", b.Redis.HGet(t.Context(), job.Key(), "processed").Val())
		}},
		{"an item reported twice counts twice", func(t *testing.T, b *impltest.Bench) {
			job := b.Start(t)
			for range 2 {
				require.NoError(t, b.Jobs.Progress(t.Context(), job, 0, "zero"))
			}
			assert.Equal(t, "2", b.Redis.HGet(t.Context(), job.Key(), "processed").Val())
		}},
		{"a job past its TTL comes back for ever, unreadable", func(t *testing.T, b *impltest.Bench) {
			job := b.Start(t)
			require.NoError(t, b.Redis.Del(t.Context(), job.Key()).Err()) // as its TTL would
			require.NoError(t, b.Jobs.Progress(t.Context(), job, 0, "late"))
			assert.Equal(t, time.Duration(-1), b.Redis.TTL(t.Context(), job.Key()).Val(), "no TTL")
			_, err := b.Jobs.Status(t.Context(), job)
			assert.ErrorIs(t, err, impl.ErrCorrupt)
		}},
		{"a part is applied like the whole", func(t *testing.T, b *impltest.Bench) {
			job := b.Start(t)
			b.Finish(t, job)
			require.NoError(t, b.Redis.HDel(t.Context(), job.ResultsKey(), "1").Err())
			rows, err := b.Jobs.Apply(t.Context(), job, b.DB)
			require.NoError(t, err)
			assert.Equal(t, 2, rows)
			assert.Equal(t, []int{1, 0, 1}, applied(b.Items(t)))
		}},
		{"a second apply applies again", func(t *testing.T, b *impltest.Bench) {
			job := b.Start(t)
			b.Finish(t, job)
			for range 2 {
				_, err := b.Jobs.Apply(t.Context(), job, b.DB)
				require.NoError(t, err)
			}
			assert.Equal(t, []int{2, 2, 2}, applied(b.Items(t)))
		}},
	} {
		t.Run(limit.name, func(t *testing.T) {
			limit.show(t, impltest.NewBench(t, impltest.OpenMini(t), newJobs, impl.JobsConfig{}))
		})
	}
}

func applied(items []impl.Item) []int {
	var counts []int
	for _, item := range items {
		counts = append(counts, item.Applied)
	}
	return counts
}

func TestJobsAcceptAShortPointer(t *testing.T) {
	_, err := newJobs(impltest.OpenMini(t), impl.JobsConfig{PointerTTL: time.Minute})
	assert.NoError(t, err)
	_, err = newJobs(impltest.OpenMini(t), impl.JobsConfig{Deadline: -1})
	assert.ErrorIs(t, err, impl.ErrInvalid)
}
