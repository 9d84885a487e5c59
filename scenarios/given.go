package scenarios

import (
	"context"
	"fmt"

	"github.com/racebench/racebench/impl"
	"github.com/racebench/racebench/invariants"
)

// What is given before the first step is made by the implementation itself, on a client that does not pass the gate.

// givenJob starts a job and reports some of its items. Its id is the name with the number 1.
func (w *jobsWorld) givenJob(name string, reported int) impl.Job {
	ctx := context.Background()
	job := w.job("")
	jobs, err := w.open(w.Redis(), name, func(impl.Job) {})
	if err != nil {
		w.Fail(err)
		return job
	}
	got, err := jobs.Start(ctx, w.target, items)
	if err == nil && got.Reused {
		err = fmt.Errorf("the target has the running job %s already", got.ID)
	}
	job = got.Job
	for item := 0; item < reported && err == nil; item++ {
		err = jobs.Progress(ctx, job, item, textOf(job, item))
	}
	if err != nil {
		w.Fail(fmt.Errorf("given job %s: %w", name, err))
	}
	return job
}

// givenSuccess starts a job, reports some of its items and ends it as SUCCESS.
func (w *jobsWorld) givenSuccess(name string, reported int) impl.Job {
	job := w.givenJob(name, reported)
	jobs, err := w.open(w.Redis(), name, func(impl.Job) {})
	if err == nil {
		err = jobs.Succeed(context.Background(), job)
	}
	if err != nil {
		w.Fail(fmt.Errorf("given success of %s: %w", name, err))
	}
	return job
}

// givenTwo leaves an older job RUNNING beside the one that the pointer names.
func (w *jobsWorld) givenTwo() (older, newer impl.Job) {
	older = w.givenJob("old", 0)
	// As its TTL, or an eviction, would.
	if err := w.Redis().Del(context.Background(), older.PointerKey()).Err(); err != nil {
		w.Fail(fmt.Errorf("given lost pointer: %w", err))
	}
	return older, w.givenJob("new", 0)
}

// givenRows makes the rows of the target in the world's database, which no apply has touched.
func (w *jobsWorld) givenRows() {
	ctx := context.Background()
	err := impl.Migrate(ctx, w.SQL())
	if err == nil {
		err = impl.AddItems(ctx, w.SQL(), w.target, items)
	}
	w.Fail(err)
}

// rows reads the rows of the target, for the invariants.
func (w *jobsWorld) rows() ([]invariants.Row, error) {
	list, err := impl.ReadItems(context.Background(), w.SQL(), w.target)
	if err != nil {
		return nil, err
	}
	rows := make([]invariants.Row, len(list))
	for i, item := range list {
		rows[i] = invariants.Row{Name: fmt.Sprintf("item %d of %s", item.Index, w.target), Times: item.Applied}
		if job, ok := jobOfText(w.target, item.Text); ok {
			rows[i].Job = job.Key()
		}
	}
	return rows, nil
}
