package interleave_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/interleave/backend"
	"github.com/racebench/racebench/interleave/backend/process"
)

// quorum is a lock that is held by whoever has set it on most of the servers.
type quorum []*redis.Client

func (q quorum) acquire(ctx context.Context, token string) (bool, error) {
	got := 0
	for _, c := range q {
		ok, err := c.SetNX(ctx, "lock", token, time.Minute).Result()
		if err != nil {
			return false, err
		}
		if ok {
			got++
		}
		if got > len(q)/2 {
			return true, nil
		}
	}
	return false, nil
}

var members = []string{"r1", "r2", "r3"}

// twoHolders is a world in which two processes want the same quorum lock and keep it.
func twoHolders(w *interleave.World) {
	w.Servers(members...)
	for _, name := range []string{"A", "B"} {
		w.Actor(name, func(a *interleave.Actor) error {
			var q quorum
			for _, m := range members {
				q = append(q, a.RedisOn(m))
			}
			ok, err := q.acquire(a.Context(), a.Name())
			if ok {
				a.Note("holds", a.Name())
			}
			return err
		})
	}
	w.Always("one holder", func(s *interleave.State) error {
		n := len(s.Notes("holds"))
		return check(n <= 1, "%d hold the lock", n)
	})
}

func TestQuorumLosesAMember(t *testing.T) {
	var traces []string
	onEach(t, func(t *testing.T, r *interleave.Runner) {
		res := held(t, r, "A.. B..", twoHolders)
		require.Equal(t, []string{
			"A SET@r1 lock A ex 60 nx → OK", "A SET@r2 lock A ex 60 nx → OK",
			"B SET@r1 lock B ex 60 nx → nil", "B SET@r2 lock B ex 60 nx → nil", "B SET@r3 lock B ex 60 nx → OK",
		}, steps(res))
		require.Equal(t, []string{"r1/lock"}, res.Trace.Steps[0].Keys)
		text := res.Trace.String()

		// r2 comes back without what it had promised to A.
		res = run(t, r, "A.. !restart@r2 B..", twoHolders)
		j, ok := res.Violated("one holder")
		require.True(t, ok, res.Trace.String())
		require.Equal(t, "2 hold the lock", j.Detail)
		require.Equal(t, "A.SET@r1 A.SET@r2 !restart@r2 B.SET@r1 B.SET@r2 B.SET@r3", res.Trace.Schedule().String())
		require.Equal(t, "server r2 restart", res.Trace.Steps[2].Summary())
		require.Equal(t, "r2/lock gone (was A)", res.Trace.Steps[2].Changes[0].String())
		require.Equal(t, "!restart@r2 (without it everything holds)", r.Decide(res, twoHolders).Text)
		require.Contains(t, r.Explain(t.Context(), res, twoHolders).Story, "Then server r2 restarts and has lost its memory. Then B sets r2/lock to B")
		text += res.Trace.String() + res.Trace.Table(interleave.TableOptions{})
		data, err := res.Trace.Steps[2].MarshalJSON()
		require.NoError(t, err)
		require.Contains(t, string(data), `"server":"r2"`)

		again := run(t, r, res.Trace.Schedule().String(), twoHolders)
		require.Equal(t, res.Trace.String(), again.Trace.String())
		traces = append(traces, text)
	})
	for _, other := range traces {
		require.Equal(t, traces[0], other, "the same on every backend")
	}
}

// Without a fault a quorum of three is a lock, in every order.
func TestQuorumHolds(t *testing.T) {
	x := open(t).Explore(t.Context(), twoHolders)
	require.Equal(t, interleave.Held, x.Outcome(), x.String())
	require.Greater(t, x.Orders, 3)
}

// A member that forgets is found without a schedule.
func TestQuorumRestartIsFound(t *testing.T) {
	onEach(t, func(t *testing.T, r *interleave.Runner) {
		b, _ := r.Backend()
		x := open(t, interleave.Redis(b), interleave.Faults("restart:1")).Explore(t.Context(), twoHolders)
		require.Equal(t, interleave.Violated, x.Outcome(), x.String())
		require.Equal(t, "one holder", x.Found[0].What)
		require.Regexp(t, `!restart@r[123]`, x.Found[0].First.Trace.Schedule().String())
		res := run(t, r, x.Found[0].First.Trace.Schedule().String(), twoHolders)
		_, ok := res.Violated("one holder")
		require.True(t, ok)
	})
}

