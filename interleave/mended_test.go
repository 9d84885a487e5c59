package interleave_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/interleave"
)

// Each test here keeps a fault of the engine from coming back.

func TestNoScriptIsAnsweredOnce(t *testing.T) {
	sha := "8cd00688bf0f56c1c0b2b5d2d8b1a7d5d1a3e3aa"
	onEach(t, func(t *testing.T, r *interleave.Runner) {
		held(t, r, "A.EVALSHA A.GET A.EVALSHA A.INCR A..", func(w *interleave.World) {
			w.Actor("A", func(a *interleave.Actor) error {
				rdb := a.Redis()
				if err := rdb.EvalSha(ctx, sha, nil).Err(); err == nil || err.Error()[:8] != "NOSCRIPT" {
					return fmt.Errorf("EVALSHA: %v", err)
				}
				if err := rdb.Get(ctx, "k").Err(); err != redis.Nil {
					return fmt.Errorf("GET: %v", err)
				}
				var n *redis.IntCmd
				_, _ = rdb.Pipelined(ctx, func(p redis.Pipeliner) error {
					p.EvalSha(ctx, sha, nil)
					n = p.Incr(ctx, "n")
					return nil
				})
				return errors.Join(n.Err(), check(n.Val() == 1, "INCR: %d", n.Val()))
			})
		})
	})
}

func TestWorldOfPingsEnds(t *testing.T) {
	worlds := map[string]func(*interleave.Actor) error{
		"pings": func(a *interleave.Actor) error {
			for a.Redis().Ping(ctx).Err() == nil {
			}
			return nil
		},
		"pings now and then": func(a *interleave.Actor) error {
			for a.Redis().Ping(ctx).Err() == nil {
				time.Sleep(time.Second)
			}
			return nil
		},
		"a channel without a message": func(a *interleave.Actor) error {
			sub := a.Redis().Subscribe(ctx, "news")
			defer sub.Close()
			<-sub.Channel() // go-redis pings the server every three seconds
			return nil
		},
	}
	onEach(t, func(t *testing.T, r *interleave.Runner) {
		for name, actor := range worlds {
			t.Run(name, func(t *testing.T) {
				res := run(t, r, "", func(w *interleave.World) { w.Actor("A", actor) })
				var spin *interleave.SpinError
				require.ErrorAs(t, res.Err, &spin)
				require.ErrorContains(t, res.Err, "PING")
				require.ErrorContains(t, res.Err, "A waits for")
			})
		}
	})
}

func TestSubscriberWithAChannelCanCrashOrBeADaemon(t *testing.T) {
	world := func(opts ...interleave.ActorOption) func(w *interleave.World) {
		return func(w *interleave.World) {
			w.Actor("S", func(a *interleave.Actor) error {
				sub := a.Redis().Subscribe(ctx, "news")
				defer sub.Close()
				for m := range sub.Channel() {
					a.Note("got", m.Payload)
				}
				return nil
			}, opts...)
			w.Actor("P", func(a *interleave.Actor) error { return a.Redis().Publish(ctx, "news", "x").Err() })
		}
	}
	onEach(t, func(t *testing.T, r *interleave.Runner) {
		held(t, r, "S.SUBSCRIBE P.PUBLISH S!crash", world())
		res := held(t, r, "S.SUBSCRIBE P.PUBLISH S.deliver", world(interleave.Daemon()))
		require.Len(t, res.Trace.Notes, 1)
	})
}

func TestFinallyIsNotJudgedAtABound(t *testing.T) {
	r := open(t, interleave.MaxSteps(2))
	res := run(t, r, "", func(w *interleave.World) {
		w.Actor("A", func(a *interleave.Actor) error {
			for range 5 {
				a.Redis().Incr(ctx, "k")
			}
			return nil
		})
		w.Finally("five", func(s *interleave.State) error { return check(s.Entry("k").Text() == "5", "k = %s", s.Entry("k")) })
	})
	require.Equal(t, interleave.Undecided, res.Outcome())
}

