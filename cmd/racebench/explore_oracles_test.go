package main

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/scenarios"
)

// A hint has an exit code of its own, and only where everything else is well.
func TestHintExitCode(t *testing.T) {
	spoil(t, "A1", func(v *scenarios.Variant) {
		v.World = func(w *interleave.World, _ string) {
			for _, name := range []string{"A", "B"} {
				w.Actor(name, func(a *interleave.Actor) error {
					n, _ := a.Redis().Get(context.Background(), "n").Int()
					return a.Redis().Set(context.Background(), "n", n+1, 0).Err()
				})
			}
		}
	})
	code, stdout, stderr := outputs(t, "explore", "A1", "--serial")
	require.Equal(t, codeHint, code)
	require.Empty(t, stderr)
	require.Contains(t, stdout, "all 4 orders hold\n")
	require.Contains(t, stdout, "two actors under way at once in 4 of 4 orders\n")
	require.Contains(t, stdout, "hint: 2 of 4 orders are not equivalent to any serial order (replies): n = 1 at the end\n")
	require.Contains(t, stdout, "│ GET n → nil", "the order is shown")
	require.Contains(t, stdout, "replay:  racebench replay A1 --impl naive 'A.GET B.GET ")
	code, stdout, _ = outputs(t, "explore", "A1")
	require.Equal(t, codeOK, code)
	require.NotContains(t, stdout, "serial")
	code, _, _ = outputs(t, "explore", "A1", "--serial", "--max", "3")
	require.Equal(t, codeUndecided, code, "not all orders were run, which is more than a hint")
}
