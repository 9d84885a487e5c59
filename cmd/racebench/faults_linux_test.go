package main

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/racebench/racebench/internal/report"
	backends "github.com/racebench/racebench/internal/require"
)

// endless is a run that ends by what happens to it.
var endless = []string{"run", "A1", "--redis", "process", "--repeat", "1000000"}

// large is an exploration that takes longer than any test, with workers, which a search in every order would start only after
// its trial.
var large = []string{"explore", "X5", "--actors", "8", "--max", "100000000", "--redis", "process", "--strategy", "random", "-j", "2"}

// A fault is something that goes wrong around the command. Whatever it is, nothing may be left: no process that the
// command has started, nothing in the temporary folder.
type fault struct {
	name  string
	needs string // what must be there
	args  []string
	env   []string
	// setUp prepares what goes wrong, and may change the command.
	setUp func(t *testing.T, f *attempt)
	// act does something to the command while its worlds run.
	act  func(t *testing.T, f *attempt)
	code int
	says string // in standard error: the reason, and not one that another fault has too
	// after looks at what the command has left, and where standard error alone does not give the reason away.
	after func(t *testing.T, f *attempt)
}

// attempt is one run of the command with a temporary folder of its own.
type attempt struct {
	*exec.Cmd
	tmp    string
	mark   string // in the environment of everything that the command starts
	stderr string // file
}

