package interleave_test

import (
	"errors"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/interleave/backend"
)

func TestPipelinedCommandsAreSeparateOperations(t *testing.T) {
	onEach(t, func(t *testing.T, r *interleave.Runner) {
		res := held(t, r, "A.SET B.SET A.INCR B.. A..", func(w *interleave.World) {
			w.Actor("A", func(a *interleave.Actor) error {
				var n *redis.IntCmd
				_, err := a.Redis().Pipelined(ctx, func(p redis.Pipeliner) error {
					p.Set(ctx, "k", 1, 0)
					n = p.Incr(ctx, "k")
					return nil
				})
				return errors.Join(err, check(n.Val() == 11, "n = %d", n.Val()))
			})
			w.Actor("B", func(a *interleave.Actor) error { return a.Redis().Set(ctx, "k", 10, 0).Err() })
		})
		require.Equal(t, []string{"A SET k 1 → OK", "B SET k 10 → OK", "A INCR k → 11"}, steps(res))
	})
}

func TestTransactionIsOneStepAtExec(t *testing.T) {
	onEach(t, func(t *testing.T, r *interleave.Runner) {
		res := held(t, r, "A.EXEC(k2) B.GET", func(w *interleave.World) {
			w.Actor("A", func(a *interleave.Actor) error {
				_, err := a.Redis().TxPipelined(ctx, func(p redis.Pipeliner) error {
					p.Set(ctx, "k1", "x", 0)
					p.Set(ctx, "k2", "y", 0)
					return nil
				})
				return err
			})
			w.Actor("B", func(a *interleave.Actor) error { return a.Redis().Get(ctx, "k1").Err() })
		})
		require.Equal(t, []string{"A EXEC {SET k1 x; SET k2 y} → [OK, OK]", "B GET k1 → x"}, steps(res))
		require.Len(t, res.Trace.Steps[0].Changes, 2)
	})
}

func TestWatchAbortsWhenAnotherActorWrites(t *testing.T) {
	increment := func(a *interleave.Actor) error {
		return a.Redis().Watch(ctx, func(tx *redis.Tx) error {
			n, err := tx.Get(ctx, "n").Int()
			if err != nil {
				return err
			}
			_, err = tx.TxPipelined(ctx, func(p redis.Pipeliner) error { return p.Set(ctx, "n", n+1, 0).Err() })
			if errors.Is(err, redis.TxFailedErr) {
				a.Note("aborted", "yes")
				return nil
			}
			return err
		}, "n")
	}
	world := func(w *interleave.World) {
		w.Fail(w.Redis().Set(ctx, "n", 0, 0).Err())
		w.Actor("A", increment)
		w.Actor("B", increment)
		w.Finally("one of two wins", func(s *interleave.State) error {
			return check(s.Entry("n").Text() == "1" && len(s.Notes("aborted")) == 1, "n = %s, %v", s.Entry("n"), s.Notes("aborted"))
		})
	}
	onEach(t, func(t *testing.T, r *interleave.Runner) {
		res := held(t, r, "A.WATCH A.GET B.. A.EXEC", world)
		require.Equal(t, "A EXEC {SET n 1} → nil", res.Trace.Steps[5].Summary())
		// One after the other, both succeed: the invariant must notice.
		require.Equal(t, interleave.Violated, run(t, r, "A.. B..", world).Outcome())
	})
}

const bump = `return redis.call('INCRBY', KEYS[1], ARGV[1])`

func TestScriptIsOneStepWhateverIsCached(t *testing.T) {
	script := redis.NewScript(bump)
	world := func(w *interleave.World) {
		for _, name := range []string{"A", "B"} {
			w.Actor(name, func(a *interleave.Actor) error { return script.Run(ctx, a.Redis(), []string{"n"}, 2).Err() })
		}
	}
	onEach(t, func(t *testing.T, r *interleave.Runner) {
		for range 2 { // the second world must not see the first one's cache
			res := held(t, r, "A.EVAL B.EVAL(n)", world)
			require.Equal(t, []string{
				"A EVAL sha:8cd00688 1 n 2 → 2",
				"B EVAL sha:8cd00688 1 n 2 → 4",
			}, steps(res))
		}
	})
	for _, b := range backends() {
		t.Run("split on "+b, func(t *testing.T) {
			r := open(t, interleave.Redis(b), interleave.SplitScripts())
			res := held(t, r, "A.EVALSHA B.EVALSHA A.EVAL B.EVAL", world)
			require.Len(t, res.Trace.Steps, 4)
			res = held(t, r, "A.. !flushscripts B..", world)
			require.Len(t, res.Trace.Steps, 5, "%s", res.Trace)
		})
	}
}

