package scenarios

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/interleave"
)

// open starts the throwaway Redis of these tests: the default one, or what INTERLEAVE_REDIS says.
func open(t *testing.T) *interleave.Runner {
	t.Helper()
	return openOn(t, os.Getenv("INTERLEAVE_REDIS"))
}

func openOn(t *testing.T, spec string, opts ...interleave.Option) *interleave.Runner {
	t.Helper()
	r, err := interleave.Open(append(opts, interleave.Redis(spec), interleave.For(t))...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	return r
}

// ran says how much of the catalogue a test went through.
type ran struct{ scenarios, cases, variants int }

// whole is the size of the catalogue. A test that goes through less has not tested what it says.
var whole = ran{scenarios: 18, cases: 38, variants: 58}.
	// and of the lock, and of the queue
	and(ofLocks).and(ofQueues)

func (r ran) and(s ran) ran {
	return ran{r.scenarios + s.scenarios, r.cases + s.cases, r.variants + s.variants}
}

// each calls do for every variant of the catalogue, and makes sure that these are all there should be.
func each(t *testing.T, do func(t *testing.T, c *Case, v *Variant)) {
	t.Helper()
	var n ran
	for _, s := range All() {
		n.scenarios++
		for i := range s.Cases {
			n.cases++
			c := &s.Cases[i]
			for k := range c.Variants {
				n.variants++
				v := &c.Variants[k]
				t.Run(strings.TrimSuffix(s.ID+"/"+c.Impl+"/"+v.Name, "/"), func(t *testing.T) { do(t, c, v) })
			}
		}
	}
	require.Equal(t, whole, n, "how much of the catalogue ran")
}

// run runs a variant on the keys of one target.
func run(t *testing.T, r *interleave.Runner, v *Variant, target string) *interleave.Result {
	t.Helper()
	res, err := v.Run(r, target)
	require.NoError(t, err)
	return res
}

// check compares a result with the catalogue.
func check(t *testing.T, v *Variant, res *interleave.Result) {
	t.Helper()
	for _, wrong := range v.Check(res) {
		t.Error(wrong)
	}
	if t.Failed() {
		t.Logf("%s\n%s", v.Count(res), res.Trace)
	}
}

func TestEachVariantShowsWhatItMust(t *testing.T) {
	r := open(t)
	each(t, func(t *testing.T, _ *Case, v *Variant) { check(t, v, run(t, r, v, Target)) })
}

func TestEachVariantOnOtherKeys(t *testing.T) {
	r := open(t)
	each(t, func(t *testing.T, _ *Case, v *Variant) {
		const other = "doc/7" // no key may be found by a pattern that ends at a slash
		res := run(t, r, v, other)
		check(t, v, res)
		require.NotContains(t, res.Trace.String(), "{"+Target+"}")
	})
}

func TestTwoRunsAreTheSame(t *testing.T) {
	r := open(t)
	each(t, func(t *testing.T, _ *Case, v *Variant) {
		first, second := run(t, r, v, Target), run(t, r, v, Target)
		require.Equal(t, first.Trace.String(), second.Trace.String())
		require.Equal(t, first.Verdicts, second.Verdicts)
	})
}

// The schedule of a trace, with nothing left open, makes the same trace again.
func TestTheTraceOfAVariantReplays(t *testing.T) {
	r := open(t)
	each(t, func(t *testing.T, _ *Case, v *Variant) {
		first := run(t, r, v, Target)
		again := *v
		again.Schedule = first.Trace.Schedule().String()
		require.Equal(t, first.Trace.String(), run(t, r, &again, Target).Trace.String())
	})
}
