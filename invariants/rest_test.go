package invariants_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/invariants"
)

func TestEndsAfter(t *testing.T) {
	// Steps are a minute apart, the first at one minute.
	judge(t, jobs.EndsAfter(2*time.Minute), []row{
		{"terminal", given("j:t:1=RUNNING").step("A", "", "j:t:1=FAILED"), held, 0, ""},
		{"gone", given("j:t:1=RUNNING").step("", "", "j:t:1=-"), held, 0, ""},
		{"given, runs too long", given("j:t:1=RUNNING").step("A", "").step("A", ""), violated, 0, "1 of t is RUNNING, 2m0s after it was made (limit 2m0s)"},
		{"given, not long enough to tell", given("j:t:1=RUNNING").step("A", ""), undecided, 0, "only 1m0s have passed"},
		{"made later, not long enough", given().step("A", "").step("A", "", "j:t:1=RUNNING").step("A", ""), undecided, 0, "only 1m0s"},
		{"made again", given("j:t:1=FAILED").step("", "", "j:t:1=-").step("A", "", "j:t:1=RUNNING").step("A", ""), undecided, 0, "only 1m0s"},
		{"no status", given("j:t:1=").step("A", "").step("A", ""), violated, 0, "1 of t is without a status"},
		{"one in doubt, one violated", given("j:t:2=RUNNING").step("A", "").step("A", "", "j:t:1=RUNNING"), violated, 0, "2 of t"},
	})
}

func rows(list ...invariants.Row) invariants.Rows {
	return func() ([]invariants.Row, error) { return list, nil }
}

func unreadable() ([]invariants.Row, error) { return nil, errors.New("disk on fire") }

func TestAppliedOnlySuccess(t *testing.T) {
	written := func(job string, times int) invariants.Rows {
		return rows(invariants.Row{Name: "r0"}, invariants.Row{Name: "r1", Job: job, Times: times})
	}
	for _, c := range []struct {
		read invariants.Rows
		row
	}{
		{written("", 0), row{"untouched", given("j:t:1=FAILED").step("A", ""), held, 0, ""}},
		{written("j:t:1", 1), row{"success", given("j:t:1=SUCCESS").step("A", ""), held, 0, ""}},
		{written("j:t:1", 1), row{"failed since", given("j:t:1=SUCCESS").step("A", "", "j:t:1=FAILED"), violated, 0, "r1 was written from j:t:1, which is FAILED"}},
		{written("j:t:1", 1), row{"still running", given("j:t:1=RUNNING").step("A", ""), violated, 0, "which is RUNNING"}},
		{written("j:t:1", 1), row{"success, then gone", given("j:t:1=SUCCESS").step("", "", "j:t:1=-"), held, 0, ""}},
		{written("j:t:1", 1), row{"success, failed, then gone", given("j:t:1=SUCCESS").step("A", "", "j:t:1=FAILED").step("", "", "j:t:1=-"), violated, 0, "FAILED"}},
		{written("j:t:9", 1), row{"never seen", given("j:t:1=SUCCESS").step("A", ""), undecided, 0, "no status at any time"}},
		{written("j:t:1", 1), row{"no status", given("j:t:1=odd").step("A", ""), undecided, 0, "no status at any time"}},
		{written("", 1), row{"from nobody knows where", given("j:t:1=SUCCESS").step("A", ""), undecided, 0, "nobody knows from which job r1"}},
		{unreadable, row{"unreadable", given().step("A", ""), undecided, 0, "disk on fire"}},
	} {
		judge(t, jobs.AppliedOnlySuccess(c.read), []row{c.row})
	}
}

