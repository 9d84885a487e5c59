//go:build !unix

// Package vclock makes the wall clock of another process virtual. On this system it can't.
package vclock

import (
	"errors"
	"time"
)

// ErrUnsupported is what everything here returns.
var ErrUnsupported = errors.New("a virtual wall clock needs Linux on x86-64 or arm64")

// Variable is the environment variable that tells the library where the clock file is.
const Variable = "RACEBENCH_CLOCK"

// Clock is a file that holds the time of one server; here there is none.
type Clock struct{}

// Library returns ErrUnsupported.
func Library() (string, error) { return "", ErrUnsupported }

// New returns ErrUnsupported.
func New(string, time.Time) (*Clock, error) { return nil, ErrUnsupported }

// Environment returns nothing.
func Environment(string, string) []string { return nil }

// Path is empty.
func (*Clock) Path() string { return "" }

// Set does nothing.
func (*Clock) Set(time.Time) {}

// Starting does nothing.
func (*Clock) Starting(time.Time) {}

// Started does nothing.
func (*Clock) Started() {}

// Close does nothing.
func (*Clock) Close() error { return nil }
