package container_test

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/interleave/backend"
	"github.com/racebench/racebench/interleave/database"
	_ "github.com/racebench/racebench/interleave/database/container"
	need "github.com/racebench/racebench/internal/require"
)

// ours counts the containers of an image that this machine's runs have.
func ours(t *testing.T, image string) int {
	t.Helper()
	host, _ := os.Hostname()
	out, err := exec.Command("docker", "ps", "-aq", "--filter", "ancestor="+image, "--filter", "label=com.github.racebench.host="+host).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return len(strings.Fields(string(out)))
}

// Two actors, one row: the lock of the server in the container is seen, and nothing is left of the container.
func TestRowLockInAContainer(t *testing.T) {
	image := need.SQLImage(t)
	before := ours(t, image)
	r, err := interleave.Open(interleave.For(t), interleave.Database("container"), interleave.DatabaseConfig(database.Config{Image: image}))
	require.NoError(t, err)
	world := func(w *interleave.World) {
		for _, s := range []string{"CREATE TABLE t (id INT PRIMARY KEY, n INT)", "INSERT INTO t VALUES (1, 0)"} {
			if _, err := w.SQL().Exec(s); err != nil {
				w.Fail(err)
			}
		}
		for _, name := range []string{"A", "B"} {
			w.Actor(name, func(a *interleave.Actor) error {
				tx, err := a.SQL().BeginTx(a.Context(), nil)
				if err != nil {
					return err
				}
				defer tx.Rollback()
				if _, err := tx.ExecContext(a.Context(), "UPDATE t SET n = n + 1 WHERE id = 1"); err != nil {
					return err
				}
				return tx.Commit()
			})
		}
	}
	for range 2 { // the second world finds an empty schema
		res, err := r.Run("A.BEGIN B.BEGIN A.UPDATE B.UPDATE A.COMMIT B.UPDATE B.COMMIT", world)
		require.NoError(t, err)
		require.NoError(t, res.Err, "%s", res.Trace)
		assert.Equal(t, "waits for A", res.Trace.Steps[3].Reply)
		require.Len(t, res.Trace.After, 1)
		assert.Equal(t, "[(1, 2)]", res.Trace.After[0].Value.String())
	}
	assert.Equal(t, before+1, ours(t, image))
	require.NoError(t, r.Close())
	assert.Equal(t, before, ours(t, image))
}

func TestNoSuchImage(t *testing.T) {
	need.Backend(t, "container")
	_, err := database.Open("container", database.Config{Image: "racebench/no-such-image:0"})
	var u *backend.UnavailableError
	require.True(t, errors.As(err, &u), "%v", err)
	assert.Contains(t, u.Error(), "racebench/no-such-image:0")
	assert.Contains(t, u.Hint, "--sql-image")
}
