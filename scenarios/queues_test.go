package scenarios

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/impl"
	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/internal/raced"
	"github.com/racebench/racebench/invariants"
)

// What of the catalogue is of the queue.
var queueIDs = numbered("C", 14)

var ofQueues = ran{scenarios: 14, cases: 28, variants: 43}

// of is one variant of the catalogue.
func of(t *testing.T, id, impl, name string) *Variant {
	t.Helper()
	s, err := Find(id)
	require.NoError(t, err)
	c, ok := s[0].Case(impl)
	require.True(t, ok)
	i := slices.IndexFunc(c.Variants, func(v Variant) bool { return v.Name == name })
	require.NotEqual(t, -1, i, "%s on %s has no variant %q", id, impl, name)
	return &c.Variants[i]
}

// after runs a variant on the default target and calls look after each step, with the rows as they are then.
func after(t *testing.T, v *Variant, look func(step *interleave.Step, s *interleave.State, rows []impl.TaskRow)) *interleave.Result {
	t.Helper()
	res, err := open(t).Run(v.Schedule, func(w *interleave.World) {
		v.World(w, Target)
		w.Always("looked at", func(s *interleave.State) error {
			rows, err := impl.ReadTasks(context.Background(), s.SQL())
			if steps := s.Trace().Steps; err == nil && len(steps) > 0 {
				look(steps[len(steps)-1], s, rows)
			}
			return err
		})
	})
	require.NoError(t, err)
	require.NoError(t, res.Err)
	return res
}

// The published check, step by step: what there is when a worker has been killed in the middle of its task, what the reaper
// logs, and how the task ends.
func TestPublishedCheckOfTheQueue(t *testing.T) {
	keys := impl.QueueConfig{Name: Target}
	for _, name := range []string{"naive", "lua"} {
		t.Run(name, func(t *testing.T) {
			v := of(t, "C2", name, "after more than 600 s")
			epoch := time.UnixMilli(946_684_800_000)
			var killed, requeued, ended bool
			res := after(t, v, func(step *interleave.Step, s *interleave.State, rows []impl.TaskRow) {
				require.Len(t, rows, 1)
				row := rows[0]
				has := func(key string) bool { return slices.Contains(members(s.Entry(key)), "1") }
				switch {
				case step.Kind == interleave.StepCrash:
					killed = true
					assert.Equal(t, impl.TaskProcessing, row.State)
					assert.Equal(t, 0, row.Retries)
					assert.True(t, row.StartedAt.Equal(epoch), "started at %v", row.StartedAt)
					assert.True(t, row.FinishedAt.IsZero())
					assert.False(t, has(keys.ReadyKey()))
					assert.True(t, has(keys.ActiveKey()))
					if name == "naive" {
						assert.Equal(t, fmt.Sprint(epoch.UnixMilli()), s.Entry(keys.StartAtKey()).Field("1"))
					} else { // the score is the start time
						assert.Equal(t, []string{"1", fmt.Sprint(epoch.UnixMilli())}, s.Entry(keys.ActiveKey()).Items)
					}
				case killed && !requeued && has(keys.ReadyKey()):
					requeued = true
					assert.Equal(t, "R", step.Actor)
					assert.Equal(t, impl.TaskPending, row.State)
					assert.Equal(t, 1, row.Retries)
					assert.True(t, row.StartedAt.IsZero())
					assert.False(t, has(keys.ActiveKey()))
					assert.Nil(t, s.Entry(keys.StartAtKey()))
				case requeued && !ended && row.State == impl.TaskDone:
					ended = true
					assert.Equal(t, "N", step.Actor)
					assert.Equal(t, 1, row.Retries)
					assert.True(t, row.StartedAt.Equal(epoch.Add(nextWork)), "started at %v", row.StartedAt)
					assert.True(t, row.FinishedAt.Equal(epoch.Add(nextWork)), "finished at %v", row.FinishedAt)
					assert.Equal(t, "by N", row.Result)
				}
			})
			assert.True(t, killed && requeued && ended, "killed %v, requeued %v, ended %v", killed, requeued, ended)
			assert.Contains(t, res.Trace.Notes, interleave.Note{Actor: "R", Key: noteReaper, Value: "reaper: 1 stale; requeued 1"})
			check(t, v, res)
		})
	}
}

// members are those of a list or of a sorted set.
func members(e *interleave.Entry) []string {
	switch {
	case e == nil:
		return nil
	case e.Type != "zset":
		return e.Items
	}
	var out []string
	for pair := range slices.Chunk(e.Items, 2) {
		out = append(out, pair[0])
	}
	return out
}

// A pass of just ten minutes after finds nothing, and the next one does.
func TestStaleIsMoreThanTheTimeout(t *testing.T) {
	for _, name := range []string{"naive", "lua"} {
		var log []string
		for _, n := range run(t, open(t), of(t, "C2", name, "not after just 600 s"), Target).Trace.Notes {
			if n.Key == noteReaper {
				log = append(log, n.Actor+" "+n.Value)
			}
		}
		assert.Equal(t, []string{"R reaper: 0 stale", "L reaper: 1 stale; requeued 1"}, log, name)
	}
}

// The one time that lua takes from a worker is only told.
func TestFinishedAtIsOfTheWorker(t *testing.T) {
	var last []impl.TaskRow
	after(t, of(t, "C11", "lua", "a worker behind"), func(_ *interleave.Step, _ *interleave.State, rows []impl.TaskRow) { last = rows })
	require.Len(t, last, 1)
	assert.Equal(t, -stale, last[0].FinishedAt.Sub(last[0].StartedAt))
}

