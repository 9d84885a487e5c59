//go:build unix && !linux

package rundir

import "os/exec"

// MaxSocketPath is what a sockaddr_un holds, its final zero aside.
const MaxSocketPath = 103

// KernelKills says that the kernel ends a server when this process dies; here the janitor does.
const KernelKills = false

// Bind gives a server a process group of its own, out of the reach of Ctrl-C.
func Bind(cmd *exec.Cmd) { Detach(cmd) }
