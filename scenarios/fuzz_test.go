package scenarios

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/racebench/racebench/impl"
	"github.com/racebench/racebench/impl/lua"
	"github.com/racebench/racebench/impl/naive"
	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/invariants"
)

// Targets of go test -fuzz for the three subjects, on the versions that must hold. A plain go test runs the inputs under
// testdata/fuzz, which were drawn at random, and what has been found since.

func FuzzJobs(f *testing.F) {
	f.Fuzz(interleave.MakeFuzz(f, drawJobs("lua"), interleave.Faults("crash:1,lost:1,jump:2"), interleave.Jumps(JumpsOfShapes()...)))
}

func FuzzStatusLock(f *testing.F) {
	f.Fuzz(interleave.MakeFuzz(f, drawLocks("lua"), interleave.Faults("crash:1,lost:1")))
}

func FuzzReliableQueue(f *testing.F) {
	f.Fuzz(interleave.MakeFuzz(f, drawQueue("lua"), interleave.Faults("crash:1,lost:1")))
}

// The same worlds find races in naive, so they could find them in lua.
func TestFuzzedWorldsBreakNaive(t *testing.T) {
	for _, c := range []struct {
		name string
		draw func(*rapid.T) func(*interleave.World)
	}{
		{"jobs", drawJobs("naive")},
		{"locks", drawLocks("naive")},
		{"queue", drawQueue("naive")},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := interleave.Open(interleave.For(t), interleave.Strategy("random"), interleave.MaxExecutions(8), interleave.Unexplained(), interleave.Faults("crash:1"))
			require.NoError(t, err)
			defer r.Close()
			broken := 0
			for seed := range 20 {
				x := r.Explore(t.Context(), rapid.Custom(c.draw).Example(seed))
				require.NoError(t, x.Err)
				broken += min(1, len(x.Found))
			}
			require.GreaterOrEqual(t, broken, 2, "of 20 drawn worlds")
		})
	}
}

// drawJobs draws a shape from rapid.
func drawJobs(impl string) func(*rapid.T) func(*interleave.World) {
	return func(t *rapid.T) func(*interleave.World) {
		shape := rapid.Custom(func(t *rapid.T) *Shape {
			return DrawShape(func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "") }, impl)
		}).Draw(t, "world")
		return func(w *interleave.World) { shape.World(w, Target) }
	}
}

// request is one call of a lock.
type request struct {
	State   impl.State
	Takes   time.Duration
	Fails   bool
	Seconds int // before it comes
}

// drawLocks draws from two to four processes, each of which computes on one datum once or twice.
func drawLocks(version string) func(*rapid.T) func(*interleave.World) {
	return func(t *rapid.T) func(*interleave.World) { return lockWorld(version, drawRequests(t)) }
}

func drawRequests(t *rapid.T) [][]request {
	one := rapid.Custom(func(t *rapid.T) request {
		return request{
			State:   rapid.SampledFrom([]impl.State{impl.Processing, impl.Cancelling}).Draw(t, ""),
			Takes:   rapid.SampledFrom([]time.Duration{0, time.Second, 2 * impl.DefaultStateTTL}).Draw(t, ""), // the last needs a renewal
			Fails:   rapid.Bool().Draw(t, ""),
			Seconds: rapid.IntRange(0, 40).Draw(t, ""),
		}
	})
	return rapid.SliceOfN(rapid.SliceOfN(one, 1, 2), 2, 4).Draw(t, "requests")
}

func lockWorld(version string, all [][]request) func(*interleave.World) {
	return func(w *interleave.World) {
		const datum, in, out = "doc-1", "computes", "ends"
		for i, list := range all {
			w.Actor(string(rune('A'+i)), func(a *interleave.Actor) error {
				tokens := 0
				lock, err := newLock(version, a.Redis(), impl.LockConfig{NewToken: func() string {
					tokens++
					return fmt.Sprintf("%s%d", a.Name(), tokens)
				}})
				for _, r := range list {
					if err == nil {
						err = wait(a.Context(), time.Duration(r.Seconds)*time.Second)
					}
					if err != nil {
						return err
					}
					err = lock.Do(a.Context(), datum, r.State, func(ctx context.Context) error {
						a.Note(in, r.State.String())
						defer a.Note(out, "")
						if err := wait(ctx, r.Takes); err != nil || !r.Fails {
							return err
						}
						return errComputed
					})
					if errors.Is(err, impl.ErrRefused) || errors.Is(err, errComputed) {
						err = nil
					}
				}
				return err
			})
		}
		// By then every lease of a process that died is over.
		w.Actor("last", func(a *interleave.Actor) error {
			if err := wait(a.Context(), time.Hour); err != nil {
				return err
			}
			_, err := a.Redis().Exists(a.Context(), "unrelated").Result()
			return err
		})
		computing := invariants.Computing{In: in, Out: out}
		w.Check(computing.OneState(), computing.WaitingWhenIdle(impl.StatusKey(datum), impl.DefaultStateTTL))
	}
}

