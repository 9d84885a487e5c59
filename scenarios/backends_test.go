package scenarios

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/interleave/backend"
	_ "github.com/racebench/racebench/interleave/container" // registers it
	"github.com/racebench/racebench/internal/require"
)

// A trace says nothing of the server that it was made on.
func TestTracesAreTheSameOnEveryBackend(t *testing.T) {
	for _, name := range []string{"process", "container"} {
		t.Run(name, func(t *testing.T) {
			require.Backend(t, name)
			cfg := backend.Config{}
			if name == "container" {
				cfg.Image = require.Image(t)
			}
			embedded, real := openOn(t, "embedded"), openOn(t, name, interleave.Backend(cfg))
			each(t, func(t *testing.T, _ *Case, v *Variant) {
				sameTrace(t, run(t, embedded, v, Target), run(t, real, v, Target))
			})
		})
	}
}

// sameTrace compares step by step, so that a failure points at the first step that differs.
func sameTrace(t *testing.T, want, got *interleave.Result) {
	t.Helper()
	assert.NoError(t, got.Err)
	for i := range min(len(want.Trace.Steps), len(got.Trace.Steps)) {
		w, g := want.Trace.Steps[i], got.Trace.Steps[i]
		if !assert.Equal(t, one(w), one(g), "step %d", w.N) {
			return
		}
	}
	assert.Equal(t, want.Trace.String(), got.Trace.String())
	assert.Equal(t, want.Verdicts, got.Verdicts)
}

// one is a trace of one step.
func one(s *interleave.Step) string {
	return (&interleave.Trace{Steps: []*interleave.Step{s}}).String()
}