var faults = []fault{
	{name: "unknown scenario", args: []string{"run", "A99"}, code: 2, says: `racebench: no scenario "A99"`},
	{name: "bad flag value", args: []string{"run", "A1", "--redis", "process", "--impl", "nobody"}, code: 2, says: `racebench: unknown implementation "nobody"`},
	{name: "bad schedule", args: []string{"replay", "A1", "--redis", "process", "A..GET!"}, code: 2, says: "A..GET takes no fault"},
	{name: "divergence", needs: "process", args: []string{"replay", "A1", "--redis", "process", "B.SET"}, code: 2, says: "schedule diverged at step 1 (token 1, B.SET): expected B SET"},
	{name: "all is well", needs: "process", args: []string{"run", "A1", "--redis", "process", "--out", "."}, code: 0, after: hasResults(".")},

	{name: "Redis dies in the middle", needs: "process", args: endless, act: func(t *testing.T, f *attempt) {
		require.NoError(t, syscall.Kill(f.child(t, "redis-server"), syscall.SIGKILL))
	}, code: 3, says: "(signal: killed"},
	{name: "Ctrl-C", needs: "process", args: endless, act: func(t *testing.T, f *attempt) {
		require.NoError(t, f.Process.Signal(os.Interrupt))
	}, code: 130, says: "interrupted"},
	{name: "SIGTERM", needs: "process", args: endless, act: func(t *testing.T, f *attempt) {
		require.NoError(t, f.Process.Signal(syscall.SIGTERM))
	}, code: 130, says: "interrupted"},
	{name: "SIGHUP", needs: "process", args: endless, act: func(t *testing.T, f *attempt) {
		require.NoError(t, f.Process.Signal(syscall.SIGHUP))
	}, code: 130, says: "interrupted"},
	{name: "Ctrl-C twice", needs: "process", args: endless, act: func(t *testing.T, f *attempt) {
		// A server that does not answer keeps the first from ending the world.
		require.NoError(t, syscall.Kill(f.child(t, "redis-server"), syscall.SIGSTOP))
		require.NoError(t, f.Process.Signal(os.Interrupt))
		f.wait(t, "stopping after", func() bool { return strings.Contains(f.said(t), "interrupted") })
		time.Sleep(100 * time.Millisecond) // nothing tells that a process will not end; without this an end would be missed
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", f.Process.Pid))
		require.NoError(t, err)
		require.NotContains(t, string(stat), ") Z ", "the first has ended it, so there is nothing for the second to do")
		require.NoError(t, f.Process.Signal(os.Interrupt))
	}, code: 130, says: "interrupted"},
	{name: "SIGKILL", needs: "process", args: endless, act: func(t *testing.T, f *attempt) {
		require.NoError(t, f.Process.Kill())
	}, code: -1, after: func(t *testing.T, f *attempt) {
		require.Equal(t, syscall.SIGKILL, f.ProcessState.Sys().(syscall.WaitStatus).Signal())
	}},

	{name: "Ctrl-C with workers", needs: "process", args: large, act: func(t *testing.T, f *attempt) {
		f.workers(t, 2)
		require.NoError(t, f.Process.Signal(os.Interrupt))
	}, code: 130, says: "to take it up again: racebench explore X5", after: func(t *testing.T, f *attempt) {
		require.FileExists(t, filepath.Join(f.Dir, "results", "explore-X5-naive.checkpoint.json"))
	}},
	{name: "SIGKILL with workers", needs: "process", args: large, act: func(t *testing.T, f *attempt) {
		f.workers(t, 2)
		require.NoError(t, f.Process.Kill())
	}, code: -1},
	{name: "workers are killed", needs: "process", args: large, act: func(t *testing.T, f *attempt) {
		first := f.workers(t, 2)
		for _, pid := range first {
			require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
		}
		f.wait(t, "other workers", func() bool {
			return !slices.ContainsFunc(f.workers(t, 2), func(pid int) bool { return slices.Contains(first, pid) })
		})
		require.NoError(t, f.Process.Signal(os.Interrupt))
	}, code: 130, says: "to take it up again"},

	{name: "socket path long", needs: "process", args: []string{"replay", "A1", "A..", "--redis", "process"}, setUp: func(t *testing.T, f *attempt) {
		long := filepath.Join(f.tmp, strings.Repeat("long", 60))
		require.NoError(t, os.Mkdir(long, 0o777))
		f.Env = append(f.Env, "TMPDIR="+long)
		t.Cleanup(func() { require.NoError(t, os.Remove(long), "the long folder is empty again") })
	}, code: 0},
	{name: "no temporary folder", needs: "process", args: []string{"replay", "A1", "A..", "--redis", "process"}, env: []string{"TMPDIR=/nowhere/at/all"}, code: 3, says: "backend process: no folder for its socket in /nowhere/at/all"},
	{name: "redis-server too old", args: []string{"run", "A1", "--redis", "process"}, setUp: oldRedis, code: 3, says: "backend process: redis-server 5.0.14 is too old, 6.2 or later is needed"},
	{name: "redis-server that is none", args: []string{"run", "A1", "--redis", "process"}, setUp: fakeServer("exit 1"), code: 3, says: "redis-server ended at once (exit status 1)"},
	{name: "no redis-server", args: []string{"run", "A1", "--redis", "process"}, env: []string{"PATH=/nowhere"}, code: 3, says: "backend process: there is no redis-server on PATH"},

	{name: "image that does not exist", args: []string{"run", "A1", "--redis", "container", "--redis-image", "racebench.invalid/no-such-image:1"}, code: 3, says: "backend container: ", after: noImage},

	{name: "results in a file", args: []string{"run", "A1", "--redis", "process", "--out", "file/results"}, needs: "process", setUp: func(t *testing.T, f *attempt) {
		require.NoError(t, os.WriteFile(filepath.Join(f.Dir, "file"), nil, 0o666))
	}, code: 2, says: "can't write results to file/results: not a directory"},
	{name: "no permission for results", needs: "process", args: []string{"run", "A1", "--redis", "process"}, setUp: asNobody, code: 2, says: "can't write results to results: permission denied"},
	{name: "disk full", needs: "process", args: []string{"run", "A1", "--redis", "process"}, setUp: fullDisk, code: 2, says: "can't write results to results: no space left on device"},
	{name: "output to a full disk", args: []string{"list"}, setUp: func(t *testing.T, f *attempt) {
		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		require.NoError(t, err)
		t.Cleanup(func() { full.Close() })
		f.Stdout = full
	}, code: 2, says: "can't write to standard output: no space left on device"},
	{name: "pipe that nobody reads", needs: "process", args: []string{"run", "A1", "--redis", "process"}, setUp: func(t *testing.T, f *attempt) {
		r, w, err := os.Pipe()
		require.NoError(t, err)
		require.NoError(t, r.Close())
		t.Cleanup(func() { w.Close() })
		f.Stdout = w
	}, code: 0, after: hasResults("results")},
}

