package main

import (
	"bytes"
	"context"
	"flag"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/racebench/racebench/internal/report"
	"github.com/racebench/racebench/internal/rundir"
)

var update = flag.Bool("update", false, "rewrite golden files and the reference run")

// TestMain lets the test binary be the command, for scripts and for tests that need a process of its own.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"racebench": main, oldServer: serveOld})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update,
		Condition: func(cond string) (bool, error) {
			_, err := exec.LookPath(strings.TrimPrefix(cond, "have:"))
			return err == nil, nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"code": code, "document": document},
	})
}

// code runs a command and checks its exit code: code 2 racebench runn.
func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code n command …")
	}
	want := args[0]
	err := ts.Exec(args[1], args[2:]...)
	got := "0"
	if err != nil {
		got = strings.TrimPrefix(err.Error(), "exit status ")
	}
	if got != want {
		ts.Fatalf("exit code %s, want %s", got, want)
	}
}

// document checks that a file is one document of a run and nothing else: document run.json.
func document(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: document file")
	}
	text := ts.ReadFile(args[0])
	run, err := report.Decode([]byte(text))
	ts.Check(err)
	var again bytes.Buffer
	ts.Check(report.Encode(&again, run))
	if again.String() != text {
		ts.Fatalf("%s is not what a reader who knows every field would write", args[0])
	}
}

// command is the command as a process of its own, which does not outlive its test. Its end is bounded by patience.
func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	cmd := exec.CommandContext(ctx, exe)
	t.Cleanup(func() {
		cancel()
		if cmd.Process != nil && cmd.ProcessState == nil {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	})
	cmd.WaitDelay = time.Second
	cmd.Args = append([]string{"racebench"}, args...)
	cmd.Dir = t.TempDir()
	dieWithUs(cmd)
	return cmd
}

// patience is far more than any command of a test takes.
const patience = 2 * time.Minute

// start starts a command of a test.
func start(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	var err error
	rundir.Keep(func() { err = cmd.Start() }) // the kernel ends it with the thread that has started it
	if err != nil {
		t.Fatal(err)
	}
}
