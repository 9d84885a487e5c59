package scenarios

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/racebench/racebench/impl"
	"github.com/racebench/racebench/impl/lua"
	"github.com/racebench/racebench/impl/naive"
	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/invariants"
)

// queueSubject is the subject of these scenarios.
const queueSubject = "queue"

// queueOrders is how many worlds of a race a run explores. They are long, and each opens a database from several processes.
const queueOrders = 12

// Keys of the notes that the actors of these scenarios make.
const (
	noteBegun    = "begun"     // a task, with its attempt where there is one: a handler runs
	noteEnded    = "completed" // a task: a worker has recorded that it is done
	noteFailed   = "failed"    // a task and what its row says now: a worker has recorded that its handler failed
	noteLate     = "too late"  // an attempt that is refused
	noteReaper   = "log"       // a pass of the reaper, as it logs it
	noteBroken   = "pass ends" // why a pass of the reaper came to no end
	noteMisfit   = "misfit"    // why a worker let an entry go
	noteWaited   = "waited"    // why a worker no longer waits for a task
	noteError    = "error"     // after which a process goes on
	pointExecute = "execute"   // where a worker is while its handler runs
)

// stale is the move of the clock after which what was taken before has been active for too long: by more than the timeout,
// not just for it.
const stale = impl.DefaultTimeout + time.Second

// queueWorld is a world of the queue subject while it is being described.
type queueWorld struct {
	*interleave.World
	impl string
	cfg  impl.QueueConfig // Now is set for each process
	opt  naive.QueueOptions

	// What a scenario changes in recovery.
	reapAt     time.Duration // when R comes
	workerSkew time.Duration // of the clock of W
	poison     func() error  // what is given beside the task
}

// queueProcess is one simulated process with its own implementation on its own connections.
type queueProcess struct {
	*queueWorld
	actor *interleave.Actor
	queue impl.Queue
}

// queue begins a world on one queue, named as the target, whose rows are in the world's database.
func queue(w *interleave.World, name, target string) *queueWorld {
	q := &queueWorld{World: w, impl: name, cfg: impl.QueueConfig{Name: target}, reapAt: stale}
	w.Fail(impl.MigrateTasks(context.Background(), w.SQL()))
	return q
}

// open makes the world's implementation for one process, with a clock of its own; nil for that of the world.
func (w *queueWorld) open(rdb redis.UniversalClient, db *sql.DB, now func() time.Time) (impl.Queue, error) {
	cfg := w.cfg
	cfg.Now = now
	if w.impl == "lua" {
		return lua.NewQueue(rdb, db, cfg)
	}
	return naive.NewQueue(rdb, db, cfg, w.opt)
}

// given adds tasks before the first step, by the implementation itself.
func (w *queueWorld) given(tasks ...int64) {
	q, err := w.open(w.Redis(), w.SQL(), nil)
	for _, id := range tasks {
		if err == nil {
			err = q.Add(context.Background(), id)
		}
	}
	if err != nil {
		w.Fail(fmt.Errorf("given tasks %v: %w", tasks, err))
	}
}

// actor adds a process that does some things, one after the other, until one of them returns an error.
func (w *queueWorld) actor(name string, does ...func(*queueProcess) error) {
	w.Actor(name, func(a *interleave.Actor) error {
		q, err := w.open(a.Redis(), a.SQL(), a.Now)
		p := &queueProcess{queueWorld: w, actor: a, queue: q}
		for _, do := range does {
			if err == nil {
				err = do(p)
			}
		}
		return err
	})
}

// tasks is how the world's implementation keeps its tasks, for the invariants. Naive has no place for those that are at
// their end.
func (w *queueWorld) tasks() invariants.Tasks {
	t := invariants.Tasks{Ready: w.cfg.ReadyKey(), Active: w.cfg.ActiveKey(), Rows: w.rows}
	if w.impl == "lua" {
		t.Done, t.Dead = w.cfg.DoneKey(), w.cfg.DeadKey()
	}
	return t
}

// rows reads the rows, for the invariants.
func (w *queueWorld) rows() ([]invariants.TaskRow, error) {
	list, err := impl.ReadTasks(context.Background(), w.SQL())
	rows := make([]invariants.TaskRow, len(list))
	for i, row := range list {
		rows[i] = invariants.TaskRow{ID: strconv.FormatInt(row.ID, 10), Status: string(row.State), Retries: row.Retries}
	}
	return rows, err
}

// judged attaches what the queue promises: all of it.
func (w *queueWorld) judged() {
	t := w.tasks()
	w.Check(t.NeverInTwo(), t.NoneLost(), t.AllEnd(), t.RowAgrees(), t.RetriesCounted(), invariants.AtMostOnce(noteEnded),
		invariants.EndedByLast(noteBegun, noteEnded))
	if w.impl == "lua" {
		w.Check(invariants.OneOwner(noteBegun))
	}
}
