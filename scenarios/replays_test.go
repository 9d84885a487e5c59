package scenarios

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/interleave/backend"
	"github.com/racebench/racebench/internal/raced"
	need "github.com/racebench/racebench/internal/require"
)

// A token that was made on embedded gives the same run a thousand times of a thousand, wherever it is replayed.
func TestAThousandReplays(t *testing.T) {
	runs := raced.Few(1000)
	embedded := openOn(t, "embedded")
	s, err := Find("X1")
	require.NoError(t, err)
	v := &s[0].Cases[0].Variants[0]
	world := func(w *interleave.World) { v.World(w, Target) }
	want, err := embedded.Run(v.Schedule, world)
	require.NoError(t, err)
	require.Equal(t, interleave.Violated, want.Outcome())
	token := embedded.Token(want, "X1.naive", world)
	require.NotEmpty(t, token)
	for _, name := range []string{"embedded", "process", "container"} {
		t.Run(name, func(t *testing.T) {
			cfg := backend.Config{}
			switch name {
			case "process":
				need.Backend(t, name)
			case "container":
				cfg.Image = need.Image(t)
			}
			r := openOn(t, name, interleave.Backend(cfg))
			for i := range runs {
				got, err := r.Run(token, world)
				require.NoError(t, err)
				require.NoError(t, got.Err, "replay %d of %s", i, token)
				require.Equal(t, want.Trace.String(), got.Trace.String(), "replay %d of %s", i, token)
				require.Equal(t, want.Verdicts, got.Verdicts, "replay %d of %s", i, token)
			}
		})
	}
}