// A variant that has no break is judged by nothing that could not be broken: each of the judgements of the queue is violated by
// some order of naive.
func TestEachJudgementOfTheQueueIsBroken(t *testing.T) {
	broken := map[string]bool{invariants.OneOwner(noteBegun).Name: true} // naive has no attempts
	r := open(t)
	for _, s := range All() {
		if s.Subject != queueSubject {
			continue
		}
		for _, c := range s.Cases {
			for i := range c.Variants {
				for _, b := range c.Variants[i].Breaks {
					broken[b.Invariant] = true
				}
			}
		}
	}
	for _, j := range run(t, r, of(t, "C5", "lua", ""), Target).Verdicts {
		if j.Invariant[:len("actor")] != "actor" {
			assert.True(t, broken[j.Invariant], "nothing breaks %q", j.Invariant)
		}
	}
}

// With the faults that a race needs as choices, the exploration of naive finds what the forced order breaks, and that of lua is
// complete and finds nothing.
func TestExplorationsOfTheQueue(t *testing.T) {
	raced.Skip(t)
	r := open(t)
	orders := map[string]string{}
	for _, id := range []string{"C1", "C2", "C3", "C4", "C5", "C9", "C11", "C13"} {
		s, err := Find(id)
		require.NoError(t, err)
		for _, c := range s[0].Cases {
			t.Run(id+"/"+c.Impl, func(t *testing.T) {
				v := &c.Variants[0]
				x, err := r.ExploreWith(context.Background(), func(w *interleave.World) { v.World(w, Target) },
					interleave.Faults(v.Faults), interleave.Unexplained())
				require.NoError(t, err)
				require.NoError(t, x.Err)
				require.True(t, x.Complete)
				orders[id+" "+c.Impl] = fmt.Sprintf("%d of %d", x.Violating, x.Orders)
				if c.Impl == "lua" {
					require.Empty(t, x.Found)
					return
				}
				var found []string
				for _, f := range x.Found {
					found = append(found, f.What)
				}
				for _, b := range v.Breaks {
					require.Contains(t, found, b.Invariant)
				}
			})
		}
	}
	assert.Equal(t, map[string]string{
		"C1 naive": "5 of 9", "C1 lua": "0 of 28", "C2 naive": "6 of 19", "C2 lua": "0 of 28",
		"C3 naive": "6 of 19", "C3 lua": "0 of 28", "C4 naive": "6 of 19", "C4 lua": "0 of 28",
		"C5 naive": "118 of 212", "C5 lua": "0 of 379", "C9 naive": "1 of 1", "C9 lua": "0 of 1",
		"C11 naive": "9 of 19", "C11 lua": "0 of 28", "C13 naive": "4 of 16", "C13 lua": "0 of 17",
	}, orders)
}

// What a customer has read of a row that is done, another result takes the place of; with lua the first result is the last.
func TestLateWriteOverwritesTheResult(t *testing.T) {
	for name, want := range map[string][]string{"naive": {"by W", "by N"}, "lua": {"by N"}} {
		var results []string
		after(t, of(t, "C14", name, ""), func(_ *interleave.Step, _ *interleave.State, rows []impl.TaskRow) {
			if row := rows[0]; row.State == impl.TaskDone && !slices.Contains(results, row.Result) {
				results = append(results, row.Result)
			}
		})
		assert.Equal(t, want, results, name)
	}
}

// The races that need two processes at once, or two faults, have more orders than a test should go through. A few are enough to
// find what the forced order of naive breaks, and in as many lua breaks nothing.
func TestLongExplorationsOfTheQueue(t *testing.T) {
	raced.Skip(t)
	const worlds = 100
	r := open(t)
	for _, long := range []struct{ id, naive, lua string }{
		{"C7", "without the row guard", "at once"},
		{"C8", "both end", "both end"},
		{"C10", "", "in ready"},
		{"C11", "a worker behind", "a worker behind"},
		{"C12", "both end", ""},
	} {
		for _, c := range [][2]string{{"naive", long.naive}, {"lua", long.lua}} {
			t.Run(long.id+"/"+c[0], func(t *testing.T) {
				v := of(t, long.id, c[0], c[1])
				x, err := r.ExploreWith(context.Background(), func(w *interleave.World) { v.World(w, Target) },
					interleave.Faults(v.Faults), interleave.Jumps(v.Jumps...), interleave.MaxExecutions(worlds), interleave.Unexplained())
				require.NoError(t, err)
				require.NoError(t, x.Err)
				var found []string
				for _, f := range x.Found {
					found = append(found, f.What)
				}
				for _, b := range v.Breaks {
					assert.Contains(t, found, b.Invariant)
				}
				if c[0] == "lua" {
					assert.Empty(t, found)
				}
			})
		}
	}
}

// Two workers and a reaper at one task, one fault anywhere, every order: with lua no promise is broken.
func TestQueueSurvivesOneFault(t *testing.T) {
	raced.Skip(t)
	r := open(t)
	for _, faults := range []string{"crash:1", "lost:1", "unsent:1"} {
		t.Run(faults, func(t *testing.T) {
			x, err := r.ExploreWith(context.Background(), func(w *interleave.World) {
				q := queue(w, "lua", Target)
				q.given(1)
				q.actor("W", (*queueProcess).workAll)
				q.actor("N", (*queueProcess).work)
				q.actor("R", later(stale), (*queueProcess).reapOn)
				q.over()
				q.judged()
			}, interleave.Faults(faults), interleave.MaxExecutions(5_000), interleave.Unexplained())
			require.NoError(t, err)
			require.NoError(t, x.Err)
			require.Empty(t, x.Found)
			require.True(t, x.Complete)
		})
	}
}
