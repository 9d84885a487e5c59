//go:build !unix

package rundir

import (
	"errors"
	"os"
	"os/exec"
	"time"
)

// What this system lacks.
const (
	MaxSocketPath = 107
	KernelKills   = false
)

// Sleep waits.
func Sleep(d time.Duration) { time.Sleep(d) }

// Detach does nothing here.
func Detach(*exec.Cmd) {}

// Bind does nothing here.
func Bind(*exec.Cmd) {}

func lock(*os.File) error { return errors.New("no file locks on this system") }
