package interleave_test

import (
	"errors"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/interleave"
)

// closed reports, without waiting, whether a channel is closed.
func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// endings are worlds that can't be judged. Each has an error of its own, and none may hang the test binary or end it.
var endings = []struct {
	name  string
	world func(t *testing.T) func(w *interleave.World)
	want  any // pointer to the type of error
	text  []string
}{
	{"definite deadlock on the server", world(func(w *interleave.World) {
		w.Actor("A", func(a *interleave.Actor) error { return a.Redis().BLPop(ctx, 0, "q").Err() })
	}), new(*interleave.DeadlockError), []string{"definite deadlock", "A waits in BLPOP q 0 (interleave/endings_test.go:"}},

	{"definite deadlock inside the process", world(func(w *interleave.World) {
		w.Actor("A", func(a *interleave.Actor) error {
			<-a.Context().Done()
			return nil
		})
	}), new(*interleave.DeadlockError), []string{"A waits for something inside the process"}},

	{"potential deadlock on a mutex", func(t *testing.T) func(w *interleave.World) {
		var mu sync.Mutex
		mu.Lock()
		t.Cleanup(mu.Unlock)
		return func(w *interleave.World) {
			w.Actor("A", func(a *interleave.Actor) error {
				mu.Lock()
				defer mu.Unlock()
				return nil
			})
		}
	}, new(*interleave.StuckError), []string{"potential deadlock", "actor A", "sync.(*Mutex).Lock", "endings_test.go"}},

	{"endless loop", func(t *testing.T) func(w *interleave.World) {
		stop := make(chan struct{})
		t.Cleanup(func() { close(stop) })
		return func(w *interleave.World) {
			w.Actor("A", func(a *interleave.Actor) error {
				for {
					if closed(stop) {
						return nil
					}
				}
			})
		}
	}, new(*interleave.StuckError), []string{"potential deadlock", "actor A"}},

	{"an actor that panics", world(func(w *interleave.World) {
		w.Actor("A", func(a *interleave.Actor) error { panic("no idea") })
	}), new(*interleave.PanicError), []string{"actor A panicked: no idea", "endings_test.go"}},

	{"an actor that panics half-way", world(func(w *interleave.World) {
		w.Actor("A", func(a *interleave.Actor) error {
			a.Redis().Get(ctx, "k")
			var none []int
			none[len(a.Name())]++
			return nil
		})
		w.Actor("B", func(a *interleave.Actor) error { return a.Redis().BLPop(ctx, 0, "q").Err() })
	}), new(*interleave.PanicError), []string{"actor A panicked", "index out of range"}},

	{"an actor that calls FailNow", world(func(w *interleave.World) {
		w.Actor("A", func(a *interleave.Actor) error {
			runtime.Goexit() // as t.FailNow does
			return nil
		})
	}), new(*interleave.ExitError), []string{"actor A ended by runtime.Goexit"}},

	{"a goroutine left behind", func(t *testing.T) func(w *interleave.World) {
		return func(w *interleave.World) {
			w.Actor("A", func(a *interleave.Actor) error {
				go func() { select {} }()
				return a.Redis().Get(a.Context(), "k").Err()
			})
		}
	}, new(*interleave.LeakError), []string{"goroutines left behind", "actor A", "endings_test.go"}},

	{"a world function that panics", world(func(w *interleave.World) { panic(errors.New("broken")) }),
		new(*interleave.PanicError), []string{"the world function or an invariant panicked: broken"}},

	{"an invariant that panics", world(func(w *interleave.World) {
		w.Actor("A", func(a *interleave.Actor) error { return nil })
		w.Always("never", func(*interleave.State) error { panic("judge") })
	}), new(*interleave.PanicError), []string{"judge"}},

	{"a world function that fails", world(func(w *interleave.World) {
		w.Actor("A", func(a *interleave.Actor) error { return nil })
		w.Fail(errors.New("no schema"))
	}), new(error), []string{"no schema"}},

	{"no actors", world(func(w *interleave.World) {}), new(error), []string{"has no actors"}},

	{"two actors of one name", world(func(w *interleave.World) {
		w.Actor("A", func(a *interleave.Actor) error { return nil })
		w.Actor("A", func(a *interleave.Actor) error { return nil })
	}), new(error), []string{"two actors are named A"}},

	{"a forbidden command", world(func(w *interleave.World) {
		w.Actor("A", func(a *interleave.Actor) error { return a.Redis().Do(ctx, "SHUTDOWN").Err() })
	}), new(error), []string{"refuses SHUTDOWN"}},
}

