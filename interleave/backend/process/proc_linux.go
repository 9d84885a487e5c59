package process

import (
	"os/exec"
	"syscall"
)

// maxSocketPath is what a sockaddr_un holds, its final zero aside.
const maxSocketPath = 107

// kernelKills says that the kernel ends a server when this process dies.
const kernelKills = true

// prepare gives the child a process group of its own, so that Ctrl-C reaches this process alone, and has the kernel kill
// it when the keeper's thread, which means this process, is gone.
func prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
