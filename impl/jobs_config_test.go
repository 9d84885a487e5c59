package impl

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestJobsConfigDefaults(t *testing.T) {
	cfg, err := JobsConfig{}.Prepare()
	require.NoError(t, err)
	assert.Equal(t, 10*time.Minute, cfg.Deadline)
	assert.Equal(t, 20*time.Minute, cfg.PointerTTL)
	assert.Equal(t, time.Hour, cfg.JobTTL)
	assert.NotPanics(t, func() { cfg.StartWorker(t.Context(), Job{}, 1) })
	assert.WithinDuration(t, time.Now(), cfg.Now(), time.Minute)
	assert.NotEqual(t, cfg.NewID(), cfg.NewID())

	short, err := JobsConfig{Deadline: 300 * time.Millisecond}.Prepare()
	require.NoError(t, err, "derived TTLs are whole seconds")
	assert.Equal(t, time.Second, short.PointerTTL)
	assert.Equal(t, 2*time.Second, short.JobTTL)
}

func TestJobsConfigValidate(t *testing.T) {
	for _, c := range []struct {
		name string
		cfg  JobsConfig
		want string // part of the error; "" for none
	}{
		{"zero", JobsConfig{}, ""},
		{"short pointer is for lua to judge", JobsConfig{PointerTTL: time.Second}, ""},
		{"negative deadline", JobsConfig{Deadline: -1}, "Deadline -1ns"},
		{"fraction of a second", JobsConfig{PointerTTL: 1500 * time.Millisecond}, "PointerTTL 1.5s"},
		{"negative TTL", JobsConfig{JobTTL: -time.Second}, "JobTTL -1s"},
		{"job dies before its deadline", JobsConfig{JobTTL: time.Minute}, "JobTTL 1m0s below the Deadline 10m0s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := c.cfg.Prepare()
			if c.want == "" {
				assert.NoError(t, err)
				return
			}
			assert.ErrorIs(t, err, ErrInvalid)
			assert.ErrorContains(t, err, c.want)
		})
	}
}

func TestJobsConfigNewJob(t *testing.T) {
	for _, id := range []string{"", "running", "a:b", "a{", "}"} {
		_, err := JobsConfig{NewID: func() string { return id }}.NewJob("doc-1")
		assert.ErrorIs(t, err, ErrInvalid, "id %q", id)
	}
	cfg, err := JobsConfig{}.Prepare()
	require.NoError(t, err)
	_, err = cfg.NewJob("doc-1")
	assert.NoError(t, err, "the default ids are good")
}

func TestOverdue(t *testing.T) {
	created := time.UnixMilli(1_700_000_000_000)
	for _, c := range []struct {
		state JobState
		age   time.Duration
		want  bool
	}{
		{JobRunning, 10*time.Minute - time.Millisecond, false},
		{JobRunning, 10 * time.Minute, true},
		{JobSuccess, time.Hour, false},
		{JobFailed, time.Hour, false},
	} {
		cfg := JobsConfig{Deadline: DefaultDeadline, Now: func() time.Time { return created.Add(c.age) }}
		assert.Equal(t, c.want, cfg.Overdue(JobStatus{State: c.state, CreatedAt: created}), "%s after %v", c.state, c.age)
	}
}