func TestFaultsLeaveNothing(t *testing.T) {
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			if f.needs != "" {
				backends.Backend(t, f.needs)
			}
			if f.name == "SIGHUP" && signal.Ignored(syscall.SIGHUP) {
				t.Skip("whoever runs this has it ignore SIGHUP, as nohup does, and so does the command")
			}
			a := newAttempt(t, f)
			start(t, a.Cmd)
			if f.act != nil {
				a.child(t, "redis-server")
				time.Sleep(50 * time.Millisecond) // into the worlds, whichever: nothing is said before the first ends
				f.act(t, a)
			}
			code := a.end(t)
			said := a.said(t)
			require.Equal(t, f.code, code, said)
			require.Contains(t, said, f.says)
			if f.code <= 0 {
				require.Empty(t, said)
			} else {
				require.True(t, strings.HasPrefix(said, "racebench: "), said)
			}
			if f.after != nil {
				f.after(t, a)
			}
			a.nothingLeft(t)
		})
	}
}

// hasResults checks that there is a whole run in a folder.
func hasResults(dir string) func(*testing.T, *attempt) {
	return func(t *testing.T, f *attempt) {
		doc, err := report.Load(filepath.Join(f.Dir, dir, report.RunFile))
		require.NoError(t, err)
		require.Len(t, doc.Results, 2)
	}
}

// noImage checks that the image is what was missing, where there is an engine or must be one.
func noImage(t *testing.T, f *attempt) {
	if said := f.said(t); backends.Required("container") || !strings.Contains(said, "no Docker engine answers: ") {
		require.Contains(t, said, "image racebench.invalid/no-such-image:1 is not here and can't be pulled: ")
	}
}

func newAttempt(t *testing.T, f fault) *attempt {
	a := &attempt{Cmd: command(t, f.args...), tmp: t.TempDir(), mark: "RACEBENCH_TEST=" + strconv.Itoa(os.Getpid()) + "-" + t.Name()}
	a.Env = append(append(os.Environ(), "TMPDIR="+a.tmp, a.mark), f.env...)
	a.stderr = filepath.Join(t.TempDir(), "stderr")
	file, err := os.Create(a.stderr)
	require.NoError(t, err)
	t.Cleanup(func() { file.Close() })
	a.Stderr = file
	if f.setUp != nil {
		f.setUp(t, a)
	}
	return a
}

// said is what the command has written to standard error so far.
func (a *attempt) said(t *testing.T) string {
	text, err := os.ReadFile(a.stderr)
	require.NoError(t, err)
	return string(text)
}

// end waits for the end of the command, for a bounded time, and returns its code.
func (a *attempt) end(t *testing.T) int {
	// One that hangs says where.
	defer time.AfterFunc(30*time.Second, func() { a.Process.Signal(syscall.SIGQUIT) }).Stop()
	defer time.AfterFunc(40*time.Second, func() { a.Process.Kill() }).Stop()
	_ = a.Wait()
	return a.ProcessState.ExitCode()
}

// processes are what the command has started and still runs, by process id: what has its mark or works in its temporary
// folder. A redis-server writes its title over its environment.
func (a *attempt) processes() map[int]string {
	found := map[int]string{}
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		pid, _ := strconv.Atoi(filepath.Base(dir))
		cwd, _ := os.Readlink(filepath.Join(dir, "cwd"))
		env, err := os.ReadFile(filepath.Join(dir, "environ"))
		if err != nil || pid == a.Process.Pid || !strings.HasPrefix(cwd, a.tmp) && !strings.Contains(string(env), a.mark) {
			continue
		}
		name, _ := os.ReadFile(filepath.Join(dir, "comm"))
		found[pid] = strings.TrimSpace(string(name))
	}
	return found
}

