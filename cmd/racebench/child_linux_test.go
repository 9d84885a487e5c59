package main

import (
	"os/exec"
	"syscall"
)

// dieWithUs has the kernel kill a command when this test binary dies, whatever of.
func dieWithUs(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
}
