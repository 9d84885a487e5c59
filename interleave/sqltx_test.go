package interleave_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	sqlite "modernc.org/sqlite"

	"github.com/racebench/racebench/interleave"
)

// inTx runs statements in one transaction and commits.
func inTx(a *interleave.Actor, statements ...string) error {
	tx, err := a.SQL().BeginTx(a.Context(), nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for _, s := range statements {
		if s[:1] == "S" {
			rows, err := tx.QueryContext(a.Context(), s)
			if err != nil {
				return err
			}
			rows.Close()
		} else if _, err := tx.ExecContext(a.Context(), s); err != nil {
			return err
		}
	}
	return tx.Commit()
}

const makeT, addOne, readAll = "CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER)", "INSERT INTO t (n) VALUES (1)", "SELECT n FROM t"

// ofT is a world of table t and actors that each do one thing.
func ofT(does map[string]func(*interleave.Actor) error) func(*interleave.World) {
	return func(w *interleave.World) {
		given(w, makeT)
		for name, do := range does { // any order: a world sorts its actors
			w.Actor(name, do)
		}
		w.Finally("one row", func(s *interleave.State) error {
			n, err := number(s.SQL(), "SELECT count(*) FROM t")
			if err == nil && n != 1 {
				err = fmt.Errorf("%d rows", n)
			}
			return err
		})
	}
}

func add(a *interleave.Actor) error {
	_, err := a.SQL().ExecContext(a.Context(), addOne)
	return err
}

func TestWriterWaitsForTransaction(t *testing.T) {
	r := open(t)
	world := ofT(map[string]func(*interleave.Actor) error{
		"A": func(a *interleave.Actor) error { return inTx(a, addOne) },
		"B": add,
	})
	res, err := r.Run("A.BEGIN A.INSERT B.INSERT", world)
	require.NoError(t, err)
	var diverged *interleave.DivergedError
	require.ErrorAs(t, res.Err, &diverged)
	assert.Contains(t, res.Err.Error(), "B waits for A in INSERT INTO t")

	res, err = r.Run("A.BEGIN A.INSERT A.COMMIT B.INSERT", world)
	require.NoError(t, err)
	require.NoError(t, res.Err)
	// Without a schedule B comes when it can.
	res, err = r.Run("A.BEGIN A.INSERT", world)
	require.NoError(t, err)
	require.NoError(t, res.Err)
	assert.Equal(t, "A.BEGIN A.INSERT A.COMMIT B.INSERT", res.Trace.Schedule().String())
}

// TestUpgradeIsRefused: two transactions have read, and both write. The second is told at once, as SQLite does.
func TestUpgradeIsRefused(t *testing.T) {
	r := open(t)
	both := func(a *interleave.Actor) error { return inTx(a, readAll, addOne) }
	res, err := r.Run("A.BEGIN B.BEGIN A.SELECT B.SELECT A.INSERT B.INSERT B.ROLLBACK A.COMMIT", ofT(map[string]func(*interleave.Actor) error{"A": both, "B": both}))
	require.NoError(t, err)
	require.NoError(t, res.Err)
	assert.Contains(t, res.Trace.Steps[5].Reply, "database is locked")
	_, violated := res.Violated("one row")
	assert.False(t, violated)

	// The first can't commit while the second still reads.
	res, err = r.Run("A.BEGIN B.BEGIN A.SELECT B.SELECT A.INSERT A.COMMIT", ofT(map[string]func(*interleave.Actor) error{"A": both, "B": both}))
	require.NoError(t, err)
	assert.ErrorContains(t, res.Err, "A waits for B in COMMIT")
}

// TestLockAndQueueDeadlock: A holds the lock of the database and waits for a message, B would send it after its statement.
func TestLockAndQueueDeadlock(t *testing.T) {
	r := open(t)
	world := ofT(map[string]func(*interleave.Actor) error{
		"A": func(a *interleave.Actor) error {
			tx, err := a.SQL().BeginTx(a.Context(), nil)
			if err != nil {
				return err
			}
			defer tx.Rollback()
			if _, err := tx.ExecContext(a.Context(), addOne); err != nil {
				return err
			}
			if err := a.Redis().BLPop(a.Context(), 0, "q").Err(); err != nil {
				return err
			}
			return tx.Commit()
		},
		"B": func(a *interleave.Actor) error {
			if _, err := number(a.SQL(), "UPDATE t SET n = 2 RETURNING n"); err != nil && !errors.Is(err, sql.ErrNoRows) {
				return err
			}
			return a.Redis().LPush(a.Context(), "q", "x").Err()
		},
	})
	res, err := r.Run("A..", world)
	require.NoError(t, err)
	var dead *interleave.DeadlockError
	require.ErrorAs(t, res.Err, &dead)
	assert.Contains(t, dead.Error(), "which waits for A")
	// Explore finds it, because locks are dependent.
	x := r.Explore(context.Background(), world)
	require.NoError(t, x.Err)
	require.Len(t, x.Found, 1)
	assert.ErrorAs(t, x.Found[0].First.Err, &dead)
}

func TestFaultsOfStatements(t *testing.T) {
	r := open(t)
	twice := func(a *interleave.Actor) error {
		err := add(a)
		if errors.Is(err, interleave.ErrReplyLost) {
			a.Note("lost", "yes")
			return add(a)
		}
		return err
	}
	tx := func(a *interleave.Actor) error { return inTx(a, addOne) }
	for _, c := range []struct {
		name, schedule string
		do             func(*interleave.Actor) error
		rows           string
	}{
		{"lost: executed, and the caller does it again", "A.INSERT!lost A.INSERT", twice, "2 rows"},
		{"unsent: database/sql sends it again", "A.INSERT!unsent A.INSERT", twice, ""},
		{"crash before", "A!crash", add, "0 rows"},
		{"crash after", "A.INSERT!crash", add, ""},
		{"crash in a transaction: rolled back", "A.BEGIN A.INSERT!crash", tx, "0 rows"},
		{"crash before COMMIT: rolled back", "A.BEGIN A.INSERT A!crash", tx, "0 rows"},
		{"crash after COMMIT: there", "A.BEGIN A.INSERT A.COMMIT!crash", tx, ""},
		{"COMMIT lost: there", "A.BEGIN A.INSERT A.COMMIT!lost", tx, ""},
		{"lost in a transaction: rolled back with the connection", "A.BEGIN A.INSERT!lost", tx, "0 rows"},
		{"COMMIT unsent: rolled back with the connection", "A.BEGIN A.INSERT A.COMMIT!unsent", tx, "0 rows"},
	} {
		t.Run(c.name, func(t *testing.T) {
			res, err := r.Run(c.schedule, ofT(map[string]func(*interleave.Actor) error{"A": c.do}))
			require.NoError(t, err)
			require.NoError(t, res.Err, "%s", res.Trace)
			j, _ := res.Violated("one row")
			assert.Equal(t, c.rows, j.Detail, "%s", res.Trace)
			assert.Equal(t, c.schedule, res.Trace.Schedule().String())
		})
	}
	res, err := r.Run("A.INSERT!late", ofT(map[string]func(*interleave.Actor) error{"A": add}))
	require.NoError(t, err)
	var late *interleave.LateSQLError
	require.ErrorAs(t, res.Err, &late)
	assert.ErrorContains(t, res.Err, "A.INSERT!late at step 1: a SQL statement can't be late, because a driver that gives up closes its connection")
	var diverged *interleave.DivergedError
	assert.ErrorAs(t, res.Err, &diverged, "to those who ask for no more than that")
}

// TestCrashFreesTheLock: who waits for the transaction of the dead goes on.
func TestCrashFreesTheLock(t *testing.T) {
	r := open(t)
	res, err := r.Run("A.BEGIN A.INSERT A!crash B.INSERT", ofT(map[string]func(*interleave.Actor) error{
		"A": func(a *interleave.Actor) error { return inTx(a, addOne) }, "B": add,
	}))
	require.NoError(t, err)
	require.NoError(t, res.Err)
	assert.Equal(t, interleave.Held, res.Outcome())
}

// TestGivesUpAtTheGate: a context ends while the statement waits, and the transaction with it.
func TestGivesUpAtTheGate(t *testing.T) {
	r := open(t)
	res, err := r.Run("B.BEGIN B.INSERT +2s", ofT(map[string]func(*interleave.Actor) error{
		"A": func(a *interleave.Actor) error {
			ctx, cancel := context.WithTimeout(a.Context(), time.Second)
			defer cancel()
			if _, err := a.SQL().ExecContext(ctx, addOne); !errors.Is(err, context.DeadlineExceeded) {
				return fmt.Errorf("not given up: %w", err)
			}
			tx, err := a.SQL().BeginTx(a.Context(), nil)
			if err != nil {
				return err
			}
			return tx.Rollback()
		},
		"B": func(a *interleave.Actor) error { return inTx(a, addOne) },
	}))
	require.NoError(t, err)
	require.NoError(t, res.Err)
	assert.Equal(t, interleave.Held, res.Outcome(), "%s", res.Trace)
}

// TestThousandSteps: an hour of one statement each 3.6 s, with a pool that ends its connections by the clock, leaves nothing.
func TestThousandSteps(t *testing.T) {
	r := open(t)
	world := ofT(map[string]func(*interleave.Actor) error{"A": func(a *interleave.Actor) error {
		a.SQL().SetConnMaxLifetime(time.Minute)
		for range 1000 {
			if _, err := a.SQL().ExecContext(a.Context(), "INSERT INTO t (id, n) VALUES (1, 1) ON CONFLICT (id) DO UPDATE SET n = n + 1"); err != nil {
				return err
			}
			time.Sleep(3600 * time.Millisecond)
		}
		return nil
	}})
	var was int
	for i := range 3 {
		res, err := r.Run("", world)
		require.NoError(t, err)
		require.NoError(t, res.Err)
		assert.Equal(t, interleave.Held, res.Outcome())
		assert.Equal(t, time.Hour, res.Trace.Steps[len(res.Trace.Steps)-1].At)
		runtime.Gosched()
		if i == 0 {
			was = runtime.NumGoroutine()
		}
	}
	assert.LessOrEqual(t, runtime.NumGoroutine(), was+2)
}

// fileConnector connects to a SQLite of the program's own.
type fileConnector string

func (f fileConnector) Connect(context.Context) (driver.Conn, error) {
	return f.Driver().Open(string(f))
}
func (f fileConnector) Driver() driver.Driver { return &sqlite.Driver{} }

func TestWrapSQL(t *testing.T) {
	r := open(t)
	file := fileConnector(filepath.Join(t.TempDir(), "own.db"))
	world := func(w *interleave.World) {
		db := sql.OpenDB(file)
		defer db.Close()
		if _, err := db.Exec("DROP TABLE IF EXISTS t; " + makeT); err != nil {
			w.Fail(err)
		}
		for _, name := range []string{"A", "B"} {
			w.Actor(name, func(a *interleave.Actor) error {
				db := a.WrapSQL(file)
				n, err := number(db, "SELECT count(*) FROM t")
				if err != nil || n > 0 {
					return err
				}
				_, err = db.ExecContext(a.Context(), addOne)
				return err
			})
		}
	}
	res, err := r.Run("A.SELECT B.SELECT A.INSERT(t) B.INSERT", world)
	require.NoError(t, err)
	require.NoError(t, res.Err)
	assert.Equal(t, "1 row affected", res.Trace.Steps[3].Reply)
	x := r.Explore(context.Background(), world)
	require.NoError(t, x.Err)
	assert.True(t, x.Complete)
}

func TestMissingDatabase(t *testing.T) {
	res, err := open(t, interleave.Database("nonsense")).Run("", counted)
	require.NoError(t, err)
	assert.ErrorContains(t, res.Err, `unknown SQL database "nonsense" (allowed: container, mysql://…, process, sqlite; have `)
	res, err = open(t, interleave.Database("container")).Run("", counted)
	require.NoError(t, err)
	assert.ErrorContains(t, res.Err, "its package is not imported")
}
