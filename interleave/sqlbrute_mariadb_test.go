package interleave

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	_ "github.com/racebench/racebench/interleave/database/mariadb"
	need "github.com/racebench/racebench/internal/require"
)

// TestMariaDBAgainstBruteForce: the same on a server that locks rows and keeps versions of them, for a few programs, because
// a world costs it as much as fifty on SQLite. Each is about a way in which transactions meet.
func TestMariaDBAgainstBruteForce(t *testing.T) {
	need.Backend(t, "mariadb")
	r, err := Open(Database("process"))
	require.NoError(t, err)
	defer r.Close()
	for _, c := range []struct {
		what    string
		program sqlProgram
		fewer   bool // the reduced search can leave orders out
	}{
		{"what a transaction has written is seen by others from its COMMIT on", sqlProgram{{"BEGIN", []string{"set x"}}, {"", []string{"read x", "read x"}}}, true},
		// B reads x after A has written it, and before the COMMIT: only the order with COMMIT decides.
		{"the COMMIT by itself", sqlProgram{{"BEGIN", []string{"append x", "read y"}}, {"", []string{"append y", "read x"}}}, true},
		{"what it has not touched, its COMMIT does not change", sqlProgram{{"BEGIN", []string{"set x"}}, {"", []string{"set y", "read y"}}}, true},
		{"two transactions add to one row", sqlProgram{{"BEGIN", []string{"append x"}}, {"BEGIN", []string{"append x"}}}, true},
		{"the first read fixes what the second sees", sqlProgram{{"BEGIN", []string{"read y", "read x"}}, {"", []string{"append x"}}}, true},
		{"lost update over a read", sqlProgram{{"BEGIN", []string{"read x", "set x"}}, {"BEGIN", []string{"append x"}}}, true},
		{"write skew", sqlProgram{{"BEGIN", []string{"read x", "set y"}}, {"", []string{"copy x"}}}, true},
		{"a deadlock", sqlProgram{{"BEGIN", []string{"append x", "append y"}}, {"BEGIN", []string{"append y", "append x"}}}, false},
	} {
		t.Run(c.what, func(t *testing.T) {
			want, got := map[string]bool{}, map[string]bool{}
			brute := bruteForce(r, c.program.world, func(res *Result) { want[final(res)] = true })
			x := r.explore(context.Background(), c.program.world, func(res *Result) { got[final(res)] = true })
			require.NoError(t, x.Err)
			assert.True(t, x.Complete)
			assert.Equal(t, strings.Join(sortedKeys(want), "\n"), strings.Join(sortedKeys(got), "\n"), fmt.Sprint(c.program))
			if c.fewer {
				assert.Less(t, x.Orders, brute)
			}
			t.Logf("%d orders, %d of them run by the reduced search, %d ends", brute, x.Orders, len(want))
		})
	}
}
