//go:build linux

package process

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/racebench/racebench/interleave/backend"
	"github.com/racebench/racebench/interleave/backend/remote"
	"github.com/racebench/racebench/internal/require"
	"github.com/racebench/racebench/internal/rundir"
)

// roleVariable makes this test binary act as a program that uses two servers and ends in some way.
const roleVariable = "RACEBENCH_TEST_ROLE"

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		act(role)
	}
	os.Exit(m.Run())
}

func act(role string) {
	if role == "old" {
		actOld()
	}
	var servers []backend.Server
	for range 2 {
		s, err := Open(backend.Config{})
		if err != nil {
			fmt.Println("open:", err)
			os.Exit(1)
		}
		c, _ := s.Open()
		if _, err := c.Do([]string{"SET", "a", "1"}); err != nil {
			fmt.Println("do:", err)
			os.Exit(1)
		}
		servers = append(servers, s)
	}
	fmt.Println("ready")
	switch role {
	case "panic":
		panic("on purpose")
	case "exit":
		os.Exit(7)
	case "close":
		for _, s := range servers {
			if err := s.Close(); err != nil {
				fmt.Println("close:", err)
			}
		}
		os.Exit(0)
	case "handle":
		c := make(chan os.Signal, 1)
		signal.Notify(c, os.Interrupt)
		<-c
		for _, s := range servers {
			s.Close()
		}
		os.Exit(2)
	default:
		select {}
	}
}

// actOld makes this program the redis-server of a time gone by.
func actOld() {
	socket := ""
	for i, a := range os.Args {
		switch a {
		case "--enable-debug-command":
			fmt.Println("*** FATAL CONFIG FILE ERROR ***\n>>> 'enable-debug-command \"local\"'\nBad directive or wrong number of arguments")
			os.Exit(1)
		case "--unixsocket":
			socket = os.Args[i+1]
		}
	}
	l, err := net.Listen("unix", socket)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	for {
		c, err := l.Accept()
		if err != nil {
			os.Exit(1)
		}
		buf := make([]byte, 4096)
		for {
			n, err := c.Read(buf)
			if err != nil {
				break
			}
			if info := "# Server\r\nredis_version:5.0.14\r\nredis_mode:standalone\r\n"; strings.Contains(string(buf[:n]), "INFO") {
				fmt.Fprintf(c, "$%d\r\n%s\r\n", len(info), info)
				continue
			}
			fmt.Fprintf(c, "-ERR unknown command\r\n") // it has no HELLO
		}
	}
}

func TestTooOld(t *testing.T) {
	t.Setenv(roleVariable, "old")
	_, err := Open(backend.Config{Binary: os.Args[0]})
	if got := unavailableText(t, err); !strings.Contains(got, "redis-server 5.0.14 is too old, 6.2 or later is needed") {
		t.Error(got)
	}
	var u *backend.UnavailableError
	if errors.As(err, &u); !strings.Contains(u.Hint, "get a newer one (https://redis.io/downloads") {
		t.Errorf("hint %q", u.Hint)
	}
}

// Whatever way a program ends, no process and no file of it stays.
func TestNothingStays(t *testing.T) {
	require.Backend(t, "process")
	for _, c := range []struct {
		role string
		end  syscall.Signal
	}{
		{"close", 0}, {"exit", 0}, {"panic", 0}, {"wait", syscall.SIGKILL}, {"wait", syscall.SIGINT}, {"wait", syscall.SIGTERM},
		{"handle", syscall.SIGINT}, {"wait", syscall.SIGQUIT},
	} {
		t.Run(fmt.Sprint(c.role, " ", c.end), func(t *testing.T) {
			tmp := t.TempDir()
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), roleVariable+"="+c.role, "TMPDIR="+tmp)
			rundir.Bind(cmd)
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if rundir.Keep(func() { err = cmd.Start() }); err != nil {
				t.Fatal(err)
			}
			if line, _ := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
				t.Fatalf("the program says %q", line)
			}
			if c.end != 0 {
				if n := len(mentioning(tmp)); n == 0 {
					t.Fatal("no process uses the folder: this test sees nothing")
				}
				syscall.Kill(-cmd.Process.Pid, c.end) // the whole group, as a terminal does
			}
			cmd.Wait()
			var left []string
			for range 500 {
				files, _ := filepath.Glob(filepath.Join(tmp, "*"))
				if left = append(files, mentioning(tmp)...); len(left) == 0 {
					return
				}
				time.Sleep(10 * time.Millisecond)
			}
			t.Errorf("5 s later there are still %q", left)
		})
	}
}

// mentioning lists the processes whose folder or command line is in dir.
func mentioning(dir string) (found []string) {
	procs, _ := filepath.Glob("/proc/[0-9]*")
	for _, p := range procs {
		cwd, _ := os.Readlink(filepath.Join(p, "cwd"))
		cmdline, _ := os.ReadFile(filepath.Join(p, "cmdline"))
		if strings.HasPrefix(cwd, dir) || strings.Contains(string(cmdline), dir) {
			found = append(found, p+" "+strings.ReplaceAll(string(cmdline), "\x00", " "))
		}
	}
	return found
}

func unavailableText(t *testing.T, err error) string {
	t.Helper()
	var u *backend.UnavailableError
	if !errors.As(err, &u) || u.Backend != Name {
		t.Fatalf("got %v (%T), want an UnavailableError of %s", err, err, Name)
	}
	return err.Error()
}

