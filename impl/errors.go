package impl

import (
	"errors"
	"fmt"
)

// Sentinel errors. An implementation that does not look cannot refuse: naive
// and setnx return only ErrInvalid, ErrNotFound, ErrCorrupt and, from Apply,
// ErrRefused; setnx also ErrContended.
var (
	// ErrInvalid: an argument or a configuration that can never work.
	ErrInvalid = errors.New("invalid")

	// ErrNotFound: the job never existed or its TTL has passed.
	ErrNotFound = errors.New("job not found")

	// ErrRefused: the state of the job, or of the datum, does not allow the
	// operation. The error is a *[RefusedError], or a *[StateError], which
	// carries the state met.
	ErrRefused = errors.New("refused by the job's state")

	// ErrNotOwner: the job may not succeed because the pointer does not name it.
	ErrNotOwner = errors.New("job does not own the pointer")

	// ErrIncomplete: the job is SUCCESS but not all of its results are there.
	ErrIncomplete = errors.New("results incomplete")

	// ErrAlreadyApplied: the results of this job were applied before.
	ErrAlreadyApplied = errors.New("job already applied")

	// ErrIDTaken: the new id belongs to another job, or to this one after its end.
	ErrIDTaken = errors.New("job id taken")

	// ErrContended: the pointer changed under every attempt; nothing was started.
	ErrContended = errors.New("pointer contended")

	// ErrShortPointer: the pointer would expire before the deadline of its job,
	// so that a second job could run beside the first.
	ErrShortPointer = errors.New("pointer TTL below the deadline")

	// ErrLockTimeout: another held the lock for the whole wait; nothing was done.
	ErrLockTimeout = errors.New("lock not free in time")

	// ErrLeaseLost: the lease ran out, or was taken away, before its holder was
	// done: others may have been let in since.
	ErrLeaseLost = errors.New("lease lost")

	// ErrAttemptLost: the attempt at a task is over, or is another worker's, and
	// nothing of it was recorded. The error is an *[AttemptError].
	ErrAttemptLost = errors.New("attempt lost")

	// ErrCorrupt: a key holds what no version of this code writes.
	ErrCorrupt = errors.New("stored value corrupt")
)

// RefusedError is the [ErrRefused] of one call.
type RefusedError struct {
	Job Job
	Op  string   // "succeed", "fail", "progress" or "apply"
	Met JobState // the state the job was in at that moment
}

// Error names the job, the operation and the state met.
func (e *RefusedError) Error() string {
	return fmt.Sprintf("job %s: %s %v: it is %s", e.Job, e.Op, ErrRefused, e.Met)
}

// Is makes errors.Is(err, ErrRefused) true.
func (e *RefusedError) Is(target error) bool { return target == ErrRefused }