func newLock(version string, rdb redis.UniversalClient, cfg impl.LockConfig) (impl.StatusLock, error) {
	if version == "naive" {
		return naive.NewStatusLock(rdb, cfg, naive.LockOptions{})
	}
	return lua.NewStatusLock(rdb, cfg)
}

func newQueue(version string, rdb redis.UniversalClient, db *sql.DB, cfg impl.QueueConfig) (impl.Queue, error) {
	if version == "naive" {
		return naive.NewQueue(rdb, db, cfg, naive.QueueOptions{})
	}
	return lua.NewQueue(rdb, db, cfg)
}

var errComputed = errors.New("computed and failed")

// drawQueue draws tasks, workers of which some handlers fail, and reapers that come when nobody is late yet. In the end, when
// everybody is, processes work off what is left.
func drawQueue(version string) func(*rapid.T) func(*interleave.World) {
	return func(t *rapid.T) func(*interleave.World) { return drawTasks(t, version) }
}

func drawTasks(t *rapid.T, version string) func(*interleave.World) {
	tasks := rapid.IntRange(1, 2).Draw(t, "tasks")
	workers := rapid.SliceOfN(rapid.SliceOfN(rapid.Bool(), 1, 2), 1, 2).Draw(t, "whether the attempts of each worker fail")
	reapers := rapid.IntRange(0, 1).Draw(t, "reapers")
	const attempt = "begins"
	return func(w *interleave.World) {
		db, err := impl.OpenTasks(context.Background())
		if err != nil {
			w.Fail(err)
			return
		}
		w.Cleanup(func() { db.Close() })
		cfg := impl.QueueConfig{Name: "q"}
		add := func(name string, does func(*interleave.Actor, impl.Queue) error) {
			w.Actor(name, func(a *interleave.Actor) error {
				q, err := newQueue(version, a.Redis(), db, cfg)
				if err != nil {
					return err
				}
				return does(a, q)
			})
		}
		work := func(a *interleave.Actor, q impl.Queue, fails bool) error {
			_, err := q.Work(a.Context(), a.Name(), func(_ context.Context, task impl.Task) (string, error) {
				a.Note(attempt, fmt.Sprintf("%d/%d", task.ID, task.Attempt))
				if fails && version != "naive" { // which never tries again
					return "", errComputed
				}
				return a.Name(), nil
			})
			if errors.Is(err, impl.ErrAttemptLost) {
				return nil
			}
			return err
		}
		for id := range tasks {
			add("producer"+strconv.Itoa(id+1), func(a *interleave.Actor, q impl.Queue) error { return q.Add(a.Context(), int64(id+1)) })
		}
		for i, list := range workers {
			add("worker"+strconv.Itoa(i+1), func(a *interleave.Actor, q impl.Queue) error {
				for _, fails := range list {
					if err := work(a, q, fails); err != nil {
						return err
					}
				}
				return nil
			})
		}
		for i := range reapers {
			add("reaper"+strconv.Itoa(i+1), func(a *interleave.Actor, q impl.Queue) error {
				_, err := q.Reap(a.Context())
				return err
			})
		}
		// One of them may die.
		for i := range 2 {
			add("survivor"+strconv.Itoa(i+1), func(a *interleave.Actor, q impl.Queue) error {
				if err := wait(a.Context(), time.Duration(i)*time.Hour); err != nil {
					return err
				}
				for range 2 { // a pass, what it freed, and a pass that finds nothing
					if err := wait(a.Context(), impl.DefaultTimeout+time.Second); err != nil {
						return err
					}
					if _, err := q.Reap(a.Context()); err != nil {
						return err
					}
					for range tasks {
						if err := work(a, q, false); err != nil {
							return err
						}
					}
				}
				return nil
			})
		}
		queue := invariants.Tasks{Ready: cfg.ReadyKey(), Active: cfg.ActiveKey(), Done: cfg.DoneKey(), Dead: cfg.DeadKey(),
			Rows: func() ([]invariants.TaskRow, error) {
				list, err := impl.ReadTasks(context.Background(), db)
				var rows []invariants.TaskRow
				for _, r := range list {
					rows = append(rows, invariants.TaskRow{ID: strconv.FormatInt(r.ID, 10), Status: string(r.State), Retries: r.Retries})
				}
				return rows, err
			}}
		if version == "naive" {
			w.Check(queue.AllEnd())
			return
		}
		w.Check(queue.NeverInTwo(), queue.NoneLost(), queue.AllEnd(), queue.RowAgrees(), queue.RetriesCounted(), invariants.OneOwner(attempt))
	}
}