func TestServerHangs(t *testing.T) {
	s := open(t, backend.Config{ReplyTimeout: 200 * time.Millisecond})
	c := conn(t, s)
	do(t, c, "SET", "a", "1")
	syscall.Kill(s.child.cmd.Process.Pid, syscall.SIGSTOP)
	start := time.Now()
	_, err := c.Do([]string{"get", "a"})
	if got := unavailableText(t, err); !strings.Contains(got, "did not answer GET within 200ms") {
		t.Error(got)
	}
	if _, err := c.Do([]string{"GET", "a"}); err == nil {
		t.Error("a server that hung is used again")
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("it took %s", took)
	}
}

// A server is abandoned while a call of it hangs.
func TestAbandon(t *testing.T) {
	s := open(t, backend.Config{})
	c := conn(t, s)
	do(t, c, "SET", "a", "1")
	pid, folder := s.child.cmd.Process.Pid, s.folder.Path
	syscall.Kill(pid, syscall.SIGSTOP)
	called, done := make(chan struct{}), make(chan error)
	go func() {
		close(called)
		_, err := c.Do([]string{"GET", "a"})
		done <- err
	}()
	<-called
	stacks := make([]byte, 1<<20)
	for deadline := time.Now().Add(10 * time.Second); !bytes.Contains(stacks[:runtime.Stack(stacks, true)], []byte("(*rawSocket).Read")); {
		if time.Now().After(deadline) {
			t.Fatal("the call does not wait for the server")
		}
		time.Sleep(time.Millisecond)
	}
	start := time.Now()
	if err := s.Abandon(); err != nil {
		t.Error(err)
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("it took %s", took)
	}
	if err := syscall.Kill(pid, 0); err == nil {
		t.Error("the process lives")
	}
	if _, err := os.Stat(folder); err == nil {
		t.Error("its folder is there")
	}
	unavailableText(t, <-done)
	if err := errors.Join(s.Abandon(), s.Close()); err != nil {
		t.Error(err)
	}
}

func TestServerDies(t *testing.T) {
	s := open(t, backend.Config{})
	c := conn(t, s)
	do(t, c, "SET", "a", "1")
	syscall.Kill(s.child.cmd.Process.Pid, syscall.SIGTERM)
	var err error
	for err == nil {
		_, err = c.Do([]string{"GET", "a"})
	}
	got := unavailableText(t, err)
	if !strings.Contains(got, "exit status 0") || !strings.Contains(got, "bye bye") {
		t.Errorf("the reason is not told: %s", got)
	}
	if err := s.Reset(remote.Epoch); err == nil {
		t.Error("a dead server was reset")
	}
}

// fake writes a program that stands in for redis-server.
func fake(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "redis-server")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestCannotOpen(t *testing.T) {
	noExec := filepath.Join(t.TempDir(), "redis-server")
	os.WriteFile(noExec, nil, 0o644)
	for _, c := range []struct {
		name, binary, want string
	}{
		{"missing", "/nowhere/redis-server", "there is no redis-server at /nowhere/redis-server"},
		{"not executable", noExec, "may not be executed"},
		{"ends at once", fake(t, "echo something is wrong; exit 3"), "ended at once (exit status 3; last line of its log: something is wrong)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Open(backend.Config{Binary: c.binary})
			if got := unavailableText(t, err); !strings.Contains(got, c.want) {
				t.Errorf("got %q, want %q in it", got, c.want)
			}
			var u *backend.UnavailableError
			if errors.As(err, &u); u.Hint == "" {
				t.Error("no hint")
			}
		})
	}
	t.Run("nothing on PATH", func(t *testing.T) {
		t.Setenv("PATH", "/nowhere")
		_, err := Open(backend.Config{})
		if got := unavailableText(t, err); !strings.Contains(got, "no redis-server on PATH") {
			t.Error(got)
		}
	})
	t.Run("no temporary folder", func(t *testing.T) {
		require.Backend(t, "process")
		t.Setenv("TMPDIR", "/nowhere/at/all")
		_, err := Open(backend.Config{})
		if got := unavailableText(t, err); !strings.Contains(got, "/nowhere/at/all: no such file or directory") {
			t.Error(got)
		}
	})
}

// A temporary folder with a name longer than a socket address takes is no obstacle.
func TestLongTemporaryFolder(t *testing.T) {
	long := filepath.Join(t.TempDir(), strings.Repeat("long", 30), strings.Repeat("name", 30))
	if err := os.MkdirAll(long, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", long)
	c := conn(t, open(t, backend.Config{}))
	if got := do(t, c, "PING"); got != "+PONG\r\n" {
		t.Error(got)
	}
}

func TestProbe(t *testing.T) {
	require.Backend(t, "process")
	version, how, err := Probe(t.Context(), backend.Config{})
	if err != nil || remote.Older(version, 6, 2) || !strings.Contains(how, "redis-server, ") {
		t.Error(version, how, err)
	}
	other, err := Version(t.Context(), "")
	if err != nil || other != version {
		t.Errorf("Version is %q, %v; the server says %q", other, err, version)
	}
	if _, err := Version(t.Context(), fake(t, "echo hello")); err == nil {
		t.Error("a program that is no Redis has a version")
	}
}
