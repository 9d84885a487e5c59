// Package raced tells tests whether the race detector watches them, and lets those that repeat one thing many times do
// it less often then.
//
// The detector makes a world about ten times slower, and keeps memory for each goroutine there ever was (gigabytes after some
// hundred thousand worlds). What it looks for is found in the first worlds as well as in the last; the counts that make a proof
// are for the run without it.
package raced

import (
	"flag"
	"os"
	"testing"
)

// Few is n, and a tenth of n, at least one, under the race detector.
func Few(n int) int {
	if !Enabled {
		return n
	}
	return max(n/10, 1)
}

// Checks sets how many programs rapid draws for a property to Few of what it draws by default, unless whoever runs the tests
// has said how many. It is for TestMain, before the flags are parsed.
func Checks() {
	f := flag.Lookup("rapid.checks")
	if _, said := os.LookupEnv("RAPID_CHECKS"); said || f == nil || !Enabled {
		return
	}
	if err := f.Value.Set("10"); err != nil {
		panic(err)
	}
}

// First is all of list, and only its first element under the race detector.
func First[T any](list []T) []T {
	if !Enabled || len(list) == 0 {
		return list
	}
	return list[:1]
}

// Skip skips a test that only repeats, at length, what others run under the race detector too. CI runs it without.
func Skip(t testing.TB) {
	t.Helper()
	if Enabled {
		t.Skip("too long under the race detector: go test without -race")
	}
}
