package scenarios

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/internal/raced"
)

// noWindow are the races in which there is nothing for two actors to be in at once, and why.
var noWindow = map[string]string{
	"A3":  "one actor: that the pointer names a newer job is given",
	"A10": "one actor: what goes on beside it is the server's, an eviction or an expiry",
	"B8":  "one at a time: what the first has left is what the second meets",
}

// notByOrder are the races that no order of commands alone reaches, on one implementation or on all, and what it takes.
var notByOrder = map[string]string{
	"A2":       "the clock has to pass the deadline while the worker is under way",
	"A5":       "the clock has to pass the deadline before the poll reads",
	"A6":       "A has to die",
	"A7":       "A has to die",
	"A8":       "the clock has to pass the TTL of the pointer while A is under way",
	"A9":       "the clock has to pass the deadline while the worker is under way",
	"B4 naive": "the clock has to pass the lease while P has the lock",
	"B5":       "the clock has to pass the lease while P gives the lock back",
	"B11":      "P has to die",
}

// The order that the catalogue forces is in the window of its race, whatever the implementation: a window that is never open
// there would be one of another race.
func TestForcedOrdersReachTheirWindow(t *testing.T) {
	r := open(t)
	each(t, func(t *testing.T, c *Case, v *Variant) {
		id := strings.Split(t.Name(), "/")[1]
		if strings.ContainsAny(id[:1], "XC") {
			t.Skip("a calibration, or of the queue: what it is worth is counted in orders")
		}
		res := run(t, r, v, Target)
		if noWindow[id] != "" {
			assert.Empty(t, res.Trace.OpenWindows())
			return
		}
		assert.NotEmpty(t, res.Trace.OpenWindows(), "%s", res.Trace)
	})
}

// An exploration reaches the window of its race in some order, or says that it has not, and does not hold.
func TestExplorationsReachTheirWindow(t *testing.T) {
	raced.Skip(t)
	r := open(t)
	each(t, func(t *testing.T, c *Case, v *Variant) {
		id := strings.Split(t.Name(), "/")[1]
		if strings.ContainsAny(id[:1], "XC") {
			t.Skip("a calibration, or of the queue: what it is worth is counted in orders")
		}
		x := r.Explore(context.Background(), func(w *interleave.World) { v.World(w, Target) })
		require.NoError(t, x.Err)
		require.True(t, x.Complete)
		if noWindow[id] != "" {
			require.False(t, slices.ContainsFunc(x.Windows, func(c interleave.WindowCount) bool { return c.Declared }))
			return
		}
		require.True(t, x.Windows[0].Declared, "the world declares no window")
		t.Log(x.Windows)
		if notByOrder[id] != "" || notByOrder[id+" "+c.Impl] != "" {
			assert.Contains(t, x.Unreached(), "race never reached: ")
			assert.NotEqual(t, interleave.Held, x.Outcome())
			return
		}
		assert.Empty(t, x.Unreached())
		for _, c := range x.Windows {
			assert.Positive(t, c.Open, "%s", c)
		}
	})
}

// beyond is what a forced order shows and the exploration of the first variant does not, and why.
var beyond = map[string]string{
	"A5 naive: only successful results applied": "the world of the second variant has another actor",
	"A6 setnx: no unreferenced jobs":            "the TTL of the pointer has to pass, too",
}

// With the faults and moves of the clock that a race needs as choices, an exploration finds without being told the orders what
// the forced orders show, reaches the window, and finds nothing where they break nothing.
func TestExplorationsFindTheRace(t *testing.T) {
	raced.Skip(t)
	r := open(t)
	var ran []string
	for _, s := range All() {
		for _, c := range s.Cases {
			v := &c.Variants[0] // the others differ in their schedules
			if v.Faults == "" && v.Jumps == nil || strings.ContainsAny(s.ID[:1], "XC") {
				continue
			}
			ran = append(ran, s.ID+" "+c.Impl)
			t.Run(s.ID+"/"+c.Impl, func(t *testing.T) {
				x, err := r.ExploreWith(context.Background(), func(w *interleave.World) { v.World(w, Target) },
					interleave.Faults(v.Faults), interleave.Jumps(v.Jumps...), interleave.MaxExecutions(2_500), interleave.Unexplained())
				require.NoError(t, err)
				require.NoError(t, x.Err)
				var found []string
				for _, f := range x.Found {
					found = append(found, f.What)
				}
				for _, v := range c.Variants {
					for _, b := range v.Breaks {
						if beyond[s.ID+" "+c.Impl+": "+b.Invariant] == "" {
							require.Contains(t, found, b.Invariant, v.Name)
						}
					}
				}
				if c.Impl == "lua" {
					require.Empty(t, found)
					require.True(t, x.Complete)
				}
				if noWindow[s.ID] == "" {
					require.Empty(t, x.Unreached())
				}
			})
		}
	}
	require.Equal(t, []string{"A2 naive", "A2 lua", "A5 naive", "A5 lua", "A6 naive", "A6 lua", "A6 setnx", "A8 naive", "A8 lua", "A9 naive", "A9 lua", "A10 naive",
		"B4 naive", "B4 lua", "B5 naive", "B5 lua", "B11 naive", "B11 lua"}, ran)
}
