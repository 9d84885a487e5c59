package interleave

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// foundText is the text of a test that fails with a finding: about the shrunk order, where there is one.
func (r *Runner) foundText(t *testing.T, f *Finding, world func(*World)) string {
	if f.Shrunk == nil {
		return r.failure(t, f.First, "", world)
	}
	r.blur(f.Shrunk, world)
	return r.failureText(t, f.Shrunk, "", &f.Explanation)
}

// text is what an explanation adds below the table of an order.
func (x *Explanation) text(shown *Result) string {
	var b strings.Builder
	if x.Class != "" {
		fmt.Fprintf(&b, "class:   %s\n", x.Class)
	}
	if x.Story != "" {
		fmt.Fprintf(&b, "story:   %s\n", x.Story)
	}
	if s := x.Shorter(shown); s != "" {
		fmt.Fprintf(&b, "shorter: %s\n", s)
	}
	if x.Decision != nil {
		fmt.Fprintf(&b, "decides: %s\n", x.Decision.Text)
	}
	return b.String()
}

// Shorter is the schedule of the shrunk order if it is simpler than the one that is shown: fewer actors, faults, clock
// moves or switches. Else it is empty.
func (x *Explanation) Shorter(shown *Result) string {
	if x.Shrunk == nil || slices.Compare(x.Shrunk.Trace.measure(), shown.Trace.measure()) >= 0 {
		return ""
	}
	return x.Shrunk.Trace.Schedule().String()
}

// measure is what makes an order simple, the most important first.
func (t *Trace) measure() []int {
	absent := len(absentActors(t.Steps))
	faults, clocks := 0, 0
	for _, s := range t.Steps[absent:] {
		if s.Fault != "" {
			faults++
		}
		if s.Kind == StepClock {
			clocks++
		}
	}
	return []int{len(t.turns()), faults, clocks, t.Switches()}
}
