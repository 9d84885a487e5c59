package naive_test

import (
	"testing"

	"github.com/racebench/racebench/impl"
	"github.com/racebench/racebench/impl/impltest"
	"github.com/racebench/racebench/impl/naive"
	"github.com/redis/go-redis/v9"
)

func newJobs(rdb redis.UniversalClient, cfg impl.JobsConfig) (impl.Jobs, error) {
	return naive.NewJobs(rdb, cfg)
}

func TestJobsConform(t *testing.T) { impltest.RunJobs(t, newJobs) }
