//go:build unix && !linux

package process

import "os/exec"

// maxSocketPath is what a sockaddr_un holds, its final zero aside.
const maxSocketPath = 103

// kernelKills says that the kernel ends a server when this process dies; here the janitor does.
const kernelKills = false

func prepare(cmd *exec.Cmd) { detach(cmd) }
