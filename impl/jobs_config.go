package impl

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"time"
)

// JobsConfig is the configuration of every implementation of [Jobs].
// The zero value works.
type JobsConfig struct {
	// Deadline is how long after its creation a RUNNING job is turned into
	// FAILED by the next Status. If unset or zero, 10 minutes.
	Deadline time.Duration

	// PointerTTL is how long the pointer lives; it must outlive the deadline, or
	// a second job may start beside the first. Whole seconds. If unset or zero,
	// twice the Deadline.
	PointerTTL time.Duration

	// JobTTL is how long the hash of a job and its results live. Whole seconds,
	// not below the Deadline. If unset or zero, six times the Deadline.
	JobTTL time.Duration

	// AllowShortPointer lets lua accept a PointerTTL below the Deadline, which
	// it refuses otherwise. The other implementations never look.
	AllowShortPointer bool

	// NewID returns the id of a new job: not empty, no colon or brace, not the
	// word "running". If unset, 26 random characters of crypto/rand.
	NewID func() string

	// Now is the clock of created_at and of the deadline. If unset, time.Now.
	Now func() time.Time

	// StartWorker is called by Start, once for each job it has created and never
	// for a reused one, after everything is stored. It must not block: it starts
	// a goroutine or hands the job to a pool. If unset, nothing is started.
	StartWorker func(ctx context.Context, job Job, total int)
}

// Default durations of [JobsConfig].
const (
	DefaultDeadline   = 10 * time.Minute
	pointerTTLFactor  = 2
	jobTTLFactor      = 6
	reservedPointerID = "running"
)

// Prepare returns the configuration with its defaults filled in, or an error
// that is [ErrInvalid]. Constructors call it.
func (c JobsConfig) Prepare() (JobsConfig, error) {
	c.fillDefault()
	return c, c.Validate()
}

func (c *JobsConfig) fillDefault() {
	if c.Deadline == 0 {
		c.Deadline = DefaultDeadline
	}
	if c.PointerTTL == 0 {
		c.PointerTTL = roundUp(pointerTTLFactor * c.Deadline)
	}
	if c.JobTTL == 0 {
		c.JobTTL = roundUp(jobTTLFactor * c.Deadline)
	}
	if c.NewID == nil {
		c.NewID = rand.Text
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.StartWorker == nil {
		c.StartWorker = func(context.Context, Job, int) {}
	}
}

// roundUp makes a derived TTL a whole number of seconds, never shorter.
func roundUp(d time.Duration) time.Duration {
	return (d + time.Second - 1).Truncate(time.Second)
}

// Validate reports the first field that can never work. It judges a
// configuration whose defaults are filled in (see [JobsConfig.Prepare]).
func (c JobsConfig) Validate() error {
	if c.Deadline <= 0 {
		return fmt.Errorf("%w: Deadline %v (want > 0)", ErrInvalid, c.Deadline)
	}
	if err := wholeSeconds("PointerTTL", c.PointerTTL); err != nil {
		return err
	}
	if err := wholeSeconds("JobTTL", c.JobTTL); err != nil {
		return err
	}
	if c.JobTTL < c.Deadline {
		return fmt.Errorf("%w: JobTTL %v below the Deadline %v: the job would vanish before it can fail",
			ErrInvalid, c.JobTTL, c.Deadline)
	}
	return nil
}

// wholeSeconds: EXPIRE counts in seconds, and a fraction would be cut off silently.
func wholeSeconds(field string, ttl time.Duration) error {
	if ttl < time.Second || ttl%time.Second != 0 {
		return fmt.Errorf("%w: %s %v (want whole seconds, at least 1s)", ErrInvalid, field, ttl)
	}
	return nil
}

// NewJob names a new job of target. It returns [ErrInvalid] when NewID gives an
// id that would break the keys.
func (c JobsConfig) NewJob(target string) (Job, error) {
	id := c.NewID()
	if id == "" || id == reservedPointerID || strings.ContainsAny(id, ":{}") {
		return Job{}, fmt.Errorf("%w: new job id %q (want no colon or brace, not empty, not %q)",
			ErrInvalid, id, reservedPointerID)
	}
	return Job{Target: target, ID: id}, nil
}

// CheckStart returns [ErrInvalid] for arguments that Start must not accept. An
// empty target or one with a brace would break the hash tag, and with it the
// promise that all keys of a target share a slot.
func CheckStart(target string, total int) error {
	if target == "" || strings.ContainsAny(target, "{}") {
		return fmt.Errorf("%w: target %q (want no brace, not empty)", ErrInvalid, target)
	}
	if total < 1 {
		return fmt.Errorf("%w: total %d (want at least 1 item)", ErrInvalid, total)
	}
	return nil
}

// CheckItem returns [ErrInvalid] for an item index below 0.
func CheckItem(item int) error {
	if item < 0 {
		return fmt.Errorf("%w: item %d (want 0 or more)", ErrInvalid, item)
	}
	return nil
}

// Overdue reports whether a job is RUNNING although its deadline has passed.
func (c JobsConfig) Overdue(s JobStatus) bool {
	return s.State == JobRunning && !c.Now().Before(s.CreatedAt.Add(c.Deadline))
}
