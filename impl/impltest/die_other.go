//go:build !linux

package impltest

import "syscall"

// dieWithParent does nothing here: only Linux can tie a child to its parent.
func dieWithParent() *syscall.SysProcAttr { return nil }
