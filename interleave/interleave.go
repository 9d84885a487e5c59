package interleave

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/racebench/racebench/interleave/backend"
	_ "github.com/racebench/racebench/interleave/backend/embedded" // the default
	_ "github.com/racebench/racebench/interleave/backend/process"  // redis-server from PATH
	_ "github.com/racebench/racebench/interleave/backend/redisurl" // redis://
	"github.com/racebench/racebench/interleave/schedule"
)

var (
	replayFlag = flag.String("interleave.replay", "", "run Force and Replay with this schedule instead of their own")
	redisFlag  = flag.String("interleave.redis", os.Getenv("INTERLEAVE_REDIS"), "throwaway Redis for tests that name none: embedded, process, container or redis://…")
)

// Force runs the world once in the order that the schedule says, and fails the test when an invariant is violated or
// undecided, when the schedule does not fit the program, or when the world can't be judged. The failure ends with the
// command that replays it. What the schedule leaves open happens in a fair order.
func Force(t *testing.T, schedule string, world func(*World), opts ...Option) *Result {
	t.Helper()
	r, res := runTest(t, schedule, world, opts)
	if text := r.failure(t, res, world); text != "" {
		t.Error(text)
	}
	return res
}

// Violates is Force for the test that keeps a race on record: it fails unless the schedule violates the invariant of
// that name. It returns the verdict, whose Step says after which step.
func Violates(t *testing.T, schedule, invariant string, world func(*World), opts ...Option) Judged {
	t.Helper()
	r, res := runTest(t, schedule, world, opts)
	if j, ok := res.Violated(invariant); ok && res.Err == nil {
		return j
	}
	t.Errorf("interleave: %q is not violated (%s)\n%s", invariant, res.Outcome(), r.failure(t, res, world))
	return Judged{}
}

// Replay is Force for a schedule that a failure printed: it must describe the whole run, so that nothing is left open.
func Replay(t *testing.T, schedule string, world func(*World), opts ...Option) *Result {
	t.Helper()
	res := Force(t, schedule, world, opts...)
	for _, s := range res.Trace.Steps {
		if !s.forced {
			t.Errorf("interleave: the schedule ends before the world does: step %d is %s", s.N, s.Summary())
			break
		}
	}
	return res
}

// runTest runs one world for a test and closes the throwaway Redis with it.
func runTest(t *testing.T, text string, world func(*World), opts []Option) (*Runner, *Result) {
	t.Helper()
	if *redisFlag != "" {
		opts = append([]Option{Redis(*redisFlag)}, opts...)
	}
	if *replayFlag != "" {
		text = *replayFlag
	}
	s, err := schedule.Parse(text)
	if err != nil {
		var at *schedule.Error
		if errors.As(err, &at) {
			t.Fatalf("interleave: bad schedule\n%s", at.Caret())
		}
		t.Fatalf("interleave: %v", err)
	}
	r := openTest(t, opts)
	return r, r.RunSchedule(s, world)
}

// openTest opens a runner that is closed with the test.
func openTest(t *testing.T, opts []Option) *Runner {
	t.Helper()
	r, err := Open(opts...)
	if err != nil {
		t.Fatalf("interleave: %v%s", err, hint(err))
	}
	r.t = t
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
	return ""
}

// failure is the text of a failed test; empty when all is well.
func (r *Runner) failure(t *testing.T, res *Result, world func(*World)) string {
	if res.Err == nil && res.Outcome() == Held {
		return ""
	}
	var b strings.Builder
	if res.Err != nil {
		fmt.Fprintf(&b, "interleave: %v%s\n", res.Err, hint(res.Err))
	}
	for _, v := range res.Verdicts {
		if v.Outcome != Held {
			fmt.Fprintf(&b, "interleave: %q %s after step %d: %s\n", v.Invariant, v.Outcome, v.Step, v.Detail)
		}
	}
	if len(res.Trace.Steps) == 0 {
		return b.String()
	}
	decision := r.Decide(res, world)
	options := TableOptions{}
	if decision != nil {
		options.Mark = decision.Steps
	}
	fmt.Fprintln(&b, res.Trace.Table(options))
	for _, k := range res.Trace.After {
		fmt.Fprintf(&b, "  %s = %s%s\n", k.Key, k.Value, k.Value.expiry())
	}
	if decision != nil {
		fmt.Fprintf(&b, "decides: %s\n", decision.Text)
	}
	fmt.Fprintf(&b, "replay:  go test -run '^%s$' -interleave.replay=%s", strings.ReplaceAll(t.Name(), "/", "$/^"), shellQuote(res.Trace.Schedule().String()))
	return b.String()
}

// shellQuote quotes s for a POSIX shell.
func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
