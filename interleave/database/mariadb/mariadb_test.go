package mariadb_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/interleave"
	_ "github.com/racebench/racebench/interleave/database/mariadb"
	need "github.com/racebench/racebench/internal/require"
)

func open(t *testing.T, opts ...interleave.Option) *interleave.Runner {
	t.Helper()
	need.Backend(t, "mariadb")
	r, err := interleave.Open(append(opts, interleave.For(t), interleave.Database("process"))...)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, r.Close()) })
	return r
}

// inTx runs statements in one transaction and commits. A deadlock that the server finds is noted.
func inTx(a *interleave.Actor, statements ...string) error {
	tx, err := a.SQL().BeginTx(a.Context(), nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for _, s := range statements {
		_, err := tx.ExecContext(a.Context(), s)
		var refused *mysql.MySQLError
		if errors.As(err, &refused) && refused.Number == 1213 {
			a.Note("deadlock", a.Name())
			return nil
		}
		if err != nil {
			return err
		}
	}
	return tx.Commit()
}

const first, second = "UPDATE t SET n = n + 1 WHERE id = 1", "UPDATE t SET n = n + 10 WHERE id = 2"

// rows is a world of a table with two rows, and what each actor does to them in one transaction.
func rows(does map[string][]string) func(*interleave.World) {
	return func(w *interleave.World) {
		for _, s := range []string{"CREATE TABLE t (id INT PRIMARY KEY, n INT)", "INSERT INTO t VALUES (1, 0), (2, 0)"} {
			if _, err := w.SQL().Exec(s); err != nil {
				w.Fail(err)
			}
		}
		for name, list := range does { // any order: a world sorts its actors
			w.Actor(name, func(a *interleave.Actor) error { return inTx(a, list...) })
		}
	}
}

// texts are the steps without their places.
func texts(res *interleave.Result) string {
	var out []string
	for _, s := range res.Trace.Steps {
		out = append(out, s.Summary())
	}
	return strings.Join(out, "\n")
}

func TestRowLock(t *testing.T) {
	r := open(t)
	world := rows(map[string][]string{"A": {first}, "B": {first}})
	for range 3 { // and every time the same
		res, err := r.Run("A.BEGIN B.BEGIN A.UPDATE B.UPDATE A.COMMIT B.UPDATE B.COMMIT", world)
		require.NoError(t, err)
		require.NoError(t, res.Err, "%s", res.Trace)
		assert.Equal(t, `A BEGIN → OK
B BEGIN → OK
A UPDATE t SET n = n + 1 WHERE id = 1 → 1 row affected
B UPDATE t SET n = n + 1 WHERE id = 1 → waits for A
A COMMIT → OK
B UPDATE t SET n = n + 1 WHERE id = 1 → 1 row affected
B COMMIT → OK`, texts(res))
		require.Len(t, res.Trace.After, 1)
		assert.Equal(t, "table:t = [(1, 2), (2, 0)]", fmt.Sprint(res.Trace.After[0].Key, " = ", res.Trace.After[0].Value))
	}
	// Other rows are not waited for, and while it waits it can't be chosen.
	res, err := r.Run("A.BEGIN B.BEGIN A.UPDATE B.UPDATE", rows(map[string][]string{"A": {first}, "B": {second}}))
	require.NoError(t, err)
	require.NoError(t, res.Err)
	assert.Equal(t, "1 row affected", res.Trace.Steps[3].Reply)
	res, err = r.Run("A.BEGIN B.BEGIN A.UPDATE B.UPDATE B.UPDATE", world)
	require.NoError(t, err)
	assert.ErrorContains(t, res.Err, "B waits for A in UPDATE t")
}

func TestServerFindsDeadlock(t *testing.T) {
	r := open(t)
	world := rows(map[string][]string{"A": {first, second}, "B": {second, first}})
	res, err := r.Run("A.BEGIN B.BEGIN A.UPDATE B.UPDATE A.UPDATE B.UPDATE", world)
	require.NoError(t, err)
	require.NoError(t, res.Err, "%s", res.Trace)
	assert.Equal(t, interleave.Held, res.Outcome(), "%s", res.Trace)
	assert.Contains(t, res.Trace.String(), "Error 1213 (40001): Deadlock found")
	assert.Contains(t, res.Trace.Steps[4].Reply, "waits for B")
	again, err := r.Run(res.Trace.Schedule().String(), world)
	require.NoError(t, err)
	assert.Equal(t, res.Trace.String(), again.Trace.String())

	x := r.Explore(context.Background(), world)
	require.NoError(t, x.Err)
	assert.True(t, x.Complete)
	assert.Empty(t, x.Found)
}

// TestChainOfWaits: with three transactions the view of the server says who waits for whom.
func TestChainOfWaits(t *testing.T) {
	r := open(t)
	res, err := r.Run("A.BEGIN B.BEGIN C.BEGIN A.UPDATE B.UPDATE B.UPDATE C.UPDATE A.COMMIT B.UPDATE B.COMMIT C.UPDATE C.COMMIT", rows(map[string][]string{"A": {first}, "B": {second, first}, "C": {second}}))
	require.NoError(t, err)
	require.NoError(t, res.Err, "%s", res.Trace)
	assert.Equal(t, "waits for A", res.Trace.Steps[5].Reply)
	assert.Equal(t, "waits for B", res.Trace.Steps[6].Reply)
}

func TestCrashRollsBack(t *testing.T) {
	r := open(t)
	world := rows(map[string][]string{"A": {first}, "B": {first}})
	for schedule, want := range map[string]string{ // any order: they have nothing to do with one another
		"A.BEGIN A.UPDATE!crash B..":                      "[(1, 1), (2, 0)]",
		"A.BEGIN A.UPDATE A.COMMIT!crash B..":             "[(1, 2), (2, 0)]",
		"A.BEGIN B.BEGIN A.UPDATE B.UPDATE A!crash B..":   "[(1, 1), (2, 0)]", // who waited goes on
		"A.BEGIN B.BEGIN A.UPDATE B.UPDATE B!crash A..":   "[(1, 1), (2, 0)]", // who waits dies
		"A.BEGIN B.BEGIN A.UPDATE B.UPDATE!lost A..":      "[(1, 1), (2, 0)]",
		"A.BEGIN B.BEGIN A.UPDATE A.COMMIT!lost B.. A..":  "[(1, 2), (2, 0)]",
		"A.BEGIN A.UPDATE A.COMMIT!unsent B.BEGIN B.. A.": "",
	} {
		res, err := r.Run(strings.TrimSuffix(schedule, " A."), world)
		require.NoError(t, err)
		require.NoError(t, res.Err, "%s\n%s", schedule, res.Trace)
		if want == "" {
			want = "[(1, 1), (2, 0)]"
		}
		require.NotEmpty(t, res.Trace.After)
		assert.Equal(t, want, res.Trace.After[0].Value.String(), "%s\n%s", schedule, res.Trace)
	}
}

func TestURLIsRefused(t *testing.T) {
	for spec, want := range map[string]string{ // any order: each by itself
		"mysql://root@localhost/app": "leave it out",
		"mysql://":                   "is no mysql:// URL",
		"mysql://root@127.0.0.1:1":   "connection refused",
	} {
		r, err := interleave.Open(interleave.For(t), interleave.Database(spec))
		require.NoError(t, err)
		res, err := r.Run("", rows(map[string][]string{"A": {first}}))
		require.NoError(t, err)
		assert.ErrorContains(t, res.Err, want)
		require.NoError(t, r.Close())
	}
}
