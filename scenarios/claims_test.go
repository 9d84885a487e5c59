package scenarios

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/impl"
	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/internal/raced"
	"github.com/racebench/racebench/invariants"
)

var updateClaims = flag.Bool("update-claims", false, "run every claim and write them into the README")

// A claim is a row of the README's table: one world, one fault of a kind anywhere, every order.
type claim struct {
	what   string // the world, in words
	faults string
	long   bool   // it takes minutes
	met    string // the version that is searched up to states met before (docs/exploration.md), since its orders are too many
	some   string // the version of which only the first thousand executions are made, since there are too many
	world  func(impl string) func(*interleave.World)
}

var claims = []claim{
	{"the lock: 3 requests at once, 2 of one state, each computes 7 s", "crash:1", false, "", "naive", threeRequests(slow, 0)},
	{"the lock: the same, each computes 45 s, the third comes after 33 s", "crash:1", false, "", "", threeRequests(45*time.Second, 33*time.Second)},
	{"the queue: 2 workers, 1 reaper, 1 task", "crash:1", false, "", "", smallQueue(1)},
	{"the queue: 2 workers, 1 reaper, 2 tasks", "crash:1", true, "", "", smallQueue(1, 2)},
	{"the queue: a worker, a reaper, and a second worker on its heels, 1 task", "jump:1", false, "lua", "", onItsHeels},
}

// threeRequests are two requests of one state and one of the other, which comes later.
func threeRequests(takes, later time.Duration) func(string) func(*interleave.World) {
	return func(name string) func(*interleave.World) {
		return func(w *interleave.World) {
			l := locks(w, name, Target)
			l.request("P", 0, impl.Processing, takes)
			l.request("Q", 0, impl.Processing, takes)
			l.request("C", later, impl.Cancelling, takes)
			w.Check(computing.OneState(), requests.Together())
			if name == "lua" {
				w.Check(requests.RefusedForCause(impl.DefaultStateTTL), invariants.ReleasedByOwner(impl.HoldersKey(Target), true))
			}
		}
	}
}

// smallQueue has two workers who take one task each, a reaper of one pass, and, when all is over, one more of both.
func smallQueue(tasks ...int64) func(string) func(*interleave.World) {
	return func(name string) func(*interleave.World) {
		return func(w *interleave.World) {
			q := queue(w, name, Target)
			q.given(tasks...)
			q.actor("W", (*queueProcess).work)
			q.actor("N", (*queueProcess).work)
			q.actor("R", later(stale), (*queueProcess).reap)
			q.over()
			q.judged()
		}
	}
}

// onItsHeels is the world of C8, in which a worker that is slow meets the one that has its task now.
func onItsHeels(name string) func(*interleave.World) {
	return func(w *interleave.World) { overtaken(name)(w, Target) }
}

func (c claim) row(t *testing.T, name string) string {
	r := open(t)
	opts := []interleave.Option{interleave.Faults(c.faults), interleave.MaxExecutions(100_000), interleave.Unexplained()}
	if strings.HasPrefix(c.faults, "jump") {
		opts = append(opts, interleave.Jumps(stale))
	}
	if c.met == name {
		opts = append(opts, interleave.Fingerprints())
	}
	if c.some == name {
		opts = append(opts, interleave.MaxExecutions(1_000))
	}
	x, err := r.ExploreWith(context.Background(), c.world(name), opts...)
	require.NoError(t, err)
	require.NoError(t, x.Err)
	require.Zero(t, x.Undecided)
	require.Equal(t, c.some != name, x.Complete, "%s: %v", c.what, x)
	if name == "lua" {
		require.Empty(t, x.Found, c.what)
	}
	orders, broken := fmt.Sprint(x.Orders), []string{}
	if c.met == name {
		orders += ", up to states met before"
	}
	if c.some == name {
		orders = "the first " + orders
	}
	for _, f := range x.Found {
		broken = append(broken, fmt.Sprintf("%s: %d", f.What, f.Orders))
	}
	switch {
	case len(broken) > 0:
	case x.Complete:
		broken = []string{"none"}
	default:
		broken = []string{"none found, undecided"}
	}
	return fmt.Sprintf("| %s | %s | `%s` | %s | %s |\n", c.what, name, c.faults, orders, strings.Join(broken, "; "))
}

const (
	claimsFile  = "../README.md"
	claimsBegin = "<!-- claims: go test ./scenarios -run TestClaims -update-claims -->\n"
	claimsEnd   = "<!-- end of claims -->\n"
	claimsHead  = "| world | version | fault, anywhere | orders | orders that break an invariant |\n|---|---|---|---|---|\n"
)

// TestClaims runs what the README claims of every order, except what takes minutes, and compares row for row. With -update-claims
// it runs all of it and writes the table.
func TestClaims(t *testing.T) {
	raced.Skip(t)
	text, err := os.ReadFile(claimsFile)
	require.NoError(t, err)
	before, rest, ok := strings.Cut(string(text), claimsBegin)
	require.True(t, ok, "the README has no place for the claims")
	table, after, ok := strings.Cut(rest, claimsEnd)
	require.True(t, ok)
	rows := claimsHead
	for _, c := range claims {
		for _, name := range []string{"naive", "lua"} {
			if c.long && !*updateClaims {
				require.Contains(t, table, fmt.Sprintf("| %s | %s | `%s` | ", c.what, name, c.faults))
				continue
			}
			row := c.row(t, name)
			t.Log(row)
			rows += row
			if !*updateClaims {
				require.Contains(t, table, row)
			}
		}
	}
	if *updateClaims {
		require.NoError(t, os.WriteFile(claimsFile, []byte(before+claimsBegin+rows+claimsEnd+after), 0o644))
	}
}
