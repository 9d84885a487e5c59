package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/interleave"
	need "github.com/racebench/racebench/internal/require"
	"github.com/racebench/racebench/scenarios"
)

func TestConfirmed(t *testing.T) {
	need.Backend(t, "process")
	code, stdout, stderr := outputs(t, "explore", "A1", "--confirm", "process")
	require.Equal(t, codeUnexpected, code, stderr)
	require.Regexp(t, `(?m)^confirm: the same on process \(\d+\.\d+\.\d+\)$`, stdout)
	require.Equal(t, strings.Count(stdout, "violated: \"no unreferenced jobs\" in "), 1)
	require.Equal(t, 2, strings.Count(stdout, "\nconfirm: the same on process "), stdout)
	code, stdout, _ = outputs(t, "explore", "A1", "--confirm", "process", "--json")
	require.Equal(t, codeUnexpected, code)
	require.Equal(t, 2, strings.Count(stdout, `"same": true`), stdout)
	code, stdout, _ = outputs(t, "explore", "A1", "--impl", "lua", "--confirm", "process")
	require.Equal(t, codeOK, code, "nothing was found, so there is nothing to confirm")
	require.NotContains(t, stdout, "confirm:")
}

// tells is a world in which an actor asks a script how a number reads before the lost update: miniredis's Lua writes it in
// full, and that of Redis does not.
func tells(add func(w *interleave.World, target string)) func(w *interleave.World, target string) {
	return func(w *interleave.World, target string) {
		add(w, target)
		w.Actor("Z", func(a *interleave.Actor) error {
			return a.Redis().Eval(a.Context(), "return #tostring(2^53)", []string{"other"}).Err()
		})
	}
}

func TestFidelityFault(t *testing.T) {
	need.Backend(t, "process")
	spoil(t, "X1", func(v *scenarios.Variant) { v.World = tells(v.World) })
	code, stdout, stderr := outputs(t, "explore", "X1", "--confirm", "process")
	require.Equal(t, codeBackend, code)
	require.Regexp(t, `(?m)^confirm: fidelity fault, not a race: step \d on embedded miniredis .*: Z EVAL .* → 16; on process .*: Z EVAL .* → 18$`, stdout)
	require.Regexp(t, `^racebench: fidelity fault, not a race: step \d on embedded .*\nhint: racebench explore --redis explores on the second one\n$`, stderr)
	code, stdout, _ = outputs(t, "explore", "X1", "--confirm", "process", "--json")
	require.Equal(t, codeBackend, code)
	require.Contains(t, stdout, `"same": false`)
	require.Contains(t, stdout, `"fault": "fidelity fault, not a race: step `)
	code, _, _ = outputs(t, "explore", "X1")
	require.Equal(t, codeUnexpected, code, "without a second Redis nobody knows")
}

// One counterexample that both servers agree on is a race, whatever became of the others.
func TestOneConfirmedIsARace(t *testing.T) {
	fault := &interleave.FidelityError{Backends: [2]string{"embedded 1", "process 7"}, Step: 3, Was: "A GET k → 1", Is: "A GET k → 2"}
	require.NoError(t, (&confirmer{faults: []error{fault, nil}}).refuted())
	require.NoError(t, (&confirmer{}).refuted())
	require.NoError(t, (*confirmer)(nil).refuted())
	err := (&confirmer{faults: []error{fault, fault}}).refuted()
	require.EqualError(t, err, "fidelity fault, not a race: step 3 on embedded 1: A GET k → 1; on process 7: A GET k → 2")
	require.Equal(t, codeBackend, explain(err).code)
}
