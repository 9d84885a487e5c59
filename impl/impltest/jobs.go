package impltest

import (
	"context"
	"database/sql"
	"fmt"
	"testing"
	"time"

	"github.com/racebench/racebench/impl"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
)

// NewJobs is the constructor of an implementation.
type NewJobs func(rdb redis.UniversalClient, cfg impl.JobsConfig) (impl.Jobs, error)

// Bench is one implementation on one server, with a clock that only the test
// moves, numbered ids and a list of the workers started.
type Bench struct {
	Jobs     impl.Jobs
	Redis    *redis.Client
	Recorder *Recorder
	DB       *sql.DB // target doc-1 with items 0 to 2
	Started  []impl.Job
	Clock    time.Time
}

// Target and Total are the target that a Bench has rows for, and how many.
const (
	Target = "doc-1"
	Total  = 3
)

// NewBench returns a bench for one test. The fields of cfg that a Bench owns
// (NewID, Now, StartWorker) are replaced.
func NewBench(t testing.TB, client *redis.Client, newJobs NewJobs, cfg impl.JobsConfig) *Bench {
	t.Helper()
	b := &Bench{Redis: client, Recorder: Record(client), Clock: time.UnixMilli(1_700_000_000_000)}
	ids := 0
	cfg.NewID = func() string { ids++; return fmt.Sprintf("j%d", ids) }
	cfg.Now = func() time.Time { return b.Clock }
	cfg.StartWorker = func(_ context.Context, job impl.Job, _ int) { b.Started = append(b.Started, job) }
	jobs, err := newJobs(client, cfg)
	require.NoError(t, err)
	b.Jobs = jobs
	b.DB, err = impl.OpenMemory(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { b.DB.Close() })
	require.NoError(t, impl.AddItems(t.Context(), b.DB, Target, Total))
	return b
}

// Start starts a job of Target that must not be a reused one.
func (b *Bench) Start(t testing.TB) impl.Job {
	t.Helper()
	acquired, err := b.Jobs.Start(t.Context(), Target, Total)
	require.NoError(t, err)
	require.False(t, acquired.Reused, "Start reused %s", acquired.Job)
	return acquired.Job
}

// Finish reports every item of the job and ends it as SUCCESS.
func (b *Bench) Finish(t testing.TB, job impl.Job) {
	t.Helper()
	for item := range Total {
		require.NoError(t, b.Jobs.Progress(t.Context(), job, item, fmt.Sprintf("text %d of %s", item, job.ID)))
	}
	require.NoError(t, b.Jobs.Succeed(t.Context(), job))
}

// State returns the stored status of the job, "" when it has none.
func (b *Bench) State(t testing.TB, job impl.Job) impl.JobState {
	t.Helper()
	hash, err := b.Redis.HGetAll(t.Context(), job.Key()).Result()
	require.NoError(t, err)
	return impl.JobState(hash[impl.FieldStatus])
}

// Pointer returns the id that the pointer of Target holds, "" when there is none.
func (b *Bench) Pointer(t testing.TB) string {
	t.Helper()
	id, err := b.Redis.Get(t.Context(), impl.PointerKey(Target)).Result()
	if err != redis.Nil {
		require.NoError(t, err)
	}
	return id
}

// Items returns the rows of Target.
func (b *Bench) Items(t testing.TB) []impl.Item {
	t.Helper()
	items, err := impl.ReadItems(t.Context(), b.DB, Target)
	require.NoError(t, err)
	return items
}
