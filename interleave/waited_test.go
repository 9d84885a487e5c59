package interleave_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/interleave"
)

// A trace says from when on each operation waited at the gate, also of those that never went through.
func TestWaitedAtTheGate(t *testing.T) {
	world := func(w *interleave.World) {
		for _, name := range []string{"A", "B", "C"} {
			w.Actor(name, func(a *interleave.Actor) error {
				if name == "C" {
					return a.Redis().BLPop(ctx, 0, "never").Err()
				}
				a.Redis().Get(ctx, "k")
				return a.Redis().Set(ctx, "k", name, 0).Err()
			}, daemonIf(name == "C")...)
		}
	}
	res := interleave.Force(t, "A.GET B.GET A!crash B.SET", world)
	since := map[string]int{}
	for _, s := range res.Trace.Steps {
		since[s.Token().String()] = s.Since
	}
	require.Equal(t, map[string]int{"A.GET": 0, "B.GET": 0, "A!crash": 0, "B.SET": 2}, since)
	require.Len(t, res.Trace.Waited, 2)
	dead, left := res.Trace.Waited[0], res.Trace.Waited[1]
	require.Contains(t, dead.Text, "SET k A (interleave/waited_test.go:")
	require.Equal(t, []any{"A", 1, 3}, []any{dead.Actor, dead.Since, dead.Until})
	require.Contains(t, left.Text, "BLPOP never 0")
	require.Equal(t, []any{"C", 0, 0}, []any{left.Actor, left.Since, left.Until})
}

func daemonIf(yes bool) []interleave.ActorOption {
	if yes {
		return []interleave.ActorOption{interleave.Daemon()}
	}
	return nil
}
