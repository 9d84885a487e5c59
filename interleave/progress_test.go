package interleave_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/interleave"
)

// adders is a world of n actors that each read a key and write it back: (n!)² inequivalent orders.
func adders(n int) func(*interleave.World) {
	return func(w *interleave.World) {
		for i := range n {
			w.Actor(string(rune('A'+i)), func(a *interleave.Actor) error {
				v, _ := a.Redis().Get(a.Context(), "n").Int()
				return a.Redis().Set(a.Context(), "n", v+1, 0).Err()
			})
		}
	}
}

func TestEstimate(t *testing.T) {
	var last interleave.Progress
	calls := 0
	r := open(t, interleave.Watch(func(p interleave.Progress) {
		calls++
		require.Equal(t, calls, p.Executions)
		n, ok := p.Estimate()
		require.True(t, ok)
		require.GreaterOrEqual(t, n, p.Executions)
		last = p
	}))
	x := r.Explore(t.Context(), adders(3))
	require.Equal(t, 36, x.Executions)
	require.Equal(t, 36, calls)
	n, _ := last.Estimate()
	require.Equal(t, 36, n, "exact at the end")
	require.Equal(t, 36, last.Orders)
	require.Equal(t, "90", x.All().String())

	// Before the end it is of the right size: within a factor of three once a tenth is done.
	calls = 0
	far := 0.0
	x, err := r.ExploreWith(t.Context(), adders(4), interleave.Watch(func(p interleave.Progress) {
		if n, _ := p.Estimate(); p.Executions == 58 {
			far = float64(n) / 576
		}
	}))
	require.NoError(t, err)
	require.Equal(t, 576, x.Orders)
	require.InDelta(t, 1, far, 2.0/3)
}

func TestEstimateOfWhatIsBounded(t *testing.T) {
	for _, s := range []string{"random", "dfs"} {
		r := open(t, interleave.Strategy(s), interleave.MaxExecutions(7), interleave.Watch(func(p interleave.Progress) {
			n, ok := p.Estimate()
			require.Equal(t, 7, n)
			require.Equal(t, s == "random", ok, "nobody knows how many orders there are")
		}))
		require.Equal(t, 7, r.Explore(t.Context(), adders(4)).Executions)
	}
}

// What ends a search by time ends the world that is running too, whether it comes to its next step or not.
func TestUntilEndsAWorldThatRuns(t *testing.T) {
	errOver := errors.New("time is up")
	for _, c := range []struct {
		name string
		act  func(a *interleave.Actor, over func())
	}{
		{"between steps", func(a *interleave.Actor, over func()) {
			for i := 0; a.Context().Err() == nil; i++ {
				if a.Redis().Set(a.Context(), "k", i, 0); i == 50 {
					over()
				}
			}
		}},
		{"hung", func(a *interleave.Actor, over func()) {
			var mu sync.Mutex
			mu.Lock()
			over()
			go func() { a.Redis().Get(a.Context(), "k"); mu.Unlock() }()
			mu.Lock() // not seen by the virtual clock, and not before the world is given up
			mu.Lock()
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			until, cancel := context.WithCancelCause(context.Background())
			r := open(t, interleave.Until(until), interleave.Watchdog(time.Hour), interleave.MaxSteps(1_000_000_000))
			x := r.Explore(t.Context(), func(w *interleave.World) {
				w.Actor("A", func(a *interleave.Actor) error {
					c.act(a, func() { cancel(errOver) })
					return nil
				})
			})
			require.NoError(t, x.Err)
			require.False(t, x.Complete)
			require.Equal(t, interleave.Undecided, x.Outcome())
			require.Equal(t, fmt.Sprintf("%v after 0 executions", errOver), x.Bound)
		})
	}
}

func TestOptionsOfOneExploration(t *testing.T) {
	r := open(t)
	x, err := r.ExploreWith(t.Context(), adders(3), interleave.MaxExecutions(2))
	require.NoError(t, err)
	require.Equal(t, 2, x.Executions)
	require.Equal(t, 36, r.Explore(t.Context(), adders(3)).Executions, "the others keep theirs")
	for _, o := range []interleave.Option{interleave.Strategy("best"), interleave.Preemptions(-1), nil} {
		_, err = r.ExploreWith(t.Context(), adders(2), o)
		require.ErrorContains(t, err, "interleave: ")
	}
}

func TestPreemptionsAreNamed(t *testing.T) {
	r := open(t, interleave.Preemptions(1))
	x := r.Explore(t.Context(), adders(3))
	require.Equal(t, interleave.Undecided, x.Outcome())
	require.Contains(t, x.String(), "not all explored: only the orders with at most 1 preemption, all of them")
	require.Nil(t, x.All())
	x, err := r.ExploreWith(t.Context(), adders(3), interleave.Preemptions(6))
	require.NoError(t, err)
	require.Equal(t, "all 36 orders hold", x.String(), "nothing was left out")
}
