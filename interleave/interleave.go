package interleave

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/racebench/racebench/interleave/backend"
	_ "github.com/racebench/racebench/interleave/backend/embedded" // the default
	_ "github.com/racebench/racebench/interleave/backend/process"  // redis-server from PATH
	_ "github.com/racebench/racebench/interleave/backend/redisurl" // redis://
	"github.com/racebench/racebench/interleave/wire"
)

var (
	replayFlag = flag.String("interleave.replay", "", "a schedule or a token to run instead of what the test says")
	redisFlag  = flag.String("interleave.redis", os.Getenv("INTERLEAVE_REDIS"), "throwaway Redis for tests that name none: embedded, process, container or redis://…")
)

// Force runs the world once in the order that the schedule, or a token, says, and fails the test when an invariant is violated or
// undecided, when the schedule does not fit the program, or when the world can't be judged. The failure ends with the
// command that replays it. What the schedule leaves open happens in a fair order.
func Force(t *testing.T, schedule string, world func(*World), opts ...Option) *Result {
	t.Helper()
	r, res, given := runTest(t, schedule, world, opts)
	text, why := r.explained(t, res, given, world)
	if text != "" {
		t.Error(text)
	}
	r.after(t, Seen{Result: res, Explanation: why})
	return res
}

// Violates is Force for the test that keeps a race on record: it fails unless the schedule violates the invariant of
// that name. It returns the verdict, whose Step says after which step.
func Violates(t *testing.T, schedule, invariant string, world func(*World), opts ...Option) Judged {
	t.Helper()
	r, res, given := runTest(t, schedule, world, opts)
	if j, ok := res.Violated(invariant); ok && res.Err == nil {
		r.after(t, Seen{Result: res})
		return j
	}
	what := fmt.Sprintf("%q is not violated", invariant)
	if i := slices.IndexFunc(res.Verdicts, func(j Judged) bool { return j.Invariant == invariant }); i < 0 && res.Err == nil {
		var have []string
		for _, j := range res.Verdicts {
			have = append(have, strconv.Quote(j.Invariant))
		}
		what = fmt.Sprintf("the world has no invariant %q, but %s", invariant, strings.Join(have, ", "))
	}
	text, why := r.explained(t, res, given, world)
	t.Errorf("interleave: %s (%s)\n%s", what, res.Outcome(), text)
	r.after(t, Seen{Result: res, Explanation: why})
	return Judged{}
}

// Replay is Force for a schedule or a token that a failure printed: it must describe the whole run, so that nothing is left
// open, unless the mode is another than Strict.
func Replay(t *testing.T, schedule string, world func(*World), opts ...Option) *Result {
	t.Helper()
	res := Force(t, schedule, world, opts...)
	if res.whole || len(res.Skipped) > 0 || *modeFlag != "" {
		return res
	}
	for _, s := range res.Trace.Steps {
		if !s.forced {
			t.Errorf("interleave: the schedule ends before the world does: step %d is %s", s.N, s.Summary())
			break
		}
	}
	return res
}

// runTest runs one world for a test and closes the throwaway Redis with it.
func runTest(t *testing.T, text string, world func(*World), opts []Option) (r *Runner, res *Result, given string) {
	t.Helper()
	o, text := testOrder(t, text)
	r = openTest(t, flagged(opts))
	res = r.runOrder(o, world)
	if testing.Verbose() {
		t.Logf("interleave: %s", res.statistics())
	}
	return r, res, text
}

// openTest opens a runner that is closed with the test.
func openTest(t *testing.T, opts []Option) *Runner {
	t.Helper()
	r, err := Open(append(slices.Clone(opts), For(t))...)
	if err != nil {
		t.Fatalf("interleave: %s%s", strings.TrimPrefix(err.Error(), "interleave: "), hint(err))
	}
	// A context makes its channel when somebody first asks for it. Made inside a bubble, the end of the test would be
	// fatal for whoever used t.Context in a world.
	_ = t.Context().Done()
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Errorf("interleave: %v", err)
		}
	})
	return r
}

func hint(err error) string {
	var u *backend.UnavailableError
	if errors.As(err, &u) && u.Hint != "" {
		return "\nhint: " + u.Hint
	}
	var refused *backend.RefusedError
	if errors.As(err, &refused) && refused.Hint != "" {
		return "\nhint: " + refused.Hint
	}
	return ""
}

// failure is the text of a failed test; empty when all is well. given is the schedule that was asked for.
func (r *Runner) failure(t *testing.T, res *Result, given string, world func(*World)) string {
	text, _ := r.explained(t, res, given, world)
	return text
}

// explained is failure with what explains it, nil if nothing does.
func (r *Runner) explained(t *testing.T, res *Result, given string, world func(*World)) (string, *Explanation) {
	if res.Err == nil && res.Outcome() == Held {
		return "", nil
	}
	r.blur(res, world)
	x := r.Explain(t.Context(), res, world)
	return r.failureText(t, res, given, x), x
}

// failureText is failure with what explains it, if anything does.
func (r *Runner) failureText(t *testing.T, res *Result, given string, x *Explanation) string {
	var b strings.Builder
	if res.Err != nil {
		fmt.Fprintf(&b, "interleave: %s%s\n", strings.TrimPrefix(res.Err.Error(), "interleave: "), hint(res.Err))
	}
	if res.Trace.Bound != "" && res.Trace.Bound != boundShown {
		fmt.Fprintf(&b, "interleave: undecided: the world was ended by a bound, %s\n", res.Trace.Bound)
	}
	for _, v := range res.Verdicts {
		if v.Outcome == Violated || v.Outcome == Undecided && res.Err == nil && res.Trace.Bound == "" {
			fmt.Fprintf(&b, "interleave: %q %s after step %d: %s\n", v.Invariant, v.Outcome, v.Step, printable(v.Detail))
		}
	}
	if len(res.Trace.Steps) == 0 {
		return b.String()
	}
	options := TableOptions{MaxRows: maxRows}
	if x != nil && x.Decision != nil {
		options.Mark = x.Decision.Steps
	}
	fmt.Fprintln(&b, res.Trace.Table(options))
	for _, k := range res.Trace.After {
		fmt.Fprintf(&b, "  %s = %s%s\n", wire.Quote(k.Key), clip(k.Value.String(), maxValue), k.Value.expiry())
	}
	if x != nil {
		b.WriteString(x.text(res))
	}
	for _, what := range res.Skipped {
		fmt.Fprintf(&b, "left out: %s\n", what)
	}
	b.WriteString(replayLines(t, res, given))
	b.WriteString(r.replayWith)
	return b.String()
}

// maxRows and maxValue bound what a failure shows: rows of the table, and runes of a value.
const maxRows, maxValue = 100, 300

// runPattern is the pattern of go test -run that matches this test alone.
func runPattern(name string) string {
	parts := strings.Split(name, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}

// shellQuote quotes s for a POSIX shell.
func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
