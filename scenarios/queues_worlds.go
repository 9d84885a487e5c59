package scenarios

import (
	"time"

	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/invariants"
)

// The worlds that several scenarios of the queue share, and what is judged in them.

// In all of them L comes when everything else is over: one more pass of the reaper, and a worker. What is not at its end
// then never will be: the next pass would find what this one has found.
const (
	whenOver = time.Hour
	nextWork = 20 * time.Minute // N comes after R's pass, and long before L's
)

// over adds L, and the given ones, each an hour after the one before.
func (w *queueWorld) over(others ...string) {
	for i, name := range append([]string{"L"}, others...) {
		w.actor(name, later(time.Duration(1+i)*whenOver), (*queueProcess).reapOn, (*queueProcess).workAll)
	}
}

// recovery is a world for crashes: W takes a task, R reaps when the timeout has passed, N works after that.
func recovery(impl string, changes ...func(*queueWorld)) func(*interleave.World, string) {
	return func(w *interleave.World, target string) {
		q := queue(w, impl, target)
		for _, change := range changes {
			change(q)
		}
		q.given(1)
		if q.poison != nil {
			w.Fail(q.poison())
		}
		q.actor("W", skewed(q.workerSkew), (*queueProcess).work)
		q.actor("R", later(q.reapAt), (*queueProcess).reap)
		q.actor("N", later(nextWork), (*queueProcess).workAll)
		q.over()
		q.judged()
	}
}

// overtaken is a world in which W is slow: when R has reaped, N takes the task while W is still at it.
func overtaken(impl string) func(*interleave.World, string) {
	return func(w *interleave.World, target string) {
		q := queue(w, impl, target)
		q.given(1)
		q.actor("W", (*queueProcess).work)
		q.actor("R", later(stale), (*queueProcess).reap)
		q.actor("N", later(stale), (*queueProcess).work)
		q.over()
		q.bothAtWork()
		q.judged()
	}
}

// bothAtWork is the window in which N has begun and W has not ended.
func (w *queueWorld) bothAtWork() {
	w.Window("a second worker begins while the first is at work", span{Actor: "W"}, span{Actor: "N", From: "UPDATE(tasks)"})
}

// The names of what is judged.
var (
	neverInTwo     = invariants.Tasks{}.NeverInTwo().Name
	noneLost       = invariants.Tasks{}.NoneLost().Name
	allEnd         = invariants.Tasks{}.AllEnd().Name
	rowAgrees      = invariants.Tasks{}.RowAgrees().Name
	retriesCounted = invariants.Tasks{}.RetriesCounted().Name
	atMostOnce     = invariants.AtMostOnce(noteEnded).Name
	endedByLast    = invariants.EndedByLast(noteBegun, noteEnded).Name
)

// breaks are invariants that are all violated after one step.
func breaks(step int, names ...string) []Break {
	var out []Break
	for _, name := range names {
		out = append(out, Break{name, step})
	}
	return out
}

// The rows at the end, by their status.
const (
	rowsPending    = rowsAre + "pending"
	rowsProcessing = rowsAre + "processing"
	rowsDone       = rowsAre + "done"
	rowsDead       = rowsAre + "dead"
	rowsFailed     = rowsAre + "failed"
)

// ended is what is left of a task that lua has brought to its end with a number of retries.
func endedAfter(retried int) Counts {
	c := Counts{inDone: 1, rowsDone: 1, completions: 1, begun: 1 + retried}
	if retried > 0 {
		c[requeues], c[retries] = retried, retried
	}
	return c
}
