//go:build linux

package vclock

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// program prints what it sees of the time, of /dev/urandom, and of another file.
const program = `
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
int main(void) {
	struct timeval tv;
	struct timespec wall, steady;
	gettimeofday(&tv, 0);
	clock_gettime(CLOCK_REALTIME, &wall);
	clock_gettime(CLOCK_MONOTONIC, &steady);
	FILE *random = fopen("/dev/urandom", "r"), *null = fopen("/dev/null", "r");
	printf("%ld.%06ld %ld.%09ld %ld monotonic=%d urandom=%d null=%d pid=%d\n", (long)tv.tv_sec, (long)tv.tv_usec, (long)wall.tv_sec,
		wall.tv_nsec, (long)time(0), steady.tv_sec > 0, random != 0, null != 0, getpid() == 1);
	return 0;
}`

// The library does not depend on the C library of the program that it is preloaded into.
func TestProgramsSeeTheClock(t *testing.T) {
	library, err := Library()
	if err != nil {
		t.Skip("no virtual wall clock here: ", err)
	}
	for _, cc := range []string{"cc", "musl-gcc"} {
		t.Run(cc, func(t *testing.T) {
			if _, err := exec.LookPath(cc); err != nil {
				t.Skip("to get it: apt-get install gcc musl-tools")
			}
			dir := t.TempDir()
			binary := filepath.Join(dir, "program")
			compile := exec.Command(cc, "-o", binary, "-x", "c", "-")
			compile.Stdin = strings.NewReader(program)
			if out, err := compile.CombinedOutput(); err != nil {
				t.Fatal(string(out))
			}
			clock, err := New(filepath.Join(dir, "clock"), time.Unix(1e9, 123456789))
			if err != nil {
				t.Fatal(err)
			}
			defer clock.Close()
			run := func() string {
				cmd := exec.Command(binary)
				cmd.Env = append(os.Environ(), Environment(library, clock.Path())...)
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatal(err, string(out))
				}
				return strings.TrimSpace(string(out))
			}
			if got, want := run(), "1000000000.123456 1000000000.123456789 1000000000 monotonic=1 urandom=0 null=1 pid=1"; got != want {
				t.Errorf("starting: got %s\nwant %s", got, want)
			}
			clock.Started()
			clock.Set(time.Unix(946684800, 0))
			if got, want := run(), "946684800.000000 946684800.000000000 946684800 monotonic=1 urandom=0 null=1 pid=0"; got != want {
				t.Errorf("started: got %s\nwant %s", got, want)
			}
			// Without a clock file the library changes nothing.
			cmd := exec.Command(binary)
			cmd.Env = append(os.Environ(), "LD_PRELOAD="+library)
			if out, err := cmd.CombinedOutput(); err != nil || !strings.HasSuffix(strings.TrimSpace(string(out)), "urandom=1 null=1 pid=0") {
				t.Errorf("without a clock: %s %v", out, err)
			}
		})
	}
}

func TestClockFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "clock")
	c, err := New(path, time.Unix(0, 7))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := New(path, time.Now()); !errors.Is(err, os.ErrExist) {
		t.Error("a clock was taken over:", err)
	}
	if err := errors.Join(c.Close(), c.Close()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the file stays")
	}
}

func TestNoCompiler(t *testing.T) {
	t.Setenv("PATH", "/nowhere")
	dir := t.TempDir()
	err := compile(dir, filepath.Join(dir, "x.so"))
	if err == nil || !strings.Contains(err.Error(), "no C compiler on PATH (tried cc, gcc, clang)") {
		t.Error(err)
	}
	if files, _ := os.ReadDir(dir); len(files) != 0 {
		t.Error(files)
	}
}
