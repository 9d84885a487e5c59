package invariants

import (
	"strconv"
	"strings"

	"github.com/racebench/racebench/interleave"
)

// Tasks describes a queue with a row for each task. Its methods are judgements.
type Tasks struct {
	// The keys of the places in which a task can be: lists, sets, sorted sets, or hashes with tasks as fields. Done and
	// Dead may be empty: then the row alone says that a task is at its end.
	Ready, Active, Done, Dead string
	// Rows reads the rows, in a fixed order. It is called at the end. An error makes a judgement undecided.
	Rows func() ([]TaskRow, error)
}

// TaskRow is what a row says of a task.
type TaskRow struct {
	ID      string // as in the queue
	Status  string // pending, processing, done or dead; anything else is none of them
	Retries int
}

// places are those that have a key, with the status of a row that agrees with each.
func (q Tasks) places() []place {
	all := []place{{"ready", q.Ready, "pending"}, {"active", q.Active, "processing"}, {"done", q.Done, "done"}, {"dead", q.Dead, "dead"}}
	var out []place
	for _, p := range all {
		if p.key != "" {
			out = append(out, p)
		}
	}
	return out
}

type place struct{ name, key, status string }

// where are the places of a task, one for each time that it is in one.
func (q Tasks) where(s *interleave.State, id string) []place {
	var in []place
	for _, p := range q.places() {
		for range count(members(s.Entry(p.key)), id) {
			in = append(in, p)
		}
	}
	return in
}

func names(places []place) string {
	if len(places) == 0 {
		return "nowhere"
	}
	list := make([]string, len(places))
	for i, p := range places {
		list[i] = p.name
	}
	return strings.Join(list, " and ")
}

// NeverInTwo holds while no task is in two places, or twice in one.
func (q Tasks) NeverInTwo() interleave.Invariant {
	return interleave.Invariant{Name: "no task in two places", When: interleave.AlwaysHolds, Judge: func(s *interleave.State) interleave.Verdict {
		for _, p := range q.places() {
			for _, id := range members(s.Entry(p.key)) {
				if in := q.where(s, id); len(in) > 1 {
					return violated("task %s is in %s", id, names(in))
				}
			}
		}
		return interleave.Verdict{}
	}}
}

// finally is a judgement of each row at the end.
func (q Tasks) finally(name string, judge func(*interleave.State, TaskRow) interleave.Verdict) interleave.Invariant {
	return interleave.Invariant{Name: name, When: interleave.FinallyHolds, Judge: func(s *interleave.State) interleave.Verdict {
		rows, err := q.Rows()
		if err != nil {
			return undecided("the rows can't be read: %v", err)
		}
		if len(rows) == 0 {
			return undecided("there are no rows to look at")
		}
		for _, row := range rows {
			if v := judge(s, row); v.Outcome != interleave.Held {
				return v
			}
		}
		return interleave.Verdict{}
	}}
}

// atEnd reports whether the row alone says where the task is, since its place has no key.
func (q Tasks) atEnd(row TaskRow) bool {
	return row.Status == "done" && q.Done == "" || row.Status == "dead" && q.Dead == ""
}

// NoneLost holds when each task that has a row is in exactly one place at the end.
func (q Tasks) NoneLost() interleave.Invariant {
	return q.finally("every task is in one place", func(s *interleave.State, row TaskRow) interleave.Verdict {
		in := q.where(s, row.ID)
		if len(in) == 1 && !q.atEnd(row) || len(in) == 0 && q.atEnd(row) {
			return interleave.Verdict{}
		}
		return violated("task %s is in %s, and its row says %s", row.ID, names(in), row.Status)
	})
}

// AllEnd holds when each task is done or dead at the end, by its row.
func (q Tasks) AllEnd() interleave.Invariant {
	return q.finally("every task ends", func(_ *interleave.State, row TaskRow) interleave.Verdict {
		if row.Status == "done" || row.Status == "dead" {
			return interleave.Verdict{}
		}
		return violated("task %s is %s, and nothing more happens", row.ID, row.Status)
	})
}