func TestMessagesAreStepsOfTheirOwn(t *testing.T) {
	world := func(w *interleave.World) {
		w.Actor("S", func(a *interleave.Actor) error {
			sub := a.Redis().Subscribe(ctx, "news")
			defer sub.Close()
			if _, err := sub.Receive(ctx); err != nil {
				return err
			}
			m, err := sub.ReceiveMessage(ctx)
			if err != nil {
				return err
			}
			a.Note("got", m.Payload)
			return a.Redis().Set(ctx, "seen", m.Payload, 0).Err()
		})
		w.Actor("P", func(a *interleave.Actor) error {
			for _, m := range []string{"one", "two"} {
				if err := a.Redis().Publish(ctx, "news", m).Err(); err != nil {
					return err
				}
			}
			return nil
		})
	}
	onEach(t, func(t *testing.T, r *interleave.Runner) {
		res := held(t, r, "S.SUBSCRIBE P.PUBLISH P.PUBLISH S.deliver S.SET", world)
		require.Equal(t, "S receives [message, news, one]", res.Trace.Steps[3].Summary())
		require.Equal(t, "S.deliver", res.Trace.Steps[3].Token().String())
		res = held(t, r, "S.SUBSCRIBE P.. S.deliver!drop S.deliver(news)", world)
		require.Equal(t, []interleave.Note{{Actor: "S", Key: "got", Value: "two"}}, res.Trace.Notes)
		// A message published before the subscription is lost for good: the subscriber waits for ever.
		res = run(t, r, "P.. S.SUBSCRIBE", world)
		var dead *interleave.DeadlockError
		require.ErrorAs(t, res.Err, &dead)
		require.Contains(t, dead.Error(), "S waits for a message")
	})
}

func TestBlockingCommandsWaitForData(t *testing.T) {
	world := func(w *interleave.World) {
		for _, name := range []string{"A", "B"} {
			w.Actor(name, func(a *interleave.Actor) error {
				v, err := a.Redis().BLPop(ctx, 0, "q").Result()
				if err == nil {
					a.Note("popped", v[1])
				}
				return err
			})
		}
		w.Actor("P", func(a *interleave.Actor) error {
			for _, v := range []string{"x", "y"} {
				if err := a.Redis().RPush(ctx, "q", v).Err(); err != nil {
					return err
				}
			}
			return nil
		})
	}
	onEach(t, func(t *testing.T, r *interleave.Runner) {
		res := held(t, r, "P.RPUSH A.BLPOP P.RPUSH B.BLPOP", world)
		require.Equal(t, []interleave.Note{{"A", "popped", "x"}, {"B", "popped", "y"}}, res.Trace.Notes)
		// Both came at the same instant: either may have been first at the server.
		res = held(t, r, "P.RPUSH B.BLPOP P.RPUSH A.BLPOP", world)
		require.Equal(t, []interleave.Note{{"B", "popped", "x"}, {"A", "popped", "y"}}, res.Trace.Notes)
		// Once the clock has moved they wait there, and the server serves them before anything else.
		res = run(t, r, "+1s P.RPUSH P.RPUSH", world)
		var diverged *interleave.DivergedError
		require.ErrorAs(t, res.Err, &diverged)
		require.Contains(t, diverged.Error(), "found P is blocked on the server in RPUSH q y")
	})
}

