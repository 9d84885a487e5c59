package mariadb_test

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/interleave"
	need "github.com/racebench/racebench/internal/require"
)

// foreign is a server of somebody else, on a port and with a password, in which there is a schema with a row already.
type foreign struct {
	url string
	db  *sql.DB
}

// startForeign starts a mariadbd that the package under test knows nothing of.
func startForeign(t *testing.T) foreign {
	t.Helper()
	need.Backend(t, "mariadb")
	binary, err := exec.LookPath("mariadbd")
	if err != nil {
		binary = "/usr/sbin/mariadbd"
	}
	install, err := exec.LookPath("mariadb-install-db")
	if err != nil {
		t.Skip("no mariadb-install-db on PATH")
	}
	data := t.TempDir()
	socket := filepath.Join(data, "s")
	common := []string{"--no-defaults", "--datadir=" + data, "--innodb-use-native-aio=0", "--innodb-log-file-size=8M"}
	if os.Geteuid() == 0 {
		common = append(common, "--user=root")
	}
	out, err := exec.Command(install, append(common, "--auth-root-authentication-method=normal", "--skip-test-db")...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	listen, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	at := listen.Addr().(*net.TCPAddr)
	listen.Close()
	cmd := exec.Command(binary, append(common, "--socket="+socket, "--bind-address=127.0.0.1", fmt.Sprint("--port=", at.Port),
		"--pid-file="+filepath.Join(data, "pid"), "--skip-name-resolve", "--skip-log-bin")...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	root, err := sql.Open("mysql", "root@unix("+socket+")/")
	require.NoError(t, err)
	t.Cleanup(func() { root.Close() })
	require.Eventually(t, func() bool { return root.Ping() == nil }, 30*time.Second, 50*time.Millisecond)
	password := rand.Text()
	for _, q := range []string{
		"CREATE DATABASE theirs", "CREATE TABLE theirs.t (n INT)", "INSERT INTO theirs.t VALUES (7)",
		"CREATE USER tester@'127.0.0.1' IDENTIFIED BY '" + password + "'",
		"GRANT ALL ON `racebench\\_%`.* TO tester@'127.0.0.1'", "GRANT PROCESS, CONNECTION ADMIN ON *.* TO tester@'127.0.0.1'",
	} {
		_, err := root.Exec(q)
		require.NoError(t, err, q)
	}
	return foreign{fmt.Sprintf("mysql://tester:%s@%s", password, at), root}
}

// schemas are the schemas of the server that it has not had from the start.
func (f foreign) schemas(t *testing.T) (names []string) {
	t.Helper()
	rows, err := f.db.Query("SELECT schema_name FROM information_schema.schemata WHERE schema_name NOT IN ('mysql', 'sys', 'information_schema', 'performance_schema') ORDER BY 1")
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var n string
		require.NoError(t, rows.Scan(&n))
		names = append(names, n)
	}
	require.NoError(t, rows.Err())
	return names
}

// roleVariable makes this test binary a program that uses the server of a URL and is ended by a signal.
const roleVariable = "RACEBENCH_TEST_URL"

func TestMain(m *testing.M) {
	if url := os.Getenv(roleVariable); url != "" {
		r, err := interleave.Open(interleave.Database(url))
		if err == nil {
			err = explain(r.Run("", rows(map[string][]string{"A": {first}})))
		}
		fmt.Println("ready", err)
		select {}
	}
	os.Exit(m.Run())
}

func explain(res *interleave.Result, err error) error {
	if err == nil {
		err = res.Err
	}
	return err
}

// TestURL: a world in a schema of our own, in a server where others have theirs, by a user who may touch no other.
func TestURL(t *testing.T) {
	f := startForeign(t)
	r, err := interleave.Open(interleave.For(t), interleave.Database(f.url))
	require.NoError(t, err)
	world := rows(map[string][]string{"A": {first}, "B": {first}})
	for range 2 {
		res, err := r.Run("A.BEGIN B.BEGIN A.UPDATE B.UPDATE A.COMMIT B.UPDATE B.COMMIT", world)
		require.NoError(t, err)
		require.NoError(t, res.Err, "%s", res.Trace)
		assert.Equal(t, "waits for A", res.Trace.Steps[3].Reply)
		assert.Equal(t, "[(1, 2), (2, 0)]", res.Trace.After[0].Value.String())
	}
	if during := f.schemas(t); assert.Len(t, during, 2) {
		assert.True(t, strings.HasPrefix(during[0], "racebench_"), during[0])
	}

	// Somebody else's run at the same time has a schema of its own, and a failed world leaves none.
	other, err := interleave.Open(interleave.For(t), interleave.Database(f.url))
	require.NoError(t, err)
	res, err := other.Run("", func(w *interleave.World) {
		w.Actor("A", func(a *interleave.Actor) error {
			_, err := a.SQL().ExecContext(a.Context(), "UPDATE theirs.t SET n = 8")
			return err
		})
	})
	require.NoError(t, err)
	require.NoError(t, res.Err)
	assert.Contains(t, res.Trace.String(), "denied")
	assert.Len(t, f.schemas(t), 3)
	require.NoError(t, other.Close())
	require.NoError(t, r.Close())
	assert.Equal(t, []string{"theirs"}, f.schemas(t))
	var n int
	require.NoError(t, f.db.QueryRow("SELECT n FROM theirs.t").Scan(&n))
	assert.Equal(t, 7, n)
}

// TestURLAfterAKill: what a run that was killed leaves is dropped by the next one, and nothing else is: not what looks
// like ours, nor what a run that goes on has.
func TestURLAfterAKill(t *testing.T) {
	f := startForeign(t)
	_, err := f.db.Exec("CREATE DATABASE racebench_of_theirs")
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var children []*exec.Cmd
	for range 2 {
		cmd := exec.CommandContext(ctx, os.Args[0])
		cmd.Env = append(os.Environ(), roleVariable+"="+f.url)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		said := make([]byte, 200)
		k, err := out.Read(said)
		require.NoError(t, err)
		require.Equal(t, "ready <nil>\n", string(said[:k]))
		children = append(children, cmd)
	}
	require.Len(t, f.schemas(t), 4)
	end := func(cmd *exec.Cmd) {
		require.NoError(t, cmd.Process.Kill())
		cmd.Wait()
	}
	next := func() {
		r, err := interleave.Open(interleave.For(t), interleave.Database(f.url))
		require.NoError(t, err)
		require.NoError(t, explain(r.Run("", rows(map[string][]string{"A": {first}}))))
		require.NoError(t, r.Close())
	}
	end(children[0])
	require.Eventually(t, func() bool { // until the server has noticed
		next()
		return len(f.schemas(t)) == 3
	}, 10*time.Second, 50*time.Millisecond)
	next()
	assert.Len(t, f.schemas(t), 3, "the other one goes on")
	end(children[1])
	require.Eventually(t, func() bool {
		next()
		return len(f.schemas(t)) == 2
	}, 10*time.Second, 50*time.Millisecond)
	assert.Equal(t, []string{"racebench_of_theirs", "theirs"}, f.schemas(t))
}
