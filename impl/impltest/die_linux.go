package impltest

import "syscall"

// dieWithParent has the kernel end the server when this test binary is killed.
func dieWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
