package scenarios

import "github.com/racebench/racebench/interleave"

var a11 = &Scenario{
	ID:      "A11",
	Name:    "double-apply",
	Subject: "jobs",
	Title:   "one job is applied twice",
	Story: `Two applies of one SUCCESS job come at the same moment: a double click, or a gateway that repeats a request whose
answer was slow. Both read SUCCESS and the results, and both write the rows. Where a row is a sum, a version or a message
to somebody, twice is not once.`,
	Window: "Apply: between HGET status and the UPDATE of the rows; nothing says that somebody has applied",
	Cases: []Case{
		{Impl: "naive", Variants: []Variant{{
			Schedule: "A.HGET B.HGET A.HGETALL B.HGETALL",
			World:    doubleApply("naive"),
			Breaks:   []Break{{judgeApplied(nil).Name, 10}},
			Shows:    "rows applied twice",
			Count:    countApplies,
			Counts:   Counts{applies: 2, rowsApplied: 6, refused: 0},
		}}},
		{Impl: "lua", Variants: []Variant{{
			Schedule: "A.EVAL B.EVAL",
			World:    doubleApply("lua"),
			Shows:    "once, the second apply is refused",
			Count:    countApplies,
			Counts:   Counts{applies: 1, rowsApplied: 3, refused: 1},
		}}},
	},
}

func doubleApply(impl string) func(*interleave.World, string) {
	return func(w *interleave.World, target string) {
		j := jobs(w, impl, target)
		j.givenRows()
		job := j.givenSuccess("a", items)
		for _, name := range []string{"A", "B"} {
			j.actor(name, func(p *process) error { return p.apply(job) })
		}
		if impl == "naive" {
			w.Window("between HGET and the UPDATE", span{From: on("HGET", job.Key())})
		} else {
			w.Window("two applies at once")
		}
		w.Check(judgeApplied(j.rows), judge.AppliedOnlySuccess(j.rows))
	}
}

var countApplies = counting(applies, rowsApplied, refused)
