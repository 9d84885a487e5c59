package interleave_test

import (
	"context"
	"database/sql"
	"fmt"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/interleave"
	_ "github.com/racebench/racebench/interleave/database/sqlite"
)

// given runs statements before the first step.
func given(w *interleave.World, statements ...string) {
	for _, s := range statements {
		if _, err := w.SQL().Exec(s); err != nil {
			w.Fail(fmt.Errorf("%s: %w", s, err))
		}
	}
}

// number is the answer to a query of one number.
func number(db *sql.DB, query string) (n int, err error) {
	return n, db.QueryRow(query).Scan(&n)
}

// counted is a row that two actors add to, by reading it first.
func counted(w *interleave.World) {
	given(w, "CREATE TABLE counters (id INTEGER PRIMARY KEY, n INTEGER NOT NULL)", "INSERT INTO counters VALUES (1, 0)")
	for _, name := range []string{"A", "B"} {
		w.Actor(name, func(a *interleave.Actor) error {
			var n int
			if err := a.SQL().QueryRowContext(a.Context(), "SELECT n FROM counters WHERE id = ?", 1).Scan(&n); err != nil {
				return err
			}
			_, err := a.SQL().ExecContext(a.Context(), "UPDATE counters\n  SET n = ? WHERE id = ?", n+1, 1)
			return err
		})
	}
	w.Finally("both count", func(s *interleave.State) error {
		n, err := number(s.SQL(), "SELECT n FROM counters")
		if err == nil && n != 2 {
			err = fmt.Errorf("n is %d, want 2", n)
		}
		return err
	})
}

// lines are the places in a trace.
var lines = regexp.MustCompile(`\.go:\d+`)

func TestSQLStepsOfATrace(t *testing.T) {
	r := open(t)
	for range 2 {
		res, err := r.Run("A.SELECT(counters) B.SELECT A.UPDATE B.UPDATE(counters)", counted)
		require.NoError(t, err)
		require.NoError(t, res.Err)
		_, violated := res.Violated("both count")
		assert.True(t, violated)
		assert.Equal(t, `   1  +0s       A SELECT n FROM counters WHERE id = ? [1] → 1 row: (0)  interleave/sql_test.go:N
   2  +0s       B SELECT n FROM counters WHERE id = ? [1] → 1 row: (0)  interleave/sql_test.go:N
   3  +0s       A UPDATE counters SET n = ? WHERE id = ? [1, 1] → 1 row affected  interleave/sql_test.go:N
      A ends
   4  +0s       B UPDATE counters SET n = ? WHERE id = ? [1, 1] → 1 row affected  interleave/sql_test.go:N
      B ends
      table:counters = [(1, 1)]
`, lines.ReplaceAllString(res.Trace.String(), ".go:N"))
		assert.Equal(t, "A.SELECT B.SELECT A.UPDATE B.UPDATE", res.Trace.Schedule().String())
		assert.Equal(t, []string{"counters"}, res.Trace.Steps[0].Keys)
	}
}

func TestExploreSQL(t *testing.T) {
	r := open(t)
	x := r.Explore(context.Background(), counted)
	require.NoError(t, x.Err)
	assert.True(t, x.Complete)
	assert.Equal(t, 4, x.Orders)
	assert.Equal(t, 2, x.Violating)
}