func TestBlockingCommandTimesOutOnTheVirtualClock(t *testing.T) {
	onEach(t, func(t *testing.T, r *interleave.Runner) {
		res := held(t, r, "", func(w *interleave.World) {
			w.Actor("A", func(a *interleave.Actor) error {
				start := time.Now()
				_, err := a.Redis().BLPop(ctx, 90*time.Second, "q").Result()
				return check(errors.Is(err, redis.Nil) && time.Since(start) == 90*time.Second, "%v after %v", err, time.Since(start))
			})
		})
		require.Equal(t, []string{"clock +1m30s", "A BLPOP q 90 → nil"}, steps(res))
	})
}

func TestBlockingStreamReads(t *testing.T) {
	add := func(a *interleave.Actor) error {
		for _, id := range []string{"1-1", "2-1"} {
			if err := a.Redis().XAdd(ctx, &redis.XAddArgs{Stream: "s", ID: id, Values: []string{"f", "v"}}).Err(); err != nil {
				return err
			}
		}
		return nil
	}
	// $ is what was last when the command came, not when it is served.
	onEach(t, func(t *testing.T, r *interleave.Runner) {
		res := held(t, r, "P.XADD P.XADD R.XREAD", func(w *interleave.World) {
			w.Fail(w.Redis().XAdd(ctx, &redis.XAddArgs{Stream: "s", ID: "0-1", Values: []string{"f", "v"}}).Err())
			w.Actor("R", func(a *interleave.Actor) error {
				got, err := a.Redis().XRead(ctx, &redis.XReadArgs{Streams: []string{"s", "$"}, Block: 0}).Result()
				return errors.Join(err, check(err != nil || len(got[0].Messages) == 2, "%v", got))
			})
			w.Actor("P", add)
		})
		require.Len(t, res.Trace.Steps, 3)
	})
	groups := func(w *interleave.World) {
		w.Fail(w.Redis().XGroupCreateMkStream(ctx, "s", "g", "$").Err())
		for _, name := range []string{"G", "H"} {
			w.Actor(name, func(a *interleave.Actor) error {
				got, err := a.Redis().XReadGroup(ctx, &redis.XReadGroupArgs{Group: "g", Consumer: name, Streams: []string{"s", ">"}, Count: 1, Block: 0}).Result()
				return errors.Join(err, check(err != nil || len(got[0].Messages) == 1, "%v", got))
			})
		}
		w.Actor("P", add)
	}
	t.Run("groups on process", func(t *testing.T) {
		res := held(t, open(t, interleave.Redis("process")), "P.XADD H.XREADGROUP P.XADD G.XREADGROUP", groups)
		require.Len(t, res.Trace.Steps, 4)
	})
	t.Run("groups on embedded", func(t *testing.T) {
		res := run(t, open(t), "P.XADD H.XREADGROUP P.XADD G.XREADGROUP", groups)
		var refused *backend.RefusedError
		if res.Err != nil {
			require.ErrorAs(t, res.Err, &refused)
			require.Contains(t, refused.Hint, "process")
		}
	})
}

func TestExpiryFollowsTheVirtualClock(t *testing.T) {
	onEach(t, func(t *testing.T, r *interleave.Runner) {
		res := held(t, r, "A.SET A.PEXPIREAT +29s A.PTTL +1s A.GET +1ms A.GET A..", func(w *interleave.World) {
			w.Actor("A", func(a *interleave.Actor) error {
				rdb := a.Redis()
				start := time.Now()
				if err := rdb.Set(ctx, "k", "v", 30*time.Second).Err(); err != nil {
					return err
				}
				if err := rdb.PExpireAt(ctx, "k", start.Add(30*time.Second)).Err(); err != nil {
					return err
				}
				if ttl := rdb.PTTL(ctx, "k").Val(); ttl != time.Second {
					return check(false, "PTTL %v", ttl)
				}
				if v := rdb.Get(ctx, "k").Val(); v != "v" {
					return check(false, "gone at its very end")
				}
				if err := rdb.Get(ctx, "k").Err(); err != redis.Nil {
					return check(false, "still there: %v", err)
				}
				now, err := rdb.Time(ctx).Result()
				return errors.Join(err, check(now.Equal(start.Add(30*time.Second+time.Millisecond)), "TIME %v", now))
			})
		})
		require.Contains(t, res.Trace.String(), "k gone (was v)")
	})
}
