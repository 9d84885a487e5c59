package interleave_test

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/gomodule/redigo/redis"
	goredis "github.com/redis/go-redis/v9"
	"github.com/redis/rueidis"
	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/interleave"
)

// counter is a read and a write on one key, through some client.
type counter interface {
	get(context.Context) (int, error)
	set(context.Context, int) error
	close()
}

// clients are the Redis clients of Go that pass the gate unchanged.
var clients = map[string]func(a *interleave.Actor) (counter, error){
	"go-redis RESP3": func(a *interleave.Actor) (counter, error) { return goRedis{a.Redis()}, nil },
	"go-redis RESP2": func(a *interleave.Actor) (counter, error) {
		return goRedis{goredis.NewClient(&goredis.Options{Dialer: a.Dialer(), Protocol: 2})}, nil
	},
	"rueidis": func(a *interleave.Actor) (counter, error) {
		c, err := rueidis.NewClient(rueidis.ClientOption{
			InitAddress:       []string{"interleave:6379"},
			DisableCache:      true, // the embedded server has no client tracking
			ForceSingleClient: true,
			DialCtxFn: func(ctx context.Context, addr string, d *net.Dialer, _ *tlsConfig) (net.Conn, error) {
				return a.Dialer()(ctx, "tcp", addr)
			},
		})
		return viaRueidis{c}, err
	},
	"redigo": func(a *interleave.Actor) (counter, error) {
		c, err := redis.DialContext(a.Context(), "tcp", "interleave:6379", redis.DialContextFunc(a.Dialer()))
		return viaRedigo{c}, err
	},
}

type goRedis struct{ c *goredis.Client }

func (c goRedis) get(ctx context.Context) (int, error) {
	n, err := c.c.Get(ctx, "n").Int()
	if errors.Is(err, goredis.Nil) {
		err = nil
	}
	return n, err
}
func (c goRedis) set(ctx context.Context, n int) error { return c.c.Set(ctx, "n", n, 0).Err() }
func (c goRedis) close()                               { c.c.Close() }

type viaRueidis struct{ c rueidis.Client }

func (c viaRueidis) get(ctx context.Context) (int, error) {
	n, err := c.c.Do(ctx, c.c.B().Get().Key("n").Build()).AsInt64()
	if rueidis.IsRedisNil(err) {
		err = nil
	}
	return int(n), err
}
func (c viaRueidis) set(ctx context.Context, n int) error {
	return c.c.Do(ctx, c.c.B().Set().Key("n").Value(itoa(n)).Build()).Error()
}
func (c viaRueidis) close() { c.c.Close() }

type viaRedigo struct{ c redis.Conn }

func (c viaRedigo) get(ctx context.Context) (int, error) {
	n, err := redis.Int(redis.DoContext(c.c, ctx, "GET", "n"))
	if errors.Is(err, redis.ErrNil) {
		err = nil
	}
	return n, err
}
func (c viaRedigo) set(ctx context.Context, n int) error {
	_, err := redis.DoContext(c.c, ctx, "SET", "n", n)
	return err
}
func (c viaRedigo) close() { c.c.Close() }

// lostUpdate is a counter that two actors read and then write.
func lostUpdate(client func(a *interleave.Actor) (counter, error)) func(*interleave.World) {
	return func(w *interleave.World) {
		for _, name := range []string{"A", "B"} {
			w.Actor(name, func(a *interleave.Actor) error {
				c, err := client(a)
				if err != nil {
					return err
				}
				defer c.close()
				n, err := c.get(a.Context())
				if err != nil {
					return err
				}
				return c.set(a.Context(), n+1)
			})
		}
		w.Finally("no lost update", func(s *interleave.State) error {
			return check(s.Entry("n").Text() == "2", "n = %s", s.Entry("n"))
		})
	}
}

func TestEveryClientPassesTheGate(t *testing.T) {
	onEach(t, func(t *testing.T, r *interleave.Runner) {
		for name, client := range clients {
			t.Run(name, func(t *testing.T) {
				held(t, r, "A.. B..", lostUpdate(client))
				res := run(t, r, "A.GET B.GET A.SET B.SET", lostUpdate(client))
				require.NoError(t, res.Err)
				lost, violated := res.Violated("no lost update")
				require.True(t, violated)
				require.Equal(t, "n = 1", lost.Detail)
				require.Equal(t, []string{"A GET n → nil", "B GET n → nil", "A SET n 1 → OK", "B SET n 1 → OK"}, steps(res))
			})
		}
	})
}

// TestEveryClientSurvivesTheEnd ends worlds in the middle of what each client does: by a crash, and while it waits.
func TestEveryClientSurvivesTheEnd(t *testing.T) {
	onEach(t, func(t *testing.T, r *interleave.Runner) {
		for name, client := range clients {
			for _, schedule := range []string{"A!crash", "A.GET!crash", "A.GET A.SET!crash", "A.GET!lost", "A.GET!unsent", "A.GET!late", "!restart"} {
				t.Run(name+" "+schedule, func(t *testing.T) {
					res := run(t, r, schedule, lostUpdate(client))
					require.NoError(t, res.Err, "%s", res.Trace)
				})
			}
		}
	})
}

func TestReadTimeoutCanBePutBack(t *testing.T) {
	world := func(w *interleave.World) {
		w.Actor("A", func(a *interleave.Actor) error { return a.Redis().Incr(ctx, "n").Err() })
	}
	plain := open(t, interleave.Redis(backends()[0]))
	require.Equal(t, []string{"clock +1m0s", "A INCR n → 1"}, steps(held(t, plain, "+1m A..", world)))

	// With a read timeout the client gives up, asks again, and the first command is still on its way.
	impatient := open(t, interleave.Redis(backends()[0]), interleave.ClientOptions(func(o *goredis.Options) { o.ReadTimeout = 3 * time.Second }))
	res := held(t, impatient, "+4s A.INCR A.arrive", world)
	require.Equal(t, []string{"clock +4s", "A INCR n → 1", "A late INCR n → 2"}, steps(res))
}
