package diagram

import (
	"slices"
	"testing"

	"github.com/racebench/racebench/internal/report"
)

// What the same actor does to the same key stands at the same height, in the order of each trace.
func TestAlign(t *testing.T) {
	step := func(actor, command, key string) report.Step {
		return report.Step{Kind: "operation", Actor: actor, Command: []string{command, key}, Keys: []string{key}}
	}
	clock := report.Step{Kind: "clock", Advance: "10m"}
	broken := []report.Step{step("A", "GET", "p"), step("B", "GET", "p"), step("A", "SET", "p"), clock, step("B", "SET", "p")}
	fixed := []report.Step{step("A", "EVALSHA", "p"), clock, step("B", "EVALSHA", "p")}
	a, b := Align(broken, fixed)
	if !slices.IsSorted(a) || !slices.IsSorted(b) || len(a) != len(broken) || len(b) != len(fixed) {
		t.Fatalf("rows %v and %v", a, b)
	}
	if a[3] != b[1] || a[4] != b[2] || a[0] != b[0] && a[2] != b[0] {
		t.Errorf("the clock, B and A are not beside themselves: %v and %v", a, b)
	}
	for i := range a {
		for j := range b {
			if a[i] == b[j] && broken[i].Actor != fixed[j].Actor {
				t.Errorf("row %d has two actors", a[i])
			}
		}
	}
	a, b = Align(broken, broken)
	if !slices.Equal(a, b) || !slices.Equal(a, []int{0, 1, 2, 3, 4}) {
		t.Errorf("a trace beside itself: %v and %v", a, b)
	}
	if a, b = Align(nil, fixed); len(a) != 0 || len(b) != 3 {
		t.Errorf("beside nothing: %v and %v", a, b)
	}
}