// independent is a world of two processes on two servers: nothing that one does can matter to the other.
func independent(w *interleave.World) {
	w.Servers("x", "y")
	for _, server := range []string{"x", "y"} {
		w.Actor("on-"+server, func(a *interleave.Actor) error {
			for range 3 {
				if err := a.RedisOn(server).Incr(ctx, "n").Err(); err != nil {
					return err
				}
			}
			return nil
		})
	}
	w.Finally("three on each", func(s *interleave.State) error {
		for _, server := range []string{"x", "y"} {
			if got := s.On(server).Entry("n").Text(); got != "3" {
				return errors.New(server + " has " + got)
			}
			if got, err := s.On(server).Redis().Get(s.Context(), "n").Result(); got != "3" || err != nil {
				return errors.New(server + " answers " + got)
			}
			if keys := s.On(server).Keys("*"); len(keys) != 1 {
				return errors.New("keys of another server are seen")
			}
		}
		return check(len(s.Keys("*")) == 0 && s.Entry("n") == nil, "the server without a name has keys")
	})
}

func TestServersAreIndependent(t *testing.T) {
	onEach(t, func(t *testing.T, r *interleave.Runner) {
		x := r.Explore(t.Context(), independent)
		require.Equal(t, "all 1 orders hold", x.String())
	})
}

// Each server has connections, scripts, journal and keys of its own, and all have the world's clock.
func TestFaultsOfOneServer(t *testing.T) {
	world := func(w *interleave.World) {
		w.Servers("r1", "r2")
		for _, name := range []string{"r1", "r2"} {
			w.Fail(w.RedisOn(name).Set(ctx, "old", name, time.Minute).Err())
		}
		w.Fail(w.Redis().Set(ctx, "old", "none", time.Minute).Err())
		w.Actor("A", func(a *interleave.Actor) error {
			script := redis.NewScript("return redis.call('INCR', KEYS[1])")
			for range 2 {
				for _, name := range []string{"r1", "r2"} {
					if err := script.Run(ctx, a.RedisOn(name), []string{"n"}).Err(); err != nil {
						return err
					}
				}
			}
			return a.Redis().Set(ctx, "last", "A", 0).Err()
		})
	}
	left := func(res *interleave.Result) map[string]string {
		m := map[string]string{}
		for _, k := range res.Trace.After {
			m[k.Key] = k.Value.Text()
		}
		return m
	}
	onEach(t, func(t *testing.T, r *interleave.Runner) {
		res := held(t, r, "A..", world)
		require.Equal(t, map[string]string{"old": "none", "last": "A", "r1/old": "r1", "r1/n": "2", "r2/old": "r2", "r2/n": "2"}, left(res))
		require.Equal(t, "A.EVAL@r1 A.EVAL@r2 A.EVAL@r1 A.EVAL@r2 A.SET", res.Trace.Schedule().String())

		res = held(t, r, "A.. !failover@r2(2)", world)
		require.Equal(t, map[string]string{"old": "none", "last": "A", "r1/old": "r1", "r1/n": "2", "r2/old": "r2"}, left(res))
		res = held(t, r, "A.. !restart", world)
		require.Equal(t, map[string]string{"r1/old": "r1", "r1/n": "2", "r2/old": "r2", "r2/n": "2"}, left(res))
		res = held(t, r, "A.. !evict@r1(n) !evict(old)", world)
		require.Equal(t, map[string]string{"last": "A", "r1/old": "r1", "r2/old": "r2", "r2/n": "2"}, left(res))
		require.Equal(t, "!evict@r1(n) !evict(old)", res.Trace.Schedule()[5:].String())
		res = held(t, r, "A.EVAL A.EVAL !flushscripts@r1 A.EVAL A.EVAL A.SET", world)
		require.Len(t, res.Trace.Steps, 6)
		res = held(t, r, "A.EVAL A.EVAL !restart@r1 A.EVAL A.EVAL A.SET", world)
		require.Equal(t, "1", left(res)["r1/n"])
		require.Equal(t, "2", left(res)["r2/n"], "its connection has not been dropped")

		res = held(t, r, "A.. +2m", world)
		require.Equal(t, map[string]string{"last": "A", "r1/n": "2", "r2/n": "2"}, left(res), "all clocks move")
		require.Len(t, res.Trace.Steps[5].Changes, 3)

		for schedule, want := range map[string]string{
			"!restart@r9":         "expected a server r9, found only the one without a name, r1, r2",
			"!evict@r1(last)":     "no such key",
			"A.SET@r1":            "expected A SET on r1, found A waiting with EVAL@r1",
			"A.EVAL@r2":           "expected A EVAL on r2, found A waiting with EVAL@r1",
			"!failover@r2(1)":     "expected 1 writes to lose, found 0 so far",
			"A..EVAL@r2 A@r1":     "expected A with an operation on r1, found A waiting with EVAL@r2",
			"A.. !failover@r1(3)": "expected 3 writes to lose, found 2 so far",
		} {
			res := run(t, r, schedule, world)
			require.ErrorContains(t, res.Err, want, schedule)
		}
		res = run(t, r, "!restart", twoHolders)
		require.ErrorContains(t, res.Err, "token 1, !restart): expected a server without a name, found only r1, r2, r3, to be named with @")
	})
}

