package impl

import (
	"fmt"
	"strconv"
	"time"
)

// Fields of the hash of a job.
const (
	FieldStatus    = "status"
	FieldTotal     = "total"
	FieldProcessed = "processed"
	FieldCreatedAt = "created_at"
)

// NewJobHash returns the fields and values of a job that has just been created,
// in the order in which they are written.
func NewJobHash(total int, now time.Time) []any {
	return []any{
		FieldStatus, string(JobRunning),
		FieldTotal, total,
		FieldProcessed, 0,
		FieldCreatedAt, now.UnixMilli(),
	}
}

// ParseJobHash reads the hash of a job. An empty one is [ErrNotFound]; one with
// a missing or unreadable field is [ErrCorrupt], which is how a hash looks that
// a late write has brought back after its TTL.
func ParseJobHash(job Job, hash map[string]string) (JobStatus, error) {
	if len(hash) == 0 {
		return JobStatus{}, fmt.Errorf("job %s: %w", job, ErrNotFound)
	}
	state, err := ParseJobState(hash[FieldStatus])
	if err != nil {
		return JobStatus{}, fmt.Errorf("job %s: %w", job, err)
	}
	s := JobStatus{State: state}
	var createdMilli int64
	for _, f := range []struct {
		name string
		set  func(int64)
	}{
		{FieldTotal, func(n int64) { s.Total = int(n) }},
		{FieldProcessed, func(n int64) { s.Processed = int(n) }},
		{FieldCreatedAt, func(n int64) { createdMilli = n }},
	} {
		n, err := strconv.ParseInt(hash[f.name], 10, 64)
		if err != nil {
			return JobStatus{}, fmt.Errorf("job %s: %w: %s %q (want a number)", job, ErrCorrupt, f.name, hash[f.name])
		}
		f.set(n)
	}
	s.CreatedAt = time.UnixMilli(createdMilli)
	return s, nil
}
