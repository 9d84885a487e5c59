package scenarios

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	need "github.com/stretchr/testify/require"

	"github.com/racebench/racebench/interleave"
	_ "github.com/racebench/racebench/interleave/database/mariadb" // registers it
	"github.com/racebench/racebench/internal/require"
)

// apart is a place where the traces of one variant differ: the step as each database has it, "" where it has none.
type apart struct{ sqlite, mariadb string }

const (
	claimed = "B INSERT INTO applies (target, job_id) VALUES (?, ?) ['doc-1', 'a1'] → "
	begun12 = "N UPDATE tasks SET status = 'processing', started_at = ? WHERE id = ? [946684800000, 1] → "
)

// databasesDiffer are all differences between SQLite and MariaDB in the catalogue, in the order of their steps. They are
// explained in docs/sql.md.
var databasesDiffer = map[string][]apart{
	// SQLite has one lock and knows beforehand that B would wait. MariaDB is asked by sending the statement, which is a step.
	// And each has its own words for a duplicate.
	"A11/lua": {
		{"", claimed + "waits for A"},
		{claimed + "error: constraint failed: UNIQUE constraint failed: applies.target, applies.job_id (1555)",
			claimed + "error: Error 1062 (23000): Duplicate entry 'doc-1-a1' for key 'PRIMARY'"},
	},
	// SQLite counts the rows that it has found; MariaDB those that it has changed, and this one is as it was.
	"C12/naive/both end": {{begun12 + "1 row affected", begun12 + "no rows affected"}},
}

// The light pair, SQLite and the embedded Redis, says of each variant that has rows what the real pair says.
func TestTracesAreTheSameOnEveryDatabase(t *testing.T) {
	require.Backend(t, "process")
	require.Backend(t, "mariadb")
	light := openOn(t, "embedded", interleave.Database("sqlite"))
	real := openOn(t, "process", interleave.Database("process"))
	var met []string
	withRows := 0
	each(t, func(t *testing.T, _ *Case, v *Variant) {
		want := run(t, light, v, Target)
		if !hasSQL(want) {
			return
		}
		withRows++
		got := run(t, real, v, Target)
		check(t, v, got)
		name := namedLike(strings.TrimPrefix(t.Name(), "TestTracesAreTheSameOnEveryDatabase/"))
		if len(databasesDiffer[name]) > 0 {
			met = append(met, name)
		}
		sameSteps(t, want, got, databasesDiffer[name])
	})
	assert.NotZero(t, withRows)
	assert.Len(t, met, len(databasesDiffer), "differences are listed of %v only", met)
}

// namedLike is the name of a variant as it is listed: go test writes a blank as _.
func namedLike(test string) string {
	for name := range databasesDiffer { // any order: names differ
		if slices.EqualFunc([]byte(name), []byte(test), func(a, b byte) bool { return a == b || a == ' ' && b == '_' }) {
			return name
		}
	}
	return test
}

func hasSQL(res *interleave.Result) bool {
	return slices.ContainsFunc(res.Trace.Steps, func(s *interleave.Step) bool { return s.SQL })
}

// sameSteps compares step for step, but for the differences that are listed, which have to be there.
func sameSteps(t *testing.T, want, got *interleave.Result, differ []apart) {
	t.Helper()
	w, g := want.Trace.Steps, got.Trace.Steps
	for len(w) > 0 || len(g) > 0 {
		if len(w) > 0 && len(g) > 0 && unnumbered(w[0]) == unnumbered(g[0]) {
			w, g = w[1:], g[1:]
			continue
		}
		if len(differ) == 0 {
			t.Fatalf("a difference that is not listed:\nsqlite   %s\nmariadb  %s", first(w), first(g))
		}
		d := differ[0]
		differ = differ[1:]
		if d.sqlite != "" {
			need.Equal(t, d.sqlite, first(w), "on sqlite")
			w = w[1:]
		}
		if d.mariadb != "" {
			need.Equal(t, d.mariadb, first(g), "on mariadb")
			g = g[1:]
		}
	}
	need.Empty(t, differ, "listed, but not there")
	assert.Equal(t, want.Trace.After, got.Trace.After, "what is left")
	a, b := slices.Clone(want.Verdicts), slices.Clone(got.Verdicts)
	if len(want.Trace.Steps) != len(got.Trace.Steps) { // then what comes after has other numbers
		for i := range min(len(a), len(b)) {
			a[i].Step, b[i].Step = 0, 0
		}
	}
	assert.Equal(t, a, b)
}

// unnumbered is a trace of one step without its number, which an additional step before it shifts.
func unnumbered(s *interleave.Step) string {
	c := *s
	c.N = 0
	return one(&c)
}

func first(steps []*interleave.Step) string {
	if len(steps) == 0 {
		return "(no more steps)"
	}
	return steps[0].Summary()
}