func TestConstraintsNameServers(t *testing.T) {
	r := open(t, interleave.Before("B.SET@r2 < A.SET@r2"))
	res := held(t, r, "", twoHolders)
	require.Equal(t, "A.SET@r1 B.SET@r1 B.SET@r2 A.SET@r2 B.SET@r3 A.SET@r3", res.Trace.Schedule().String())
}

// A world with few servers after one with many, and other names: the servers are used again and are empty.
func TestServersAreUsedAgain(t *testing.T) {
	onEach(t, func(t *testing.T, r *interleave.Runner) {
		held(t, r, "A.. B..", twoHolders)
		res := held(t, r, "", independent)
		require.Empty(t, res.Trace.Before)
		held(t, r, "", oneActor)
		res = held(t, r, "A.. B..", twoHolders)
		require.Len(t, res.Trace.Steps, 5)
	})
}

func TestBadServers(t *testing.T) {
	r := open(t)
	for want, build := range map[string]func(w *interleave.World){
		`server "1": a name begins with a letter or _`:                 func(w *interleave.World) { w.Servers("1") },
		"a server needs a name":                                        func(w *interleave.World) { w.Servers("") },
		"two servers are named r1":                                     func(w *interleave.World) { w.Servers("r1", "r1") },
		`there is no server "r2", only the one without a name, r1`:     func(w *interleave.World) { w.Servers("r1"); w.RedisOn("r2") },
		`there is no server "r3", only the one without a name: World.`: func(w *interleave.World) { w.RedisOn("r3") },
	} {
		res := run(t, r, "", func(w *interleave.World) { oneActor(w); build(w) })
		require.ErrorContains(t, res.Err, want)
	}
	for _, use := range []func(a *interleave.Actor) error{
		func(a *interleave.Actor) error { return a.RedisOn("r9").Get(ctx, "k").Err() },
		func(a *interleave.Actor) error { _, err := a.DialerOn("r9")(ctx, "tcp", "x"); return err },
	} {
		var err error
		res := run(t, r, "", func(w *interleave.World) {
			w.Actor("A", func(a *interleave.Actor) error { err = use(a); return err })
		})
		require.ErrorContains(t, res.Err, `there is no server "r9", only the one without a name: World.Servers names them`)
		require.ErrorContains(t, err, "no server")
	}
	res := run(t, r, "", func(w *interleave.World) {
		w.Actor("A", func(*interleave.Actor) error { w.Servers("late"); return nil })
	})
	require.ErrorContains(t, res.Err, "a server was added after the start of the world")
	res = run(t, r, "", func(w *interleave.World) {
		oneActor(w)
		w.Finally("looks elsewhere", func(s *interleave.State) error { s.On("r9"); return nil })
	})
	require.ErrorContains(t, res.Err, `State.On: there is no server "r9"`)
}

// A server that somebody else owns is one server.
func TestServersNeedThrowawayOnes(t *testing.T) {
	s, err := process.Open(backend.Config{ShiftClock: true})
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { s.Close() }) // after the runner
	url := "unix://" + s.(*process.Server).Addr().String()
	res := run(t, open(t, interleave.Redis(url)), "", twoHolders)
	var refused *backend.RefusedError
	require.ErrorAs(t, res.Err, &refused)
	require.Equal(t, "backend url refuses a second server: it is one server, and each that a world names is one of its own", refused.Error())
	require.Equal(t, "use embedded, process or container", refused.Hint)
}

// A state made by hand has the keys of a server by the name that traces give them.
func TestMadeStateOn(t *testing.T) {
	s := interleave.NewState(&interleave.Trace{}, []interleave.KeyState{{Key: "r1/k", Value: &interleave.Entry{Type: "string", Items: []string{"v"}}}, {Key: "k"}}, 0, true)
	require.Equal(t, []string{"k"}, s.On("r1").Keys("*"))
	require.Equal(t, "v", s.On("r1").Entry("k").Text())
	require.Nil(t, s.On("r1").Redis())
}
