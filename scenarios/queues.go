package scenarios

import (
	"context"
	"database/sql"
	"errors"
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
const queueOrders = 20

// Keys of the notes that the actors of these scenarios make.
const (
	noteBegun    = "begun"     // a task, with its attempt where there is one: a handler runs
	noteEnded    = "completed" // a task: a worker has recorded that it is done
	noteFailed   = "failed"    // a task and what its row says now: a worker has recorded that its handler failed
	noteLate     = "too late"  // an attempt that is refused
	noteReaper   = "log"       // a pass of the reaper, as it logs it
	noteBroken   = "pass ends" // why a pass of the reaper came to no end
	noteMisfit   = "misfit"    // why a worker let an entry go
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
}

// queueProcess is one simulated process with its own implementation on its own connections.
type queueProcess struct {
	*queueWorld
	actor *interleave.Actor
	queue impl.Queue
}

// queue begins a world on one queue, named as the target, whose rows are in the world's database.
func queue(w *interleave.World, name, target string) *queueWorld {
	q := &queueWorld{World: w, impl: name, cfg: impl.QueueConfig{Name: target}}
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

// later lets a process come some time after the world began.
func later(d time.Duration) func(*queueProcess) error {
	return func(p *queueProcess) error {
		return comesAfter(d)(&process{actor: p.actor})
	}
}

// add adds a task.
func add(id int64) func(*queueProcess) error {
	return func(p *queueProcess) error { return p.queue.Add(p.actor.Context(), id) }
}

// reap makes one pass of the reaper and notes its line of the log, or why it came to no end.
func (p *queueProcess) reap() error {
	pass, err := p.queue.Reap(p.actor.Context())
	if errors.Is(err, impl.ErrCorrupt) {
		p.actor.Note(noteBroken, err.Error())
		return nil
	}
	if err == nil {
		p.actor.Note(noteReaper, pass.String())
	}
	return err
}

// work takes one task and executes it, unless none comes in time.
func (p *queueProcess) work() error {
	_, err := p.takes(p.execute)
	return err
}

// workAll takes tasks until none comes in time.
func (p *queueProcess) workAll() error {
	for {
		if found, err := p.takes(p.execute); err != nil || !found {
			return err
		}
	}
}

// execute is the slow call of a task.
func (p *queueProcess) execute(_ context.Context, task impl.Task) (string, error) {
	p.actor.Note(noteBegun, task.String())
	p.actor.Point(pointExecute)
	return "by " + p.actor.Name(), nil
}

// takes takes one task for a handler and notes what came of it. A refusal is an outcome and no error.
func (p *queueProcess) takes(handle impl.Handler) (found bool, err error) {
	work, err := p.queue.Work(p.actor.Context(), p.actor.Name(), handle)
	switch {
	case errors.Is(err, impl.ErrAttemptLost):
		p.actor.Note(noteLate, work.Task.String())
		return true, nil
	case errors.Is(err, impl.ErrCorrupt):
		p.actor.Note(noteMisfit, err.Error())
		return true, nil
	case err != nil || !work.Found:
		return false, err
	case work.Cause != nil:
		p.actor.Note(noteFailed, fmt.Sprintf("task %d: %s", work.Task.ID, work.State))
	case work.State == impl.TaskDone:
		p.actor.Note(noteEnded, fmt.Sprintf("task %d", work.Task.ID))
	}
	return true, nil
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
	w.Check(t.NeverInTwo(), t.NoneLost(), t.AllEnd(), t.RowAgrees(), t.RetriesCounted(), invariants.AtMostOnce(noteEnded))
	if w.impl == "lua" {
		w.Check(invariants.OneOwner(noteBegun))
	}
}

// The names of what is judged.
var (
	neverInTwo     = invariants.Tasks{}.NeverInTwo().Name
	noneLost       = invariants.Tasks{}.NoneLost().Name
	allEnd         = invariants.Tasks{}.AllEnd().Name
	rowAgrees      = invariants.Tasks{}.RowAgrees().Name
	retriesCounted = invariants.Tasks{}.RetriesCounted().Name
	atMostOnce     = invariants.AtMostOnce(noteEnded).Name
)

// breaks are invariants that are all violated after one step.
func breaks(step int, names ...string) []Break {
	var out []Break
	for _, name := range names {
		out = append(out, Break{name, step})
	}
	return out
}
