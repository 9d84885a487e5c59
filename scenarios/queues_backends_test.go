package scenarios

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/racebench/racebench/interleave"
	_ "github.com/racebench/racebench/interleave/database/mariadb" // registers it
	need "github.com/racebench/racebench/internal/require"
)

// dialect is what MariaDB answers otherwise than SQLite, by the step of a variant: SQLite counts the rows that an UPDATE has
// matched, MySQL and MariaDB those that it has changed. The second worker of these twins begins at the same millisecond as the
// first, and so changes nothing in the row. (docs/sql.md)
var dialect = map[string]int{"C12/naive/both end": 9}

// On embedded and SQLite, and on redis-server and MariaDB, the races of the queue are the same, step for step.
func TestTracesOfTheQueueAreTheSameOnServers(t *testing.T) {
	need.Backend(t, "process")
	need.Backend(t, "mariadb")
	here, servers := openOn(t, "embedded"), openOn(t, "process", interleave.Database("process"))
	met := map[string]int{}
	each(t, func(t *testing.T, _ *Case, v *Variant) {
		_, name, _ := strings.Cut(t.Name(), "/")
		if !strings.HasPrefix(name, "C") {
			t.Skip("not of the queue")
		}
		name = strings.ReplaceAll(name, "_", " ")
		want, got := run(t, here, v, Target), run(t, servers, v, Target)
		if n := dialect[name]; n > 0 {
			w, g := want.Trace.Steps[n-1], got.Trace.Steps[n-1]
			assert.Equal(t, []string{"1 row affected", "no rows affected"}, []string{w.Reply, g.Reply}, one(w))
			g.Reply = w.Reply
			met[name] = n
		}
		sameTrace(t, want, got)
	})
	assert.Equal(t, dialect, met)
}