func TestUndecidedOrdersAreNotHeld(t *testing.T) {
	long := func(w *interleave.World) {
		w.Actor("A", func(a *interleave.Actor) error {
			for range 5 {
				a.Redis().Incr(ctx, "k")
			}
			return nil
		})
		w.Finally("unknown", func(*interleave.State) error { return fmt.Errorf("no idea: %w", interleave.ErrUndecided) })
	}
	x := open(t).Explore(ctx, long)
	require.Equal(t, interleave.Undecided, x.Outcome())
	require.Contains(t, x.String(), "1 undecided")
	x = open(t, interleave.MaxSteps(2)).Explore(ctx, long)
	require.Equal(t, interleave.Undecided, x.Outcome())
}

func TestForcedStepsCountForConstraints(t *testing.T) {
	world := func(w *interleave.World) {
		for _, name := range []string{"A", "B"} {
			w.Actor(name, func(a *interleave.Actor) error {
				a.Redis().Get(ctx, "k")
				return a.Redis().Set(ctx, "k", a.Name(), 0).Err()
			})
		}
	}
	r := open(t, interleave.Before("A.GET < B.SET"))
	held(t, r, "A.GET", world)
	require.ErrorContains(t, run(t, r, "B.GET B.SET", world).Err, "B is held back by A.GET < B.SET")
	require.Equal(t, 3, r.Explore(ctx, world).Orders, "of 4, one has B done before A has read")
}

func TestExploreSeesNotesAndWaiters(t *testing.T) {
	r := open(t)
	x := r.Explore(ctx, func(w *interleave.World) {
		for _, name := range []string{"A", "B"} {
			w.Actor(name, func(a *interleave.Actor) error {
				a.Redis().Get(ctx, "k")
				a.Note("in", a.Name())
				a.Redis().Get(ctx, "k")
				a.Note("out", a.Name())
				return nil
			})
		}
		w.Always("not both in", func(s *interleave.State) error {
			in := len(s.Notes("in")) - len(s.Notes("out"))
			return check(in < 2, "%d in", in)
		})
	})
	require.Equal(t, interleave.Violated, x.Outcome())

	seen := map[string]bool{}
	x = r.Explore(ctx, func(w *interleave.World) {
		for _, name := range []string{"A", "B"} {
			w.Actor(name, func(a *interleave.Actor) error {
				a.Redis().Get(ctx, a.Name())
				if _, err := a.Redis().BLPop(ctx, 0, "q").Result(); err != nil {
					return err
				}
				return a.Redis().Set(ctx, "winner", a.Name(), 0).Err()
			}, interleave.Daemon())
		}
		w.Actor("C", func(a *interleave.Actor) error { return a.Redis().RPush(ctx, "q", 1).Err() })
		w.Finally("", nil)
	})
	require.ErrorContains(t, x.Err, "an invariant needs a name and a judgement")
	x = r.Explore(ctx, func(w *interleave.World) {
		for _, name := range []string{"A", "B"} {
			w.Actor(name, func(a *interleave.Actor) error {
				a.Redis().Get(ctx, a.Name())
				if _, err := a.Redis().BLPop(ctx, 0, "q").Result(); err != nil {
					return err
				}
				return a.Redis().Set(ctx, "winner", a.Name(), 0).Err()
			}, interleave.Daemon())
		}
		w.Actor("C", func(a *interleave.Actor) error { return a.Redis().RPush(ctx, "q", 1).Err() })
		w.Finally("somebody wins", func(s *interleave.State) error {
			seen[s.Entry("winner").Text()] = true
			return nil
		})
	})
	require.NoError(t, x.Err)
	require.True(t, seen["A"] && seen["B"], "%v", seen)
}

