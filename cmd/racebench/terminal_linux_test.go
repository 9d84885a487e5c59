package main

import (
	"fmt"
	"os"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// onTerminal runs the command with a terminal for both outputs and returns what it printed.
func onTerminal(t *testing.T, columns uint16, args ...string) string {
	t.Helper()
	return interruptedOnTerminal(t, nil, columns, args...)
}

// interruptedOnTerminal is onTerminal with a Ctrl-C as soon as something has been printed.
func interruptedOnTerminal(t *testing.T, until *regexp.Regexp, columns uint16, args ...string) string {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no terminal can be had here, which needs devpts on /dev/pts: %v", err)
	}
	t.Cleanup(func() { master.Close() })
	fd := int(master.Fd())
	require.NoError(t, unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	require.NoError(t, err)
	require.NoError(t, unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 50, Col: columns}))
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	cmd := command(t, args...)
	cmd.Stdout, cmd.Stderr = slave, slave
	cmd.Env = append(os.Environ(), "TERM=xterm", "NO_COLOR="+os.Getenv("TEST_NO_COLOR"))
	start(t, cmd)
	slave.Close()
	chunks := make(chan []byte)
	go func() {
		defer close(chunks)
		for {
			chunk := make([]byte, 4096)
			n, err := master.Read(chunk) // ends with an error when nobody has the other side open
			if err != nil {
				return
			}
			chunks <- chunk[:n]
		}
	}()
	late := time.After(time.Minute)
	var text []byte
	for {
		select {
		case chunk, ok := <-chunks:
			if !ok {
				_ = cmd.Wait()
				return string(text)
			}
			text = append(text, chunk...)
			if until != nil && until.Match(text) {
				until = nil
				require.NoError(t, cmd.Process.Signal(os.Interrupt))
			}
		case <-late:
			_ = cmd.Process.Kill()
			go func() { // the other goroutine must not wait for us
				for range chunks {
				}
			}()
			t.Fatalf("it did not end within a minute; it printed %q", text)
		}
	}
}

func TestColoursOnATerminal(t *testing.T) {
	const bold = "\x1b[1m"
	require.Contains(t, onTerminal(t, 100, "show", "A1"), bold+"A1 duplicate-acquire")
	require.NotContains(t, onTerminal(t, 100, "show", "A1", "--no-color"), "\x1b")
	t.Setenv("TEST_NO_COLOR", "1")
	require.NotContains(t, onTerminal(t, 100, "show", "A1"), "\x1b")
}

func TestTablesFitTheTerminal(t *testing.T) {
	wide, narrow := onTerminal(t, 160, "replay", "A1", "A.. B..", "--no-color"), onTerminal(t, 90, "replay", "A1", "A.. B..", "--no-color")
	require.Contains(t, wide, "HSET job:{doc-1}:a1 status RUNNING total 3 processed 0")
	require.NotContains(t, narrow, "HSET job:{doc-1}:a1 status RUNNING total 3 processed 0")
}

// Progress has a rate and the remaining time; a short run has none, and it is never in the way of what is printed.
func TestProgressOnATerminal(t *testing.T) {
	rate := regexp.MustCompile(`worlds +\d+% .*\(\d+/2000000, \d+ worlds/s\) \[\d+s:[\dhms]+\]`)
	require.Regexp(t, rate, interruptedOnTerminal(t, rate, 120, "run", "A1", "--repeat", "1000000"))
	require.NotContains(t, onTerminal(t, 120, "run", "A1", "--repeat", "2"), "worlds/s")
}

func TestExplorationOnATerminal(t *testing.T) {
	rate := regexp.MustCompile(`executions +\d+% .*\(\d+/100000000, \d+ executions/s\)`)
	out := interruptedOnTerminal(t, rate, 120, "explore", "A1", "--strategy", "pct", "--max", "100000000", "--no-color")
	require.Regexp(t, `\d+ of \d+ orders violate, not all explored: interrupted after \d+ executions`, out, "what was found by then")
	require.NotContains(t, onTerminal(t, 120, "explore", "A1"), "executions/s")
}

// Of an exhaustive exploration nobody knows how much is left, and it is estimated.
func TestTimeLeftOnATerminal(t *testing.T) {
	left := regexp.MustCompile(`about [\dhms]+ left; \d+ orders of about \d+, \d+ violate; executions .*\d+ executions/s\)`)
	require.Regexp(t, left, interruptedOnTerminal(t, left, 160, "explore", "X5", "--actors", "8", "--max", "100000000", "-j", "1", "--checkpoint", t.TempDir()+"/part.json"))
}

// A watched exploration begins each order on an empty screen, and a Ctrl-C ends it at once.
func TestWatchOnATerminal(t *testing.T) {
	order := regexp.MustCompile(`\x1b\[2J\S*order 2`)
	out := interruptedOnTerminal(t, order, 120, "explore", "X1", "--watch", "--pace", "20ms", "--no-color", "--checkpoint", t.TempDir()+"/part.json")
	require.Regexp(t, order, out)
	require.NotRegexp(t, `order 4`, out)
	require.Contains(t, out, "interrupted")
}

// A terminal of another locale gets nothing that it can't show.
func TestLocaleOnATerminal(t *testing.T) {
	t.Setenv("LC_ALL", "C")
	require.NotRegexp(t, `[^\x00-\x7f]`, onTerminal(t, 100, "replay", "A1"))
	t.Setenv("LC_ALL", "C.UTF-8")
	require.Contains(t, onTerminal(t, 100, "replay", "A1"), "│")
}