func world(f func(w *interleave.World)) func(*testing.T) func(*interleave.World) {
	return func(*testing.T) func(*interleave.World) { return f }
}

func TestEndings(t *testing.T) {
	for _, b := range backends() {
		for _, tt := range endings {
			t.Run(b+"/"+tt.name, func(t *testing.T) {
				r := open(t, interleave.Redis(b), interleave.Watchdog(300*time.Millisecond))
				res := run(t, r, "", tt.world(t))
				require.ErrorAs(t, res.Err, tt.want)
				for _, text := range tt.text {
					require.ErrorContains(t, res.Err, text)
				}
				require.NotEqual(t, interleave.Held, res.Outcome())
			})
		}
	}
}

func TestRunnerGoesOnAfterABadWorld(t *testing.T) {
	onEach(t, func(t *testing.T, r *interleave.Runner) {
		for _, tt := range endings {
			if _, stuck := tt.want.(**interleave.StuckError); stuck {
				continue // its goroutines may still use the server, so such a runner is closed for good
			}
			run(t, r, "", tt.world(t))
			held(t, r, "A..", oneActor)
		}
	})
}

func TestTooManySteps(t *testing.T) {
	r := open(t, interleave.Redis(backends()[0]), interleave.MaxSteps(50))
	res := run(t, r, "", func(w *interleave.World) {
		w.Actor("A", func(a *interleave.Actor) error {
			for a.Redis().Incr(a.Context(), "n").Err() == nil {
			}
			return nil
		})
		w.Finally("small", func(s *interleave.State) error { return nil })
	})
	require.NoError(t, res.Err)
	require.Equal(t, interleave.Undecided, res.Outcome())
	require.Equal(t, "50 steps", res.Trace.Bound)
	require.Equal(t, interleave.Undecided, res.Verdicts[0].Outcome, "undecided is never held")
}

func TestDaemonDoesNotKeepTheWorldAlive(t *testing.T) {
	onEach(t, func(t *testing.T, r *interleave.Runner) {
		res := held(t, r, "", func(w *interleave.World) {
			w.Actor("A", func(a *interleave.Actor) error { return a.Redis().RPush(ctx, "q", "x").Err() })
			w.Actor("worker", func(a *interleave.Actor) error {
				for {
					v, err := a.Redis().BLPop(a.Context(), 0, "q").Result()
					if err != nil {
						return err
					}
					a.Redis().Set(ctx, "got", v[1], 0)
				}
			}, interleave.Daemon())
		})
		require.Equal(t, []string{"A RPUSH q x → 1", "worker BLPOP q 0 → [q, x]", "worker SET got x → OK"}, steps(res))
	})
}

func TestAnErrorOfAnActorIsAViolation(t *testing.T) {
	onEach(t, func(t *testing.T, r *interleave.Runner) {
		failing := func(w *interleave.World) {
			w.Actor("A", func(a *interleave.Actor) error { return a.Redis().Get(ctx, "none").Err() })
		}
		res := run(t, r, "", failing)
		require.NoError(t, res.Err)
		_, violated := res.Violated("actor A returns no error")
		require.True(t, violated)
		// When a fault broke its connection, an error is what one expects.
		require.Equal(t, interleave.Held, run(t, r, "A.GET!lost", failing).Outcome())
	})
}