func TestWhoWaitsLongerIsServedFirst(t *testing.T) {
	world := func(w *interleave.World) {
		for name, later := range map[string]time.Duration{"A": 0, "B": time.Second} {
			w.Actor(name, func(a *interleave.Actor) error {
				time.Sleep(later)
				return a.Redis().BLPop(ctx, 0, "q").Err()
			}, interleave.Daemon())
		}
		w.Actor("P", func(a *interleave.Actor) error { return a.Redis().RPush(ctx, "q", "x").Err() })
	}
	onEach(t, func(t *testing.T, r *interleave.Runner) {
		held(t, r, "+1s P.RPUSH A.BLPOP", world)
		require.ErrorContains(t, run(t, r, "+1s P.RPUSH B.BLPOP", world).Err, "B is blocked on the server in BLPOP q 0")
	})
}

func TestDeliveredTokensReplay(t *testing.T) {
	world := func(w *interleave.World) {
		w.Actor("A", func(a *interleave.Actor) error {
			one, two := a.Redis().Subscribe(ctx, "ch1"), a.Redis().Subscribe(ctx, "ch2")
			defer one.Close()
			defer two.Close()
			for _, sub := range []*redis.PubSub{one, two} {
				if _, err := sub.Receive(ctx); err != nil {
					return err
				}
			}
			if _, err := two.ReceiveMessage(ctx); err != nil {
				return err
			}
			_, err := one.ReceiveMessage(ctx)
			return err
		})
		w.Actor("P", func(a *interleave.Actor) error {
			return errors.Join(a.Redis().Publish(ctx, "ch1", "m").Err(), a.Redis().Publish(ctx, "ch2", "m").Err())
		})
	}
	onEach(t, func(t *testing.T, r *interleave.Runner) {
		first := held(t, r, "A.SUBSCRIBE A.SUBSCRIBE P.. A.deliver(ch2) A.deliver(ch1)", world)
		again := held(t, r, first.Trace.Schedule().String(), world)
		require.Equal(t, first.Trace.String(), again.Trace.String())
	})
}

func TestLateCommandsKeepTheOrderOfTheirConnection(t *testing.T) {
	world := func(w *interleave.World) {
		w.Actor("A", func(a *interleave.Actor) error {
			_, err := a.Redis().Pipelined(ctx, func(p redis.Pipeliner) error {
				p.Set(ctx, "k", 1, 0)
				p.Set(ctx, "k", 2, 0)
				return nil
			})
			return err
		})
	}
	onEach(t, func(t *testing.T, r *interleave.Runner) {
		res := held(t, r, "A.SET!late A.arrive A.arrive A..", world)
		require.Equal(t, "A late SET k 1 → OK", res.Trace.Steps[1].Summary())
		require.Equal(t, "A late SET k 2 → OK", res.Trace.Steps[2].Summary())
		require.ErrorContains(t, run(t, r, "A.SET!late A.arrive@2", world).Err, "1 on their way")
		// What was pipelined behind a command whose reply is lost has been sent as well.
		res = held(t, r, "A.SET!lost A..", world)
		require.Equal(t, "2", final(res)["k"])
		require.Contains(t, res.Trace.String(), "A late SET k 2")
	})
}

func TestSelectInATransaction(t *testing.T) {
	onEach(t, func(t *testing.T, r *interleave.Runner) {
		res := run(t, r, "", func(w *interleave.World) {
			w.Actor("A", func(a *interleave.Actor) error {
				c := a.Redis().Conn()
				defer c.Close()
				_, err := c.TxPipelined(ctx, func(p redis.Pipeliner) error {
					p.Do(ctx, "SELECT", 2)
					p.Set(ctx, "k", "v", 0)
					return nil
				})
				return errors.Join(err, c.Set(ctx, "after", 1, 0).Err())
			})
		})
		require.NoError(t, res.Err, "%s", res.Trace)
		require.Empty(t, res.Trace.Undeclared)
		require.Equal(t, map[string]string{"db2:k": "v", "db2:after": "1"}, final(res))
	})
}

