package rundir

import (
	"os/exec"
	"syscall"
)

// MaxSocketPath is what a sockaddr_un holds, its final zero aside.
const MaxSocketPath = 107

// KernelKills says that the kernel ends a server when this process dies.
const KernelKills = true

// Bind gives the child a process group of its own, so that Ctrl-C reaches this process alone, and has the kernel kill
// it when the thread of Keep, which means this process, is gone.
func Bind(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
