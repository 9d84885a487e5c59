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
		t.Skipf("no terminal can be had here: %v", err)
	}
	defer master.Close()
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
	require.NoError(t, cmd.Start())
	slave.Close()
	defer time.AfterFunc(time.Minute, func() { cmd.Process.Kill() }).Stop()
	var text []byte
	for chunk := make([]byte, 4096); ; {
		n, err := master.Read(chunk) // ends with an error when nobody has the other side open
		text = append(text, chunk[:n]...)
		if until != nil && until.Match(text) {
			until = nil
			require.NoError(t, cmd.Process.Signal(os.Interrupt))
		}
		if err != nil {
			break
		}
	}
	_ = cmd.Wait()
	return string(text)
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
