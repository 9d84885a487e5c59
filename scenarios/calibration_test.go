package scenarios

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/interleave"
)

// What is known beforehand of the calibration scenarios: how many orders are inequivalent, and how many go wrong.
func TestOrdersOfTheCalibration(t *testing.T) {
	for _, c := range []struct {
		id                string
		actors            int // 0: as many as usual
		orders, violating int
		fixed             int // orders of lua, all of which hold
	}{
		{"X1", 2, 4, 2, 2},
		{"X1", 3, 36, 30, 6},
		{"X1", 4, 576, 552, 24},
		{"X2", 0, 8, 2, 6},
		{"X3", 0, 4, 2, 2},
		{"X4", 0, 36, 30, 6},
		{"X5", 2, 2, 0, 2},
		{"X5", 3, 6, 0, 6},
		{"X6", 0, 4, 2, 2},
		{"X7", 0, 8, 2, 6},
	} {
		t.Run(fmt.Sprintf("%s with %d", c.id, c.actors), func(t *testing.T) {
			x := exploreIn(t, c.id, "naive", c.actors)
			require.True(t, x.Complete, x.Bound)
			assert.Equal(t, c.orders, x.Orders)
			assert.Equal(t, c.orders, x.Executions, "none is run that is not needed")
			assert.Equal(t, c.violating, x.Violating)
			x = exploreIn(t, c.id, "lua", c.actors)
			assert.Equal(t, interleave.Held, x.Outcome(), x)
			assert.Equal(t, c.fixed, x.Orders)
		})
	}
}

// exploreIn explores the first variant of a case, with a number of actors.
func exploreIn(t *testing.T, id, impl string, actors int, opts ...interleave.Option) *interleave.Exploration {
	t.Helper()
	found, err := Find(id)
	require.NoError(t, err)
	c, ok := found[0].Case(impl)
	require.True(t, ok)
	v := &c.Variants[0]
	if actors > 0 {
		v, err = v.With(actors)
		require.NoError(t, err)
	}
	return openOn(t, "embedded", opts...).Explore(t.Context(), func(w *interleave.World) { v.World(w, Target) })
}

func TestWith(t *testing.T) {
	v := &x01.Cases[0].Variants[0]
	three, err := v.With(3)
	require.NoError(t, err)
	require.Equal(t, 3, three.Actors)
	res := run(t, open(t), three, Target)
	require.Len(t, res.Trace.Steps, 6)
	require.Zero(t, v.Actors, "the catalogue stays as it is")
	usual, err := v.With(v.Sizes.Usual)
	require.NoError(t, err)
	require.Zero(t, usual.Actors)
	for _, n := range []int{-1, 0, 1, 9} {
		_, err = v.With(n)
		require.EqualError(t, err, "it has from 2 to 8 actors")
	}
	_, err = a01.Cases[0].Variants[0].With(2)
	require.EqualError(t, err, "the number of its actors is fixed")
}

// A variant that can have several numbers of actors has the usual one when nobody asks.
func TestUsualSizes(t *testing.T) {
	r := open(t)
	each(t, func(t *testing.T, _ *Case, v *Variant) {
		require.Equal(t, v.Sized != nil, v.Sizes != Sizes{})
		if v.Sized == nil {
			return
		}
		require.True(t, v.Sizes.Least <= v.Sizes.Usual && v.Sizes.Usual <= v.Sizes.Most)
		usual, err := v.With(v.Sizes.Usual)
		require.NoError(t, err)
		require.Equal(t, run(t, r, v, Target).Trace.String(), run(t, r, usual, Target).Trace.String())
	})
}