func TestAlwaysIsJudgedAfterEveryWrite(t *testing.T) {
	r := open(t, interleave.Redis("process"))
	res := run(t, r, "", func(w *interleave.World) {
		w.Fail(w.Redis().XGroupCreateMkStream(ctx, "s", "g", "$").Err())
		w.Fail(w.Redis().XAdd(ctx, &redis.XAddArgs{Stream: "s", ID: "1-1", Values: []string{"f", "v"}}).Err())
		w.Actor("A", func(a *interleave.Actor) error {
			_, err := a.Redis().XReadGroup(ctx, &redis.XReadGroupArgs{Group: "g", Consumer: "c", Streams: []string{"s", ">"}}).Result()
			return errors.Join(err, a.Redis().XAck(ctx, "s", "g", "1-1").Err())
		})
		w.Always("nothing pending", func(s *interleave.State) error {
			n, err := s.Redis().XPending(ctx, "s", "g").Result()
			return errors.Join(err, check(err != nil || n.Count == 0, "%v pending", n))
		})
	})
	v, violated := res.Violated("nothing pending")
	require.True(t, violated)
	require.Equal(t, 1, v.Step)
}

func TestFailoverLosesWritesAndNothingElse(t *testing.T) {
	world := func(w *interleave.World) {
		w.Actor("A", func(a *interleave.Actor) error {
			for _, k := range []string{"a", "b"} {
				if err := a.Redis().Set(ctx, k, 1, 10*time.Second).Err(); err != nil {
					return err
				}
			}
			return nil
		})
	}
	onEach(t, func(t *testing.T, r *interleave.Runner) {
		require.Equal(t, map[string]string{}, final(held(t, r, "A.SET !evict(a) A.SET !failover(1)", world)))
		require.Equal(t, map[string]string{"a": "1"}, final(held(t, r, "A.SET A.SET +5s !failover(1)", world)))
		require.Equal(t, map[string]string{}, final(held(t, r, "A.SET +5s A.SET +6s !failover(1)", world)))
		require.ErrorContains(t, run(t, r, "A.SET !restart !failover(1)", world).Err, "(token 3, !failover): expected 1 writes to lose, found 0 so far")
	})
}

func TestMistakesOfAWorld(t *testing.T) {
	r := open(t)
	for text, world := range map[string]func(*interleave.World){
		"Actor B was added after the start": func(w *interleave.World) {
			w.Actor("A", func(a *interleave.Actor) error {
				w.Actor("B", func(*interleave.Actor) error { return nil })
				return a.Redis().Get(ctx, "k").Err()
			})
		},
		"an invariant was added after the start": func(w *interleave.World) {
			w.Actor("A", func(a *interleave.Actor) error {
				w.Finally("late", func(*interleave.State) error { return nil })
				return a.Redis().Get(ctx, "k").Err()
			})
		},
		"waits for ever": func(w *interleave.World) { select {} },
		"panicked: in the cleanup": func(w *interleave.World) {
			w.Actor("A", func(a *interleave.Actor) error { return nil })
			w.Cleanup(func() { panic("in the cleanup") })
		},
		"Cleanup of nil": func(w *interleave.World) { w.Cleanup(nil) },
		"synctest.Run called from within a synctest bubble": func(w *interleave.World) {
			w.Actor("A", func(a *interleave.Actor) error {
				inner, err := interleave.Open()
				if err != nil {
					return err
				}
				defer inner.Close()
				return inner.RunSchedule(nil, func(w *interleave.World) {
					w.Actor("A", func(*interleave.Actor) error { return nil })
				}).Err
			})
		},
	} {
		t.Run(text, func(t *testing.T) {
			res := run(t, r, "", world)
			if res.Err == nil {
				require.NotEmpty(t, res.Verdicts)
				require.Contains(t, res.Verdicts[0].Detail, text)
				return
			}
			require.ErrorContains(t, res.Err, text)
		})
	}
	res := run(t, r, "", func(w *interleave.World) {
		w.Actor("A", func(a *interleave.Actor) error { return w.Redis().Get(ctx, "k").Err() })
	})
	require.Contains(t, res.Verdicts[0].Detail, "not for actors")
	_, err := interleave.Open(nil)
	require.ErrorContains(t, err, "option 1 is nil")
}