func TestAppliedCompleteOnce(t *testing.T) {
	times := func(list ...int) invariants.Rows {
		var out []invariants.Row
		for i, n := range list {
			out = append(out, invariants.Row{Name: "row " + string(rune('a'+i)), Times: n})
		}
		return rows(out...)
	}
	silent := func() *made { return given().step("A", "").note("other") }
	says := func() *made { return given().step("A", "").note("done") }
	for _, c := range []struct {
		read invariants.Rows
		row
	}{
		{times(0, 0), row{"untouched", silent(), held, 0, ""}},
		{times(1, 1), row{"complete", says(), held, 0, ""}},
		{times(1, 0), row{"a part", says(), violated, 0, "row b was written 0 times (want 1: A says that it has applied)"}},
		{times(0, 0), row{"nothing", says(), violated, 0, "row a was written 0 times"}},
		{times(2, 2), row{"twice", says().note("done"), violated, 0, "row a was written 2 times"}},
		{times(0, 1), row{"in secret", silent(), violated, 0, "row b was written 1 times (want 0: nobody says"}},
		{times(), row{"no rows, and nobody says so", silent(), held, 0, ""}},
		{times(), row{"no rows", says(), undecided, 0, "no rows to look at"}},
		{unreadable, row{"unreadable", says(), undecided, 0, "disk on fire"}},
	} {
		judge(t, invariants.AppliedCompleteOnce("done", c.read), []row{c.row})
	}
}

func TestKeysOfJobs(t *testing.T) {
	braces := invariants.Jobs{Pointer: "job:{<target>}:running", Hash: "job:{<target>}:<id>", Results: "job:{<target>}:<id>:results"}
	for _, c := range []struct {
		key, target, id string
		ok              bool
	}{
		{"job:{doc-1}:a1", "doc-1", "a1", true},
		{"job:{a/b:c}:x", "a/b:c", "x", true},
		{"job:{doc-1}:running", "", "", false},
		{"job:{doc-1}:a1:results", "", "", false},
		{"job:{doc-1}:", "", "", false},
		{"job:{}:a1", "", "", false},
		{"job:{doc-1}a1", "", "", false},
		{"other", "", "", false},
	} {
		target, id, ok := braces.Job(c.key)
		assert.Equal(t, c.ok, ok, c.key)
		if c.ok {
			assert.Equal(t, []string{c.target, c.id}, []string{target, id}, c.key)
		}
	}
	target, ok := braces.PointerTarget("job:{doc-1}:running")
	assert.Equal(t, "doc-1", target)
	assert.True(t, ok)

	suffix := invariants.Jobs{Pointer: "<target>/now", Hash: "<target>/<id>.job"}
	target, id, ok := suffix.Job("t/1.job")
	assert.Equal(t, []any{"t", "1", true}, []any{target, id, ok})
	_, _, ok = suffix.Job("t/1.jobs")
	assert.False(t, ok)
}

// Asked at the end alone, a judgement about steps says which step it was.
func TestDetailNamesAPastStep(t *testing.T) {
	during, final := given("j:t:1=FAILED").step("A", "").step("B", "", "j:t:1=SUCCESS").step("A", "").states()
	assert.Equal(t, "B turns 1 of t from FAILED into SUCCESS", jobs.TerminalStays().Judge(during[1]).Detail)
	assert.Equal(t, "step 2: B turns 1 of t from FAILED into SUCCESS", jobs.TerminalStays().Judge(final).Detail)
}

// A status of one's own: a string field with other words.
func TestStatusOfOnesOwn(t *testing.T) {
	own := jobs
	own.Status = func(hash *interleave.Entry) invariants.Status {
		return map[string]invariants.Status{"busy": invariants.Running, "done": invariants.Success}[hash.Field("status")]
	}
	judge(t, own.TerminalStays(), []row{
		{"busy again", given("j:t:1=done").step("A", "", "j:t:1=busy"), violated, 1, "from SUCCESS into RUNNING"},
		{"old words mean nothing", given("j:t:1=FAILED").step("A", "", "j:t:1=RUNNING"), held, 0, ""},
	})
}

// The names are what reports print and catalogues refer to.
func TestNames(t *testing.T) {
	var names []string
	for _, inv := range []interleave.Invariant{
		jobs.SingleRunning(), jobs.NoUnreferenced(), jobs.PointerNamesJob(), jobs.TerminalStays(), jobs.NoProgressAfterEnd(),
		jobs.SuccessOwnsPointer(), jobs.PointerDeletedOnlyByOwner(), jobs.EndsAfter(time.Hour),
		jobs.AppliedOnlySuccess(unreadable), invariants.AppliedCompleteOnce("applied", unreadable),
	} {
		names = append(names, inv.Name)
	}
	assert.Equal(t, []string{
		"one running job a target", "no unreferenced jobs", "a pointer names a job that exists", "no terminal overwrite", "no progress after the end",
		"success implies ownership", "pointer deleted only by its owner", "every job ends",
		"only successful results applied", "applied complete and once",
	}, names)
}
