package interleave

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// readThenWrite is two actors that read a key and write it.
func readThenWrite(w *World) {
	for _, name := range []string{"A", "B"} {
		w.Actor(name, func(a *Actor) error {
			v, _ := a.Redis().Get(context.Background(), "n").Int()
			return a.Redis().Set(context.Background(), "n", v+1, 0).Err()
		})
	}
}

// TestRecordIsReplayed: what any strategy did happens again from its record.
func TestRecordIsReplayed(t *testing.T) {
	r, err := Open(For(t))
	require.NoError(t, err)
	defer r.Close()
	for _, name := range Strategies() {
		c := *r.cfg
		c.strategy, c.seed = name, 3
		rec := &recorder{strategy: c.newStrategy()}
		orders := map[string]bool{}
		for i := 0; i < 30 && rec.begin(i); i++ {
			first := r.run(rec, needs{footprints: true}, readThenWrite)
			rec.end(first)
			if errors.Is(first.Err, errPruned) {
				continue
			}
			require.NoError(t, first.Err)
			again := r.once(&replayer{strategy: fair{}, record: rec.record}, needs{footprints: true}, readThenWrite)
			require.NoError(t, again.Err)
			require.Equal(t, first.Trace.String(), again.Trace.String())
			orders[first.Trace.Schedule().String()] = true
		}
		require.Greater(t, len(orders), 1, name)
	}
}

// TestReplayOfAnotherWorld: a record that does not fit says where, and what could happen then and now.
func TestReplayOfAnotherWorld(t *testing.T) {
	r, err := Open(For(t))
	require.NoError(t, err)
	defer r.Close()
	rec := &recorder{strategy: fair{}}
	r.once(rec, needs{}, readThenWrite)
	res := r.once(&replayer{strategy: fair{}, record: rec.record}, needs{}, func(w *World) {
		readThenWrite(w)
		w.Actor("C", func(a *Actor) error { return a.Redis().Ping(a.Context()).Err() })
		w.Actor("D", func(a *Actor) error { return a.Redis().Get(a.Context(), "n").Err() })
	})
	var other *NondeterminismError
	require.ErrorAs(t, res.Err, &other)
	require.Equal(t, 1, other.Step)
	require.NotContains(t, other.Was, "D")
	require.Contains(t, other.Is, "D operation")
}

// TestNumbersAreReplayed: what a strategy drew beside its steps is part of its record.
func TestNumbersAreReplayed(t *testing.T) {
	rec := &recorder{strategy: newSampled(1, nil, "random")}
	require.True(t, rec.begin(0))
	var drawn, again []int
	for range 20 {
		drawn = append(drawn, rec.number(1000))
	}
	rep := &replayer{strategy: fair{}, record: rec.record}
	require.True(t, rep.begin(0))
	for range 20 {
		again = append(again, rep.number(1000))
	}
	require.Equal(t, drawn, again)
	require.Equal(t, 0, rep.number(1000), "after the end of the record the strategy behind it is asked")
	require.Greater(t, len(slices.Compact(slices.Sorted(slices.Values(drawn)))), 10)
}

func TestChoicePoints(t *testing.T) {
	r, err := Open(For(t), Strategy("random"), MaxExecutions(10))
	require.NoError(t, err)
	defer r.Close()
	x := r.Explore(t.Context(), func(w *World) {
		for _, name := range []string{"A", "B"} {
			w.Actor(name, func(a *Actor) error { return a.Redis().Incr(a.Context(), "n").Err() })
		}
	})
	require.NoError(t, x.Err)
	require.Equal(t, 10, x.Points, "who goes first is all there is to choose, in each of 10 worlds")
}

// TestCheckDeterminism: a world that has a memory of its own is found out, and one that has none is explored as ever.
func TestCheckDeterminism(t *testing.T) {
	for _, name := range Strategies() {
		r, err := Open(For(t), CheckDeterminism(), Strategy(name), MaxExecutions(100))
		require.NoError(t, err)
		x := r.Explore(t.Context(), readThenWrite)
		require.NoError(t, x.Err)
		if name == "exhaustive" {
			require.Equal(t, 4, x.Orders)
			require.Equal(t, 2*(x.Orders+x.Pruned), x.Executions)
		}
		built := 0
		x = r.Explore(t.Context(), func(w *World) {
			readThenWrite(w)
			if built++; built == 6 {
				w.Actor("C", func(a *Actor) error { return a.Redis().Get(a.Context(), "n").Err() })
			}
		})
		var other *NondeterminismError
		require.ErrorAs(t, x.Err, &other, name)
		require.NoError(t, r.Close())
	}
}
