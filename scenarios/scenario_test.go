package scenarios

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/interleave"
	_ "github.com/racebench/racebench/interleave/backend/embedded"
)

// open starts the throwaway Redis of these tests: the default one, or what INTERLEAVE_REDIS says.
func open(t *testing.T) *interleave.Runner {
	t.Helper()
	spec := os.Getenv("INTERLEAVE_REDIS")
	if spec == "" {
		spec = "process"
	}
	return openOn(t, spec)
}

func openOn(t *testing.T, spec string) *interleave.Runner {
	t.Helper()
	r, err := interleave.Open(interleave.Redis(spec))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	return r
}

// each calls do for every variant of the catalogue.
func each(t *testing.T, do func(t *testing.T, s *Scenario, c *Case, v *Variant)) {
	t.Helper()
	for _, s := range All() {
		for i := range s.Cases {
			c := &s.Cases[i]
			for k := range c.Variants {
				v := &c.Variants[k]
				t.Run(s.ID+"/"+c.Impl+"/"+v.Name, func(t *testing.T) { do(t, s, c, v) })
			}
		}
	}
}

func TestEachVariantShowsWhatItMust(t *testing.T) {
	r := open(t)
	each(t, func(t *testing.T, s *Scenario, c *Case, v *Variant) {
		res, err := v.Run(r, Target)
		require.NoError(t, err)
		for _, wrong := range v.Check(res) {
			t.Error(wrong)
		}
		if t.Failed() || testing.Verbose() {
			t.Logf("%s\n%s", v.Count(res), res.Trace)
		}
	})
}
