package naive

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/racebench/racebench/impl"
	"github.com/redis/go-redis/v9"
)

// Apply reads the status, then the results, and writes each result that it
// found to its row. It refuses a job that is not SUCCESS.
//
// Limits: what it finds may be a part, or nothing, when the results went away
// after the status was read or were never complete; a part is applied like the
// whole. A second call applies again. The rows are not written in a transaction.
func (j *Jobs) Apply(ctx context.Context, job impl.Job, db *sql.DB) (int, error) {
	status, err := j.rdb.HGet(ctx, job.Key(), impl.FieldStatus).Result()
	if errors.Is(err, redis.Nil) {
		return 0, fmt.Errorf("apply job %s: %w", job, impl.ErrNotFound)
	}
	if err != nil {
		return 0, fmt.Errorf("apply job %s: read status: %w", job, err)
	}
	if met := impl.JobState(status); met != impl.JobSuccess {
		return 0, &impl.RefusedError{Job: job, Op: "apply", Met: met}
	}
	results, err := j.rdb.HGetAll(ctx, job.ResultsKey()).Result()
	if err != nil {
		return 0, fmt.Errorf("apply job %s: read results: %w", job, err)
	}
	items, err := sortedItems(results)
	if err != nil {
		return 0, fmt.Errorf("apply job %s: %w", job, err)
	}
	changed := 0
	for _, item := range items {
		result, err := db.ExecContext(ctx, impl.UpdateItem, item.Text, job.Target, item.Index)
		if err != nil {
			return changed, fmt.Errorf("apply job %s: update item %d: %w", job, item.Index, err)
		}
		n, err := result.RowsAffected()
		if err != nil {
			return changed, fmt.Errorf("apply job %s: update item %d: %w", job, item.Index, err)
		}
		changed += int(n)
	}
	return changed, nil
}

// sortedItems turns the results hash into items in the order of their index.
func sortedItems(results map[string]string) ([]impl.Item, error) {
	items := make([]impl.Item, 0, len(results))
	for field, text := range results {
		index, err := strconv.Atoi(field)
		if err != nil {
			return nil, fmt.Errorf("%w: result %q (want an item index)", impl.ErrCorrupt, field)
		}
		items = append(items, impl.Item{Index: index, Text: text})
	}
	slices.SortFunc(items, func(a, b impl.Item) int { return a.Index - b.Index })
	return items, nil
}