// RowAgrees holds when, at the end, each row says what the queue says. It is meant for a world in which nothing is in
// flight any more.
func (q Tasks) RowAgrees() interleave.Invariant {
	return q.finally("row and queue agree", func(s *interleave.State, row TaskRow) interleave.Verdict {
		in := q.where(s, row.ID)
		if len(in) == 1 && in[0].status == row.Status || len(in) == 0 && q.atEnd(row) {
			return interleave.Verdict{}
		}
		return violated("the row of task %s says %s, and the queue has it in %s", row.ID, row.Status, names(in))
	})
}

// RetriesCounted holds when the row of each task has counted how often it was put back: how often it came into Ready
// after the first time, in one step or in several.
func (q Tasks) RetriesCounted() interleave.Invariant {
	return q.finally("retry_count is the number of reclaims", func(s *interleave.State, row TaskRow) interleave.Verdict {
		came := 0
		for _, k := range s.Trace().Before {
			for _, p := range q.places() {
				if k.Key == p.key {
					came += count(members(k.Value), row.ID)
				}
			}
		}
		for _, step := range s.Trace().Steps {
			for _, c := range step.Changes {
				if c.Key == q.Ready {
					came += max(0, count(members(c.After), row.ID)-count(members(c.Before), row.ID))
				}
			}
		}
		if reclaims := max(0, came-1); reclaims != row.Retries {
			return violated("task %s was put back %d times, and its row says %d", row.ID, reclaims, row.Retries)
		}
		return interleave.Verdict{}
	})
}

// OneOwner holds while each attempt has one owner. An actor that begins an attempt makes a note of the key, with the
// same value for the same attempt: "7/2" for the second of task 7.
func OneOwner(note string) interleave.Invariant {
	return interleave.Invariant{Name: "one owner for each attempt", When: interleave.AlwaysHolds, Judge: func(s *interleave.State) interleave.Verdict {
		owners := map[string]string{}
		for _, n := range s.Notes(note) {
			if owner, known := owners[n.Value]; known && owner != n.Actor {
				return violated("attempt %s is %s's and %s's", n.Value, owner, n.Actor)
			}
			owners[n.Value] = n.Actor
		}
		return interleave.Verdict{}
	}}
}

// AtMostOnce holds while nobody says twice that the same is done. Whoever has done it makes a note of the key with a
// value that names it: a task, say.
func AtMostOnce(note string) interleave.Invariant {
	return interleave.Invariant{Name: "done at most once", When: interleave.AlwaysHolds, Judge: func(s *interleave.State) interleave.Verdict {
		by := map[string]string{}
		for _, n := range s.Notes(note) {
			if first, done := by[n.Value]; done {
				return violated("%s was done by %s, and again by %s", strconv.Quote(n.Value), first, n.Actor)
			}
			by[n.Value] = n.Actor
		}
		return interleave.Verdict{}
	}}
}

// EndedByLast holds while whoever says that a task is done is the one who was the last to begin it: the result of an attempt
// is not recorded once another one has begun. Both make notes, of the keys begun and ended, whose values are the name of the
// task, or begin with it and a comma.
func EndedByLast(begun, ended string) interleave.Invariant {
	return interleave.Invariant{Name: "recorded by the last to begin", When: interleave.AlwaysHolds, Judge: func(s *interleave.State) interleave.Verdict {
		last := map[string]string{}
		for _, n := range s.Trace().Notes {
			task, _, _ := strings.Cut(n.Value, ",")
			switch n.Key {
			case begun:
				last[task] = n.Actor
			case ended:
				if by := last[task]; by != n.Actor {
					return violated("%s has recorded %s, which %s was the last to begin", n.Actor, strconv.Quote(task), by)
				}
			}
		}
		return interleave.Verdict{}
	}}
}
