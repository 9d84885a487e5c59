package mariadb

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/racebench/racebench/interleave/backend"
	"github.com/racebench/racebench/interleave/database"
	"github.com/racebench/racebench/internal/rundir"
)

func init() {
	database.Register("process", func(_ string, cfg database.Config) (database.Server, error) { return Process(cfg) })
	database.Register("mysql://", func(spec string, _ database.Config) (database.Server, error) { return URL(spec) })
}

const hint = "apt-get install mariadb-server, and see that its service does not start"

func unavailable(err error) error {
	return &backend.UnavailableError{Backend: "SQL process", Err: err, Hint: hint}
}

// find is the server to start, on PATH or where Debian keeps it.
func find(binary string) (string, error) {
	names := []string{"mariadbd", "mysqld"}
	if binary != "" {
		names = []string{binary}
	}
	for _, n := range names {
		if path, err := exec.LookPath(n); err == nil {
			return path, nil
		}
		if path := filepath.Join("/usr/sbin", n); binary == "" {
			if _, err := os.Stat(path); err == nil {
				return path, nil
			}
		}
	}
	return "", unavailable(fmt.Errorf("no %s on PATH", strings.Join(names, " or ")))
}

// Process starts a server in a private data folder, on a private socket and no port. It ends with this process, whatever
// ends that.
func Process(cfg database.Config) (*Server, error) {
	binary, err := find(cfg.Binary)
	if err != nil {
		return nil, err
	}
	folder, err := rundir.Open()
	if err != nil {
		return nil, unavailable(err)
	}
	base := folder.Next()
	data := filepath.Join(folder.Path, base+"-data")
	if err := dataFolder(binary, folder.Path, data); err != nil {
		return nil, errors.Join(unavailable(err), folder.Release())
	}
	server, client := folder.Socket(base)
	cmd := exec.Command(binary, append(common(data),
		"--socket="+filepath.Join(folder.Path, server), "--pid-file="+filepath.Join(data, "server.pid"), "--skip-networking", "--skip-log-bin",
		// Nothing in the folder is kept, so nothing is synced to disk, and tables need no files of their own: to drop and to make a
		// schema is mostly that.
		"--innodb-flush-log-at-trx-commit=0", "--innodb-flush-method=nosync", "--loose-debug-no-sync", "--skip-innodb-file-per-table",
		"--innodb-buffer-pool-size=16M", "--skip-name-resolve", "--performance-schema=OFF")...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := folder.Start(cmd, base); err != nil {
		return nil, errors.Join(unavailable(err), folder.Release())
	}
	ended := make(chan struct{})
	go func() {
		cmd.Wait()
		close(ended)
	}()
	stop := func() error {
		cmd.Process.Kill() // nothing of it is kept
		<-ended
		return errors.Join(os.RemoveAll(data), folder.Release())
	}
	if err := await(client, ended); err != nil {
		stop()
		return nil, unavailable(fmt.Errorf("%w: %s", err, lastLine(said.String())))
	}
	at := mysql.NewConfig()
	at.User, at.Net, at.Addr = "root", "unix", client
	return At("process", "racebench", at, stop)
}

// common are the arguments of the server for making a data folder and for serving it.
func common(data string) []string {
	args := []string{"--no-defaults", "--datadir=" + data, "--innodb-log-file-size=8M", "--innodb-use-native-aio=0"}
	if os.Geteuid() == 0 {
		args = append(args, "--user=root")
	}
	return args
}

// template is the data folder of an empty server, made once in a process.
var template struct {
	sync.Mutex
	path string
}

// dataFolder makes a data folder: the first by the server's own tool, which takes seconds, the others as copies of it.
func dataFolder(binary, folder, data string) error {
	template.Lock()
	defer template.Unlock()
	from := filepath.Join(folder, "mariadb-template")
	if template.path != from {
		cmd := exec.Command(binary, append(common(from), "--initialize-insecure")...)
		for _, tool := range []string{"mariadb-install-db", "mysql_install_db"} {
			if path, err := exec.LookPath(tool); err == nil {
				cmd = exec.Command(path, append(common(from), "--auth-root-authentication-method=normal", "--skip-test-db")...)
				break
			}
		}
		out, err := cmd.CombinedOutput()
		if err != nil {
			os.RemoveAll(from)
			return fmt.Errorf("%s: %w: %s", filepath.Base(cmd.Path), err, lastLine(string(out)))
		}
		template.path = from
	}
	return os.CopyFS(data, os.DirFS(from))
}

// await polls the socket.
func await(socket string, ended <-chan struct{}) error {
	const most, pause = 30 * time.Second, 5 * time.Millisecond
	for waited := time.Duration(0); waited < most; waited += pause {
		if c, err := net.Dial("unix", socket); err == nil {
			return c.Close()
		}
		select {
		case <-ended:
			return errors.New("the server ended at once")
		case <-time.After(pause):
		}
	}
	return fmt.Errorf("no answer on its socket within %s", most)
}

func lastLine(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return lines[len(lines)-1]
}