// child waits for a process of that name and returns its id.
func (a *attempt) child(t *testing.T, name string) int {
	id := 0
	a.wait(t, name, func() bool {
		for pid, comm := range a.processes() {
			if comm == name {
				id = pid
			}
		}
		return id != 0
	})
	return id
}

// workers waits until there are n worker processes, and returns their ids.
func (a *attempt) workers(t *testing.T, n int) (pids []int) {
	a.wait(t, "workers", func() bool {
		pids = nil
		for pid, comm := range a.processes() {
			if strings.HasPrefix(comm, "racebench") {
				pids = append(pids, pid)
			}
		}
		return len(pids) == n
	})
	return pids
}

func (a *attempt) wait(t *testing.T, what string, cond func() bool) {
	t.Helper()
	const patience = 20 * time.Second
	for waited := time.Duration(0); !cond(); waited += 5 * time.Millisecond {
		if waited > patience {
			a.Process.Kill()
			t.Fatalf("waited in vain for %s; running: %v; standard error: %s", what, a.processes(), a.said(t))
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// nothingLeft counts processes and folders. After a SIGKILL somebody else cleans up, a moment later.
func (a *attempt) nothingLeft(t *testing.T) {
	var left string
	a.wait(t, "nothing to be left", func() bool {
		left = fmt.Sprint(a.processes())
		entries, err := os.ReadDir(a.tmp)
		require.NoError(t, err)
		for _, e := range entries {
			if !strings.HasPrefix(e.Name(), "long") {
				left += " " + e.Name()
			}
		}
		return left == "map[]"
	})
	drafts, err := filepath.Glob(filepath.Join(a.Dir, "results", ".*"))
	require.NoError(t, err)
	require.Empty(t, drafts, "half-written results")
}

// fakeServer puts a redis-server first on PATH that runs a line of shell.
func fakeServer(line string) func(*testing.T, *attempt) {
	return func(t *testing.T, f *attempt) {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "redis-server"), []byte("#!/bin/sh\n"+line+"\n"), 0o777))
		f.Env = append(f.Env, "PATH="+dir+":"+os.Getenv("PATH"))
	}
}

// oldRedis puts a redis-server first on PATH that is too old.
func oldRedis(t *testing.T, f *attempt) {
	exe, err := os.Executable()
	require.NoError(t, err)
	old := filepath.Join(t.TempDir(), oldServer)
	require.NoError(t, os.Symlink(exe, old))
	fakeServer("exec "+old+` "$@"`)(t, f)
}

// asNobody runs the command where it may not write. Root may write everywhere, so the command then runs as somebody else.
func asNobody(t *testing.T, f *attempt) {
	require.NoError(t, os.Chmod(f.Dir, 0o555))
	if os.Getuid() != 0 {
		return
	}
	// The test binary is in a folder that is root's alone.
	home, err := os.MkdirTemp("/tmp", "racebench-test-")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(home) })
	text, err := os.ReadFile(f.Path)
	require.NoError(t, err)
	f.Path = filepath.Join(home, "racebench")
	require.NoError(t, os.WriteFile(f.Path, text, 0o755))
	f.Dir, f.tmp = filepath.Join(home, "work"), filepath.Join(home, "tmp")
	require.NoError(t, os.Mkdir(f.Dir, 0o555))
	require.NoError(t, os.Mkdir(f.tmp, 0o777))
	require.NoError(t, os.Chmod(home, 0o755))
	require.NoError(t, os.Chmod(f.tmp, 0o777))
	f.Env = append(f.Env, "TMPDIR="+f.tmp)
	const nobody = 65534
	f.SysProcAttr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
}

// fullDisk makes the folder for results a file system of one page.
func fullDisk(t *testing.T, f *attempt) {
	dir := filepath.Join(f.Dir, "results")
	require.NoError(t, os.Mkdir(dir, 0o777))
	if err := unix.Mount("racebench", dir, "tmpfs", 0, "size=4k"); err != nil {
		t.Skipf("a file system can't be mounted here, which needs root: %v", err)
	}
	t.Cleanup(func() { require.NoError(t, unix.Unmount(dir, 0)) })
}
