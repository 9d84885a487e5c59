//go:build !linux

package main

import "os/exec"

// dieWithUs does nothing here: a command is killed with its test.
func dieWithUs(*exec.Cmd) {}
