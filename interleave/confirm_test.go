package interleave_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/interleave"
	need "github.com/racebench/racebench/internal/require"
)

// TestConfirmIsAFailureOfItsOwn runs two tests of a process of its own: one whose counterexample is the same on both
// servers, and one where they differ.
func TestConfirmIsAFailureOfItsOwn(t *testing.T) {
	need.Backend(t, "process")
	for name, want := range map[string]string{ // any order: each is looked at alone
		"same":   `"nothing lost": the same on process `,
		"differ": "fidelity fault, not a race: step ",
	} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestConfirmChild$", "-test.v")
		cmd.Env = append(os.Environ(), "CONFIRM_CHILD="+name)
		out, err := cmd.CombinedOutput()
		require.Error(t, err, "%s: the race fails the test either way", name)
		require.Contains(t, string(out), want, name)
		if name == "same" {
			require.NotContains(t, string(out), "fidelity")
		}
	}
}

func TestConfirmChild(t *testing.T) {
	kind, ok := os.LookupEnv("CONFIRM_CHILD")
	if !ok {
		t.Skip("run by TestConfirmIsAFailureOfItsOwn")
	}
	interleave.Explore(t, func(w *interleave.World) {
		lostCount(w)
		if kind == "differ" { // the two write a large number in another way
			w.Actor("Z", func(a *interleave.Actor) error {
				return a.Redis().Eval(a.Context(), "return #tostring(2^53)", []string{"other"}).Err()
			})
		}
	}, interleave.Confirm("process"), interleave.NoSave())
}
