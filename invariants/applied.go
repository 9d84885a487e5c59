package invariants

import (
	"slices"

	"github.com/racebench/racebench/interleave"
)

// Row is one thing that an apply writes outside Redis, as it is now.
type Row struct {
	Name  string // what it is called: "doc-1 item 2"
	Job   string // key of the hash of the job that its content comes from; empty when nothing was written
	Times int    // how often it was written
}

// Rows reads the rows that a world's applies could have written, in a fixed order. It is called at the end, when nobody
// else uses the database. An error makes the judgement undecided.
type Rows func() ([]Row, error)

// AppliedOnlySuccess holds when every row that was written comes from a job that is SUCCESS at the end. For a job whose
// hash is gone by then its last status in the trace counts; if it had none, it is undecided.
func (j Jobs) AppliedOnlySuccess(read Rows) interleave.Invariant {
	return interleave.Invariant{Name: "only successful results applied", When: interleave.FinallyHolds, Judge: func(s *interleave.State) interleave.Verdict {
		rows, err := read()
		if err != nil {
			return undecided("the rows can't be read: %v", err)
		}
		doubt := interleave.Verdict{}
		for _, row := range rows {
			switch status := j.lastStatus(s, row.Job); {
			case row.Times == 0 || status == Success:
			case row.Job == "":
				doubt = undecided("nobody knows from which job %s was written", row.Name)
			case status == Missing || status == Unknown:
				doubt = undecided("%s was written from %s, which has no status at any time", row.Name, row.Job)
			default:
				return violated("%s was written from %s, which is %s", row.Name, row.Job, status)
			}
		}
		return doubt
	}}
}

// lastStatus is the status of a job now or, when it is gone, the last one that it had.
func (j Jobs) lastStatus(s *interleave.State, key string) Status {
	if e := s.Entry(key); e != nil {
		return j.status(e)
	}
	t := s.Trace()
	for _, step := range slices.Backward(t.Steps) {
		for _, c := range step.Changes {
			if c.Key == key && c.Before != nil {
				return j.status(c.Before)
			}
		}
	}
	for _, k := range t.Before {
		if k.Key == key {
			return j.status(k.Value)
		}
	}
	return Missing
}

// AppliedCompleteOnce holds when the rows are either untouched, if no apply has said that it applied, or each written
// exactly once, if one has. An actor says so with a note of the given key. One that says so and has written a part, or
// nothing, tells its caller that all is done.
func AppliedCompleteOnce(note string, read Rows) interleave.Invariant {
	return interleave.Invariant{Name: "applied complete and once", When: interleave.FinallyHolds, Judge: func(s *interleave.State) interleave.Verdict {
		rows, err := read()
		if err != nil {
			return undecided("the rows can't be read: %v", err)
		}
		want, because := 0, "nobody says that it has applied"
		if notes := s.Notes(note); len(notes) > 0 {
			want, because = 1, notes[0].Actor+" says that it has applied"
		}
		if want == 1 && len(rows) == 0 {
			return undecided("%s, and there are no rows to look at", because)
		}
		for _, row := range rows {
			if row.Times != want {
				return violated("%s was written %d times (want %d: %s)", row.Name, row.Times, want, because)
			}
		}
		return interleave.Verdict{}
	}}
}
