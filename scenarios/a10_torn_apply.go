package scenarios

import (
	"time"

	"github.com/racebench/racebench/interleave"
)

var a10 = &Scenario{
	ID:      "A10",
	Name:    "torn-apply",
	Subject: "jobs",
	Title:   "a part of the results is applied as if it were the whole",
	Story: `Apply reads that the job is SUCCESS, and then the results. In between they go: Redis is short of memory and
evicts them, or their TTL passes. Or one item never came, because SUCCESS was written while its worker was still writing.
What apply finds it takes for the whole: it writes some rows or none, says that it has applied, and the user sees a
document that is half old and half new.`,
	Window: "Apply: between HGET status and HGETALL results, and no count of either",
	Cases: []Case{
		{Impl: "naive", Variants: []Variant{
			tornApply("naive", items, torn{
				name: "evicted", schedule: "apply.HGET !evict(job:{doc-1}:a1:results) apply.HGETALL",
				step: 3, shows: "an empty set is applied", applies: 1}),
			tornApply("naive", items, torn{
				name: "expired", schedule: "apply.HGET +1h0m1s apply.HGETALL",
				step: 3, shows: "an empty set is applied", applies: 1}),
			tornApply("naive", items-1, torn{
				name: "a field is missing", schedule: "apply.HGET apply.HGETALL",
				step: 4, shows: "2 of 3 rows are applied", applies: 1, rows: items - 1}),
		}},
		{Impl: "lua", Variants: []Variant{
			tornApply("lua", items, torn{
				name: "evicted before the reading", schedule: "!evict(job:{doc-1}:a1:results) apply.EVAL",
				shows: "refused, nothing is applied", refused: 1}),
			tornApply("lua", items, torn{
				name: "evicted after the reading", schedule: "apply.EVAL !evict(job:{doc-1}:a1:results)",
				shows: "all of it is applied", applies: 1, rows: items}),
			tornApply("lua", items, torn{
				name: "expired", schedule: "+1h0m1s apply.EVAL",
				shows: "refused, nothing is applied", refused: 1}),
			tornApply("lua", items-1, torn{
				name: "a field is missing", schedule: "apply.EVAL",
				shows: "refused, nothing is applied", refused: 1}),
		}},
	},
}

// torn is what one variant shows.
type torn struct {
	name, schedule string
	step           int // after which it breaks; 0 when it holds
	shows          string
	applies, rows  int
	refused        int
}

func tornApply(impl string, reported int, t torn) Variant {
	v := Variant{
		Name:     t.name,
		Schedule: t.schedule,
		World: func(w *interleave.World, target string) {
			j := jobs(w, impl, target)
			j.givenRows()
			job := j.givenSuccess("a", reported)
			j.actor("apply", func(p *process) error { return p.apply(job) })
			w.Check(judgeApplied(j.rows), judge.AppliedOnlySuccess(j.rows))
		},
		Shows:  t.shows,
		Count:  countApplies,
		Counts: Counts{applies: t.applies, rowsApplied: t.rows, refused: t.refused},
	}
	switch t.name {
	case "evicted":
		v.Faults = "evict:1"
	case "expired":
		v.Jumps = jumps(defaultJobTTL + time.Second)
	}
	if t.step > 0 {
		v.Breaks = []Break{{judgeApplied(nil).Name, t.step}}
	}
	return v
}
