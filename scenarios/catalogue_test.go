package scenarios

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/interleave/schedule"
)

func TestCatalogueIsSortedAndComplete(t *testing.T) {
	seen := map[string]bool{}
	var ids []string
	for _, s := range All() {
		ids = append(ids, s.ID)
		assert.Equal(t, map[byte]string{'A': "jobs", 'B': locksSubject, 'C': queueSubject, 'X': calibrationSubject}[s.ID[0]], s.Subject, s.ID)
		for _, id := range []string{s.ID, s.Name} {
			assert.False(t, seen[id], "%s is used twice", id)
			seen[id] = true
		}
		for what, text := range map[string]string{"name": s.Name, "title": s.Title, "story": s.Story, "window": s.Window} {
			assert.NotEmpty(t, text, "%s of %s", what, s.ID)
			assert.Equal(t, strings.TrimSpace(text), text, "%s of %s", what, s.ID)
		}
		var impls []string
		for _, c := range s.Cases {
			impls = append(impls, c.Impl)
			assert.NotEmpty(t, c.Variants, "%s %s", s.ID, c.Impl)
		}
		assert.Equal(t, []string{"naive", "lua", "setnx"}[:len(impls)], impls, s.ID)
		assert.GreaterOrEqual(t, len(impls), 2, s.ID)
	}
	assert.Equal(t, numbered("A", 11)+" "+lockIDs+" "+queueIDs+" "+numbered("X", 7), strings.Join(ids, " "))
}

// numbered is the ids of a group: "A1 A2 A3".
func numbered(letter string, n int) string {
	var ids []string
	for i := range n {
		ids = append(ids, letter+strconv.Itoa(i+1))
	}
	return strings.Join(ids, " ")
}

// harmless are the scenarios in which naive breaks nothing: a limit of all, what is wanted, kind orders, the check of a repair, and the
// control.
var harmless = []string{"A7", "B1", "B2", "C2", "X5"}

// Naive breaks something in every race but the harmless ones; lua breaks nothing.
func TestNaiveBreaksAndLuaHolds(t *testing.T) {
	for _, s := range All() {
		for _, c := range s.Cases {
			breaks := 0
			for _, v := range c.Variants {
				breaks += len(v.Breaks)
			}
			switch {
			case c.Impl == "lua":
				assert.Zero(t, breaks, "%s %s", s.ID, c.Impl)
			case c.Impl == "naive" && !slices.Contains(harmless, s.ID):
				assert.NotZero(t, breaks, "%s %s", s.ID, c.Impl)
			}
		}
	}
	var limits []string
	for _, s := range All() {
		if s.Limit != "" {
			limits = append(limits, s.ID)
		}
	}
	assert.Equal(t, []string{"A7", "A8", "B6", "B11", "C8", "C14"}, limits)
}

func TestVariantsAreWhole(t *testing.T) {
	r := open(t)
	each(t, func(t *testing.T, c *Case, v *Variant) {
		if len(c.Variants) > 1 {
			assert.NotEmpty(t, v.Name)
		}
		assert.NotEmpty(t, v.Shows)
		require.NotNil(t, v.Count)

		parsed, err := schedule.Parse(v.Schedule)
		require.NoError(t, err)
		assert.Equal(t, v.Schedule, parsed.String(), "a schedule is written as it prints")

		res := run(t, r, v, Target)
		var attached []string
		for _, j := range res.Verdicts {
			attached = append(attached, j.Invariant)
		}
		for _, b := range v.Breaks {
			assert.Contains(t, attached, b.Invariant)
			assert.True(t, 1 <= b.Step && b.Step <= len(res.Trace.Steps), "step %d of %d", b.Step, len(res.Trace.Steps))
		}
		assert.NotEmpty(t, attached)
		counted := v.Count(res)
		for name := range v.Counts {
			assert.Contains(t, counted, name, "a number that is expected is counted")
		}
		assert.Len(t, counted, len(v.Counts), "a number that is counted is expected")
	})
}

func TestVariantNamesDiffer(t *testing.T) {
	for _, s := range All() {
		for _, c := range s.Cases {
			var names []string
			for _, v := range c.Variants {
				names = append(names, v.Name)
			}
			slices.Sort(names)
			assert.Len(t, slices.Compact(names), len(c.Variants), "%s %s", s.ID, c.Impl)
		}
	}
}

func TestFind(t *testing.T) {
	ids := func(words ...string) string {
		found, err := Find(words...)
		require.NoError(t, err)
		var out []string
		for _, s := range found {
			out = append(out, s.ID)
		}
		return strings.Join(out, " ")
	}
	assert.Equal(t, numbered("A", 11)+" "+lockIDs+" "+queueIDs+" "+numbered("X", 7), ids())
	assert.Equal(t, "A2 A10", ids("torn-apply", "a2", "A2"), "in the order of the catalogue, once")
	assert.Equal(t, "A1 A10 A11", ids("A1*"))
	assert.Equal(t, "A6 A7 B11 C2 C3", ids("crash*"))

	_, err := Find("A1", "A99")
	var unknown *UnknownError
	require.ErrorAs(t, err, &unknown)
	assert.Equal(t, "A99", unknown.Word)
}

// The points at which A6 lets a start die are those of the implementations, and all of them.
func TestCrashPointsAreAllCommandsOfStart(t *testing.T) {
	r := open(t)
	s, err := Find("A6")
	require.NoError(t, err)
	for _, c := range s[0].Cases {
		t.Run(c.Impl, func(t *testing.T) {
			res, err := r.Run("", func(w *interleave.World) { jobs(w, c.Impl, Target).actor("A", (*process).start) })
			require.NoError(t, err)
			require.NoError(t, res.Err)
			require.Len(t, c.Variants, 2*len(res.Trace.Steps))
			for i, step := range res.Trace.Steps {
				assert.Equal(t, "dies before "+step.Name, c.Variants[2*i].Name)
				assert.Equal(t, "dies after "+step.Name, c.Variants[2*i+1].Name)
			}
		})
	}
}
