//go:build !unix

package process

import (
	"errors"
	"os"
	"os/exec"
	"time"
)

const (
	maxSocketPath = 107
	kernelKills   = false
)

func sleep(d time.Duration) { time.Sleep(d) }

func detach(*exec.Cmd) {}

func prepare(*exec.Cmd) {}

func lock(*os.File) error { return errors.New("no file locks on this system") }
