package interleave_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/interleave"
)

// windowed is a world of two lost updates with windows.
func windowed(add func(*interleave.World)) func(*interleave.World) {
	return func(w *interleave.World) {
		getSet(2)(w)
		add(w)
	}
}

// counts are the windows of an exploration, by name.
func counts(x *interleave.Exploration) map[string][2]int {
	out := map[string][2]int{}
	for _, c := range x.Windows {
		out[c.Name] = [2]int{c.Open, c.Orders}
	}
	return out
}

func TestWindowsAreCounted(t *testing.T) {
	x := open(t).Explore(ctx, windowed(func(w *interleave.World) {
		w.Window("both have read", interleave.Span{From: "GET(n)", To: "SET(n)"})
		w.Window("of another key", interleave.Span{From: "GET(m)", To: "SET(n)"})
		w.Window("A reads after B wrote", interleave.Span{Actor: "A", From: "GET"}, interleave.Span{Actor: "B", At: "SET(n)"})
		w.Window("A with itself", interleave.Span{Actor: "A"}, interleave.Span{Actor: "A", From: "GET"})
		w.Window("from the beginning", interleave.Span{Actor: "A", To: "SET"}, interleave.Span{Actor: "B", At: "GET"})
	}))
	require.NoError(t, x.Err)
	// GET GET SET SET in two orders of the SETs; A whole before B and B whole before A are the other two.
	require.Equal(t, map[string][2]int{
		"both have read":               {2, 4},
		"of another key":               {0, 4},
		"A reads after B wrote":        {1, 4}, // while A is between its GET and its end, B writes
		"A with itself":                {0, 4},
		"from the beginning":           {3, 4}, // B's GET before A's SET
		"two actors under way at once": {4, 4},
	}, counts(x))
	require.Contains(t, x.Unreached(), `race never reached: window "of another key" open in 0 of 4 orders`)
	require.Equal(t, interleave.Violated, x.Outcome(), "what is violated stays violated")
}

func TestRaceNeverReachedIsUndecided(t *testing.T) {
	for _, tt := range []struct {
		name string
		span interleave.Span
		want interleave.Outcome
	}{
		{"reached", interleave.Span{At: "INCR(n)"}, interleave.Undecided}, // two commands are never executed at once
		{"both wait", interleave.Span{To: "INCR"}, interleave.Held},
		{"between", interleave.Span{From: "INCR", To: "DEL"}, interleave.Undecided},
		{"nobody dies", interleave.Span{To: interleave.Crash}, interleave.Undecided},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x := open(t).Explore(ctx, func(w *interleave.World) {
				for _, name := range names(2) {
					w.Actor(name, func(a *interleave.Actor) error { return a.Redis().Incr(ctx, "n").Err() })
				}
				w.Window("the race", tt.span)
			})
			require.NoError(t, x.Err)
			require.True(t, x.Complete)
			require.Equal(t, tt.want, x.Outcome(), "%s", x)
			if tt.want == interleave.Undecided {
				require.Equal(t, `0 of 2 orders violate, all explored; race never reached: window "the race" open in 0 of 2 orders`, x.String())
			}
		})
	}
}

// TestWhoTurnsBackWasNotInside: an actor that reads and then goes away without writing was in no window that ends with the
// write; one that is cut off by a crash was.
func TestWhoTurnsBackWasNotInside(t *testing.T) {
	world := func(w *interleave.World) {
		for _, name := range names(2) {
			w.Actor(name, func(a *interleave.Actor) error {
				if a.Redis().Get(ctx, "n").Val() == "" && a.Name() == "A" {
					return a.Redis().Set(ctx, "n", "x", 0).Err()
				}
				return nil
			})
		}
		w.Window("both write", interleave.Span{From: "GET", To: "SET"})
		w.Window("A dies before it has written", interleave.Span{Actor: "A", From: "GET", To: interleave.Crash}, interleave.Span{Actor: "B", At: "GET"})
	}
	r := open(t)
	require.Empty(t, run(t, r, "A.GET B.GET A.SET", world).Trace.OpenWindows())
	require.Equal(t, []string{"A dies before it has written"}, run(t, r, "A.GET B.GET A!crash", world).Trace.OpenWindows())
	require.Empty(t, run(t, r, "B.GET A.GET A!crash", world).Trace.OpenWindows(), "B was through")
	require.Empty(t, run(t, r, "A.GET!crash B.GET", world).Trace.OpenWindows(), "A was dead")
}

// TestTheDeadAreInside: a crash cuts a span off, and no more comes of the dead.
func TestTheDeadAreInside(t *testing.T) {
	world := windowed(func(w *interleave.World) {
		w.Window("both have read", interleave.Span{From: "GET", To: "SET"})
		w.Window("B writes beside A", interleave.Span{Actor: "A"}, interleave.Span{Actor: "B", At: "SET"})
	})
	r := open(t)
	require.Equal(t, []string{"both have read"}, run(t, r, "A.GET B.GET A!crash B.SET", world).Trace.OpenWindows())
	require.Equal(t, []string{"both have read", "B writes beside A"}, run(t, r, "A.GET B.GET B.SET A!crash", world).Trace.OpenWindows())
}

// TestOneAfterTheOther: who begins because another has ended is not beside it.
func TestOneAfterTheOther(t *testing.T) {
	x := open(t).Explore(ctx, func(w *interleave.World) {
		ended := make(chan struct{})
		w.Actor("A", func(a *interleave.Actor) error {
			defer close(ended)
			return a.Redis().Incr(ctx, "n").Err()
		})
		w.Actor("B", func(a *interleave.Actor) error {
			<-ended
			return a.Redis().Incr(ctx, "n").Err()
		})
	})
	require.Equal(t, map[string][2]int{"two actors under way at once": {0, 1}}, counts(x))
	require.Equal(t, interleave.Held, x.Outcome(), "nobody has declared it")
}

// TestUnderWay: an actor that comes after another has ended never meets it.
func TestUnderWay(t *testing.T) {
	world := func(w *interleave.World) {
		w.Actor("A", func(a *interleave.Actor) error { return a.Redis().Incr(ctx, "n").Err() })
		w.Actor("B", func(a *interleave.Actor) error {
			time.Sleep(time.Minute)
			return a.Redis().Incr(ctx, "n").Err()
		})
		w.Window("both")
	}
	r := open(t)
	require.Empty(t, run(t, r, "", world).Trace.OpenWindows())
	require.Equal(t, []string{"both"}, run(t, r, "+1m B.INCR A.INCR", world).Trace.OpenWindows())
	x := r.Explore(ctx, world)
	require.Equal(t, interleave.Undecided, x.Outcome())
}

func TestBadWindows(t *testing.T) {
	r := open(t)
	for name, add := range map[string]func(*interleave.World){
		`a window needs a name`: func(w *interleave.World) { w.Window("") },
		`window "x": a span has At (here GET) or From and To, not both`: func(w *interleave.World) { w.Window("x", interleave.Span{At: "GET", To: "SET"}) },
		`"get set": `: func(w *interleave.World) { w.Window("x", interleave.Span{From: "get set"}) },
		`"no name"`:   func(w *interleave.World) { w.Window("x", interleave.Span{Actor: "no name"}) },
		`after the start of the world`: func(w *interleave.World) {
			w.Actor("B", func(*interleave.Actor) error { w.Window("x"); return nil })
		},
	} {
		res := run(t, r, "", func(w *interleave.World) {
			w.Actor("A", func(a *interleave.Actor) error { return a.Redis().Incr(ctx, "n").Err() })
			add(w)
		})
		require.ErrorContains(t, res.Err, name)
	}
}
