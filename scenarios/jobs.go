package scenarios

import (
	"context"
	"fmt"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/racebench/racebench/impl"
	"github.com/racebench/racebench/impl/lua"
	"github.com/racebench/racebench/impl/naive"
	"github.com/racebench/racebench/impl/setnx"
	"github.com/racebench/racebench/interleave"
	_ "github.com/racebench/racebench/interleave/database/sqlite" // the rows of Apply
	"github.com/racebench/racebench/invariants"
)

// items is how many items a job of these scenarios has.
const items = 3

// newJobs are the constructors of the implementations of the job subject.
var newJobs = map[string]func(redis.UniversalClient, impl.JobsConfig) (impl.Jobs, error){
	"naive": func(rdb redis.UniversalClient, cfg impl.JobsConfig) (impl.Jobs, error) {
		return naive.NewJobs(rdb, cfg)
	},
	"lua": func(rdb redis.UniversalClient, cfg impl.JobsConfig) (impl.Jobs, error) { return lua.NewJobs(rdb, cfg) },
	"setnx": func(rdb redis.UniversalClient, cfg impl.JobsConfig) (impl.Jobs, error) {
		return setnx.NewJobs(rdb, cfg)
	},
}

// judge is how the job subject keeps its jobs, for the invariants.
var judge = invariants.Jobs{
	Pointer: "job:{<target>}:running",
	Hash:    "job:{<target>}:<id>",
	Results: "job:{<target>}:<id>:results",
}

// Keys of the notes that the actors of these scenarios make.
const (
	noteAcquired = "acquired"       // id of the job that Start made
	noteReused   = "reused"         // id of the job that Start met
	noteStarted  = "worker started" // id of the job
	noteRefused  = "refused"        // id of the job and why
	noteState    = "state"          // id of the job and what a poll saw
	noteApplied  = "applied"        // how many rows Apply says that it wrote
)

// jobsWorld is a world of the job subject while it is being described.
type jobsWorld struct {
	*interleave.World
	impl   string
	target string
	cfg    impl.JobsConfig // what the scenario changes; NewID and StartWorker are set for each process
}

// process is one simulated process with its own implementation on its own connections.
type process struct {
	*jobsWorld
	actor *interleave.Actor
	jobs  impl.Jobs
	own   impl.Job // what start got
}

// jobs begins a world on one target of one implementation.
func jobs(w *interleave.World, name, target string) *jobsWorld {
	return &jobsWorld{World: w, impl: name, target: target}
}

// job names a job of the world's target.
func (w *jobsWorld) job(id string) impl.Job { return impl.Job{Target: w.target, ID: id} }

// open makes an implementation whose new jobs get ids from the name: A makes a1, a2 and so on.
func (w *jobsWorld) open(rdb redis.UniversalClient, name string, started func(impl.Job)) (impl.Jobs, error) {
	cfg, made := w.cfg, 0
	cfg.NewID = func() string { made++; return fmt.Sprintf("%s%d", strings.ToLower(name), made) }
	cfg.StartWorker = func(_ context.Context, job impl.Job, _ int) { started(job) }
	return newJobs[w.impl](rdb, cfg)
}

// actor adds a process that does some things, one after the other, until one of them returns an error.
func (w *jobsWorld) actor(name string, does ...func(*process) error) {
	w.Actor(name, func(a *interleave.Actor) error {
		p := &process{jobsWorld: w, actor: a}
		var err error
		p.jobs, err = w.open(a.Redis(), name, func(job impl.Job) { a.Note(noteStarted, job.ID) })
		for _, do := range does {
			if err == nil {
				err = do(p)
			}
		}
		return err
	})
}

// judgeApplied is that what an apply says it has applied was applied, all of it and once.
func judgeApplied(rows invariants.Rows) interleave.Invariant {
	return invariants.AppliedCompleteOnce(noteApplied, rows)
}
