package impl

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// QueueConfig is the configuration of every [Queue]. Only the Name must be set.
type QueueConfig struct {
	// Name of the queue: not empty, no brace.
	Name string

	// Timeout is how long a task may be active; the reaper takes what is older
	// from its worker. It must be longer than any handler takes. If unset or zero, 600 s.
	Timeout time.Duration

	// Poll is how long Work waits for a task. Whole seconds. Reading heeds no
	// context, so a worker that is told to stop may wait for as long. If unset or
	// zero, 2 s.
	Poll time.Duration

	// MaxRetries is how often a task is put back, by a failure or by the reaper,
	// before it is dead (lua; naive puts back for ever). If unset or zero, 3.
	MaxRetries int

	// Retention is for how long lua remembers that a task is done, and so knows a
	// late duplicate; longer than any reaper or producer can be late. If unset or
	// zero, 24 hours.
	Retention time.Duration

	// Batch is how many stale entries, and how many rows, one pass of the lua
	// reaper looks at. If unset or zero, 1,000.
	Batch int

	// Now is the clock of this process: naive decides by it; lua writes it to
	// finished_at and decides nothing. If unset, time.Now.
	Now func() time.Time
}

// Default values of [QueueConfig], and how often a reaper should pass.
const (
	DefaultTimeout      = 600 * time.Second
	DefaultPoll         = 2 * time.Second
	DefaultMaxRetries   = 3
	DefaultRetention    = 24 * time.Hour
	DefaultBatch        = 1000
	DefaultReapInterval = 30 * time.Second
)

// Prepare returns the configuration with its defaults filled in, or an error
// that is [ErrInvalid]. Constructors call it.
func (c QueueConfig) Prepare() (QueueConfig, error) {
	c.Timeout = cmp.Or(c.Timeout, DefaultTimeout)
	c.Poll = cmp.Or(c.Poll, DefaultPoll)
	c.Retention = cmp.Or(c.Retention, DefaultRetention)
	c.MaxRetries = cmp.Or(c.MaxRetries, DefaultMaxRetries)
	c.Batch = cmp.Or(c.Batch, DefaultBatch)
	if c.Now == nil {
		c.Now = time.Now
	}
	return c, c.validate()
}

func (c QueueConfig) validate() error {
	switch {
	case c.Name == "" || strings.ContainsAny(c.Name, "{}"):
		return fmt.Errorf("%w: queue name %q (want no brace, not empty)", ErrInvalid, c.Name)
	case c.Timeout < time.Millisecond || c.Timeout%time.Millisecond != 0:
		return fmt.Errorf("%w: Timeout %v (want whole milliseconds, at least 1ms)", ErrInvalid, c.Timeout)
	case c.Retention < c.Timeout || c.Retention%time.Millisecond != 0:
		return fmt.Errorf("%w: Retention %v (want whole milliseconds, not below the Timeout %v)", ErrInvalid, c.Retention, c.Timeout)
	case c.MaxRetries < 0 || c.Batch < 0:
		return fmt.Errorf("%w: MaxRetries %d, Batch %d (want 0 or more)", ErrInvalid, c.MaxRetries, c.Batch)
	}
	return wholeSeconds("Poll", c.Poll)
}

// CheckTask returns [ErrInvalid] for an id that no task can have.
func CheckTask(id int64) error {
	if id < 1 {
		return fmt.Errorf("%w: task %d (want 1 or more)", ErrInvalid, id)
	}
	return nil
}

// CheckWorker returns [ErrInvalid] for the name of a worker that would break its key.
func CheckWorker(name string) error {
	if name == "" || strings.ContainsAny(name, "{}") {
		return fmt.Errorf("%w: worker %q (want no brace, not empty)", ErrInvalid, name)
	}
	return nil
}

func (c QueueConfig) key(part string) string { return "queue:{" + c.Name + "}:" + part }

// ReadyKey is the list of tasks that wait for a worker, the next one last.
func (c QueueConfig) ReadyKey() string { return c.key("ready") }

// ActiveKey holds the tasks that a worker has: a list for naive; for lua a sorted
// set with the server's time, in milliseconds, at which each was taken.
func (c QueueConfig) ActiveKey() string { return c.key("active") }

// StartAtKey is the hash of naive that says when each active task was taken, in
// milliseconds of the worker's clock.
func (c QueueConfig) StartAtKey() string { return c.key("start_at") }

// AttemptsKey is the hash of lua that has the number of the last attempt of each
// task that the queue knows.
func (c QueueConfig) AttemptsKey() string { return c.key("attempts") }

// DoneKey is the sorted set of lua of tasks that are done, and since when.
func (c QueueConfig) DoneKey() string { return c.key("done") }

// DeadKey is the sorted set of lua of what was given up, and since when.
func (c QueueConfig) DeadKey() string { return c.key("dead") }

// WakeKey is the list of lua on which idle workers wait.
func (c QueueConfig) WakeKey() string { return c.key("wake") }

// ClaimKey is the hash of lua that has the task that a worker took last.
func (c QueueConfig) ClaimKey(worker string) string { return c.key("claim:" + worker) }
