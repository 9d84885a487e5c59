package interleave

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	_ "github.com/racebench/racebench/interleave/database/sqlite"
	"github.com/racebench/racebench/internal/raced"
)

// sqlProgram is a small program of SQL: of each actor, the statements, and whether they are one transaction.
type sqlProgram []struct {
	tx         string // "", "BEGIN" or "BEGIN IMMEDIATE"
	statements []string
}

// world turns the program into a world of two tables. What a statement writes depends on what the actor has read.
func (p sqlProgram) world(w *World) {
	for _, s := range []string{"CREATE TABLE x (n TEXT)", "CREATE TABLE y (n TEXT)", "INSERT INTO x VALUES ('-')", "INSERT INTO y VALUES ('-')"} {
		if _, err := w.SQL().Exec(s); err != nil {
			w.Fail(err)
		}
	}
	for i, part := range p {
		w.Actor(string(rune('A'+i)), func(a *Actor) error {
			var memory strings.Builder
			ctx := a.Context()
			c, err := a.SQL().Conn(ctx)
			if err != nil {
				return err
			}
			defer c.Close()
			exec := func(query string, args ...any) bool {
				_, err := c.ExecContext(ctx, query, args...)
				if err != nil {
					fmt.Fprint(&memory, query[:1], " fails ")
				}
				return err == nil
			}
			if part.tx != "" {
				exec(part.tx)
			}
			for _, s := range part.statements {
				what, table, _ := strings.Cut(s, " ")
				switch what {
				case "read":
					var n string
					if err := c.QueryRowContext(ctx, "SELECT n FROM "+table).Scan(&n); err != nil {
						n = "fails"
					}
					fmt.Fprint(&memory, table, "=", n, " ")
				case "set":
					exec("UPDATE "+table+" SET n = ?", fmt.Sprint(a.Name(), memory.Len()))
				case "append":
					exec("UPDATE "+table+" SET n = CONCAT(n, ?)", a.Name())
				case "copy":
					exec("UPDATE " + table + " SET n = (SELECT n FROM " + map[string]string{"x": "y", "y": "x"}[table] + ")")
				}
			}
			if part.tx != "" && !exec("COMMIT") {
				exec("ROLLBACK")
			}
			return errors.New(memory.String()) // a verdict, which is part of the final state
		})
	}
}

// enough is how many orders of drawn programs are run for each kind of fault.
var enough = raced.Few(1_500)

// TestSQLAgainstBruteForce: brute force and the reduced search come to the same final rows, verdicts and deadlocks, with
// and without transactions, and with the faults that there are.
func TestSQLAgainstBruteForce(t *testing.T) {
	for _, faults := range []string{"", "crash:1", "lost:1"} {
		t.Run(faults, func(t *testing.T) {
			r, err := Open(Faults(faults))
			require.NoError(t, err)
			defer r.Close()
			total, reduced := 0, 0
			compare := func(t interface{ Fatalf(string, ...any) }, p sqlProgram) (brute, orders int) {
				want, got := map[string]bool{}, map[string]bool{}
				brute = bruteForce(r, p.world, func(res *Result) { want[final(res)] = true })
				x := r.explore(context.Background(), p.world, func(res *Result) { got[final(res)] = true })
				if x.Err != nil || !x.Complete || strings.Join(sortedKeys(want), "\n") != strings.Join(sortedKeys(got), "\n") {
					t.Fatalf("%v\n%v %v\nbrute force:\n  %s\nreduced:\n  %s", p, x, x.Err, strings.Join(sortedKeys(want), "\n  "), strings.Join(sortedKeys(got), "\n  "))
				}
				total, reduced = total+brute, reduced+x.Orders
				return brute, x.Orders
			}
			if faults == "" {
				brute, orders := compare(t, sqlProgram{{"", []string{"set x", "append x"}}, {"", []string{"set y", "read y"}}})
				require.Equal(t, []int{6, 1}, []int{brute, orders}, "tables that nobody shares are not put in order")
			}
			most := []int{3, 3}
			if faults != "" {
				most = []int{2, 1} // a fault wherever it can happen makes many orders
			}
			rapid.Check(t, func(t *rapid.T) {
				if total > enough {
					return // a database in Go takes its time under the race detector
				}
				var p sqlProgram
				what := rapid.SampledFrom([]string{"read x", "read y", "set x", "append x", "append y", "copy x", "copy y"})
				for i := range 2 {
					n := rapid.IntRange(1, most[i]).Draw(t, "statements")
					p = append(p, sqlProgram{{
						rapid.SampledFrom([]string{"", "BEGIN", "BEGIN IMMEDIATE"}).Draw(t, fmt.Sprint("tx ", i)),
						rapid.SliceOfN(what, n, n).Draw(t, fmt.Sprint("list ", i)),
					}}...)
				}
				compare(t, p)
			})
			t.Logf("%d orders, %d of them run by the reduced search", total, reduced)
		})
	}
}
