package impl

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestJobHashRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		total := rapid.IntRange(1, 1<<30).Draw(t, "total")
		now := time.UnixMilli(rapid.Int64Range(0, 1<<42).Draw(t, "now"))
		status, err := ParseJobHash(Job{}, stored(NewJobHash(total, now)))
		require.NoError(t, err)
		require.Equal(t, JobStatus{State: JobRunning, Total: total, CreatedAt: now}, status)
	})
}

func TestParseJobHashRefuses(t *testing.T) {
	job := Job{Target: "doc-1", ID: "j1"}
	_, err := ParseJobHash(job, nil)
	assert.ErrorIs(t, err, ErrNotFound)
	for _, c := range []struct{ field, value, want string }{
		{"status", "running", `job doc-1/j1: stored value corrupt: status "running" (want RUNNING, SUCCESS or FAILED)`},
		{"status", "", `job doc-1/j1: stored value corrupt: status "" (want RUNNING, SUCCESS or FAILED)`},
		{"total", "three", `job doc-1/j1: stored value corrupt: total "three" (want a number)`},
		{"processed", "", `job doc-1/j1: stored value corrupt: processed "" (want a number)`},
		{"created_at", "1.5", `job doc-1/j1: stored value corrupt: created_at "1.5" (want a number)`},
	} {
		hash := stored(NewJobHash(3, time.UnixMilli(0)))
		hash[c.field] = c.value
		_, err := ParseJobHash(job, hash)
		assert.ErrorIs(t, err, ErrCorrupt)
		assert.EqualError(t, err, c.want)
	}
}

// stored is what Redis gives back for fields and values written to a hash.
func stored(fieldsAndValues []any) map[string]string {
	hash := map[string]string{}
	for i := 0; i < len(fieldsAndValues); i += 2 {
		hash[fmt.Sprint(fieldsAndValues[i])] = fmt.Sprint(fieldsAndValues[i+1])
	}
	return hash
}
