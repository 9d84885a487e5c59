package impl

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// Jobs runs at most one asynchronous job for a target at a time.
//
// What each operation promises when calls run one after the other is said here;
// what is left of it when they overlap is said by each implementation. Errors
// are matched with [errors.Is] against the sentinels of this package; anything
// else comes from Redis or from the database.
type Jobs interface {
	// Start begins a job of total items for target and hands it to the worker,
	// or returns the job that is already running for target.
	Start(ctx context.Context, target string, total int) (Acquired, error)

	// Progress records the text produced for one item, counted from 0.
	Progress(ctx context.Context, job Job, item int, text string) error

	// Succeed ends a running job as SUCCESS.
	Succeed(ctx context.Context, job Job) error

	// Fail ends a running job as FAILED.
	Fail(ctx context.Context, job Job) error

	// Status reports the job, and first turns it into FAILED if it is still
	// RUNNING and the deadline has passed since it was created. The deadline is
	// absolute: progress does not move it, and the worker is not told.
	Status(ctx context.Context, job Job) (JobStatus, error)

	// Apply writes the results of a SUCCESS job to the rows of its target (see
	// [Migrate]) and returns how many rows it changed.
	Apply(ctx context.Context, job Job, db *sql.DB) (int, error)
}

// Job names one job of one target.
type Job struct {
	Target string
	ID     string
}

// String returns target/id.
func (j Job) String() string { return j.Target + "/" + j.ID }

// Acquired is the answer of Start.
type Acquired struct {
	Job
	Reused bool // the job was already running; no worker was started for this call
}

// JobStatus is what a poll sees.
type JobStatus struct {
	State     JobState
	Total     int
	Processed int
	CreatedAt time.Time
}

// JobState is the status field of a job.
type JobState string

// The states of a job. RUNNING is the only one that may be left.
const (
	JobRunning JobState = "RUNNING"
	JobSuccess JobState = "SUCCESS"
	JobFailed  JobState = "FAILED"
)

// Terminal reports whether a job in this state has ended.
func (s JobState) Terminal() bool { return s == JobSuccess || s == JobFailed }

// ParseJobState returns the state named by a stored status field.
// It returns [ErrCorrupt] for any other text.
func ParseJobState(field string) (JobState, error) {
	switch s := JobState(field); s {
	case JobRunning, JobSuccess, JobFailed:
		return s, nil
	}
	return "", fmt.Errorf("%w: status %q (want RUNNING, SUCCESS or FAILED)", ErrCorrupt, field)
}
