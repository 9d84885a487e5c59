//go:build unix

package rundir

import (
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Sleep waits in real time, also inside a bubble.
func Sleep(d time.Duration) {
	tv := unix.NsecToTimeval(d.Nanoseconds())
	unix.Select(0, nil, nil, nil, &tv)
}

// Detach gives a child a process group of its own, out of the reach of Ctrl-C.
func Detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// lock locks a file for as long as it is open, or fails if somebody else has it.
func lock(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) }
