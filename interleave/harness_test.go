package interleave_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/interleave/backend"
)

var ctx = context.Background()

// backends are the throwaway servers that the engine's own tests run on.
func backends() []string {
	var out []string
	for _, b := range []string{"embedded", "process"} {
		for _, n := range backend.Names() {
			if n == b {
				out = append(out, b)
			}
		}
	}
	return out
}

// onEach runs a test on every backend that can be had.
func onEach(t *testing.T, test func(t *testing.T, r *interleave.Runner)) {
	for _, b := range backends() {
		t.Run(b, func(t *testing.T) {
			test(t, open(t, interleave.Redis(b)))
		})
	}
}

// open opens a runner for a test. A backend that is not here skips it, unless RACEBENCH_REQUIRE names it.
func open(t *testing.T, opts ...interleave.Option) *interleave.Runner {
	t.Helper()
	r, err := interleave.Open(append(opts, interleave.For(t))...)
	if u, ok := err.(*backend.UnavailableError); ok && !strings.Contains(os.Getenv("RACEBENCH_REQUIRE"), u.Backend) {
		t.Skipf("%v; to have it: %s", err, u.Hint)
	}
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	return r
}

// run runs a schedule that must parse.
func run(t *testing.T, r *interleave.Runner, schedule string, world func(*interleave.World)) *interleave.Result {
	t.Helper()
	res, err := r.Run(schedule, world)
	require.NoError(t, err)
	return res
}

// held runs a schedule in a world where everything must hold.
func held(t *testing.T, r *interleave.Runner, schedule string, world func(*interleave.World)) *interleave.Result {
	t.Helper()
	res := run(t, r, schedule, world)
	require.NoError(t, res.Err, "%s", res.Trace)
	require.Equal(t, interleave.Held, res.Outcome(), "%+v\n%s", res.Verdicts, res.Trace)
	return res
}

// steps are the one-line summaries of a trace.
func steps(res *interleave.Result) []string {
	var out []string
	for _, s := range res.Trace.Steps {
		out = append(out, s.Summary())
	}
	return out
}

// check turns a condition into the error of an invariant or an actor.
func check(ok bool, format string, args ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf(format, args...)
}

type tlsConfig = tls.Config

func itoa(n int) string { return strconv.Itoa(n) }
