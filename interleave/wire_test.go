package interleave_test

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"
	"github.com/redis/rueidis"
	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/interleave/backend"
)

func TestMessagesReachRESP2Subscribers(t *testing.T) {
	onEach(t, func(t *testing.T, r *interleave.Runner) {
		res := held(t, r, "S.PSUBSCRIBE P.. S.deliver(news:2)@1 S.GET", func(w *interleave.World) {
			w.Actor("S", func(a *interleave.Actor) error {
				client := goredis.NewClient(&goredis.Options{Dialer: a.Dialer(), Protocol: 2})
				defer client.Close()
				sub := client.PSubscribe(ctx, "news:*")
				defer sub.Close()
				m, err := sub.ReceiveMessage(ctx)
				if err != nil {
					return err
				}
				if m.Payload != "hot" || m.Channel != "news:2" {
					return check(false, "got %v", m)
				}
				return check(errors.Is(client.Get(ctx, "k").Err(), goredis.Nil), "")
			})
			w.Actor("P", func(a *interleave.Actor) error { return a.Redis().Publish(ctx, "news:2", "hot").Err() })
		})
		require.Equal(t, "S receives [pmessage, news:*, news:2, hot]", res.Trace.Steps[2].Summary())
	})
}

func TestBlockingInsideATransactionDoesNotWait(t *testing.T) {
	onEach(t, func(t *testing.T, r *interleave.Runner) {
		res := held(t, r, "A.EXEC", func(w *interleave.World) {
			w.Actor("A", func(a *interleave.Actor) error {
				_, err := a.Redis().TxPipelined(ctx, func(p goredis.Pipeliner) error {
					p.BLPop(ctx, 0, "q")
					p.Set(ctx, "k", "v", 0)
					return nil
				})
				return check(errors.Is(err, goredis.Nil), "%v", err)
			})
		})
		require.Equal(t, "A EXEC {BLPOP q 0; SET k v} → [nil, OK]", res.Trace.Steps[0].Summary())
	})
}

func TestWaitIsAnsweredWhenItsTimeHasPassed(t *testing.T) {
	r := open(t, interleave.Redis("process"))
	res := held(t, r, "", func(w *interleave.World) {
		w.Actor("A", func(a *interleave.Actor) error {
			n, err := a.Redis().Wait(ctx, 1, 5*time.Second).Result()
			return errors.Join(err, check(n == 0, "%d replicas", n))
		})
	})
	require.Equal(t, []string{"clock +5s", "A WAIT 1 5000 → 0"}, steps(res))
}

// TestInvalidationsAreMessages: rueidis keeps values in the client, and the server tells it when they change.
func TestInvalidationsAreMessages(t *testing.T) {
	r := open(t, interleave.Redis("process"))
	res := held(t, r, "C.EXEC W.SET C.deliver C.GET", func(w *interleave.World) {
		w.Fail(w.Redis().Set(ctx, "k", "old", 0).Err())
		w.Actor("C", func(a *interleave.Actor) error {
			c, err := rueidis.NewClient(rueidis.ClientOption{
				InitAddress: []string{"interleave:6379"}, ForceSingleClient: true,
				DialCtxFn: func(ctx context.Context, addr string, d *net.Dialer, _ *tlsConfig) (net.Conn, error) {
					return a.Dialer()(ctx, "tcp", addr)
				},
			})
			if err != nil {
				return err
			}
			defer c.Close()
			for range 2 { // the second is answered from the cache, until the message has come
				v, err := c.DoCache(ctx, c.B().Get().Key("k").Cache(), time.Minute).ToString()
				if err != nil {
					return err
				}
				a.Note("read", v)
			}
			return c.Do(ctx, c.B().Get().Key("k").Build()).Error()
		})
		w.Actor("W", func(a *interleave.Actor) error { return a.Redis().Set(ctx, "k", "new", 0).Err() })
	})
	require.Equal(t, []interleave.Note{{Actor: "C", Key: "read", Value: "old"}, {Actor: "C", Key: "read", Value: "old"}}, res.Trace.Notes)
	require.Contains(t, res.Trace.String(), "C receives [invalidate, [k]]")
}

// TestReplyThatNeverComes: a server that hangs is an error of the backend, in real time.
func TestReplyThatNeverComes(t *testing.T) {
	r := open(t, interleave.Redis("process"), interleave.Backend(backend.Config{ReplyTimeout: 300 * time.Millisecond}))
	res := run(t, r, "", func(w *interleave.World) {
		w.Actor("A", func(a *interleave.Actor) error {
			return a.Redis().Eval(ctx, "while true do end", nil).Err()
		})
	})
	var gone *backend.UnavailableError
	require.ErrorAs(t, res.Err, &gone)
	require.ErrorContains(t, res.Err, "did not answer")
}

func TestNumberedDatabases(t *testing.T) {
	onEach(t, func(t *testing.T, r *interleave.Runner) {
		res := held(t, r, "A..", func(w *interleave.World) {
			w.Actor("A", func(a *interleave.Actor) error {
				client := goredis.NewClient(&goredis.Options{Dialer: a.Dialer(), DB: 3})
				defer client.Close()
				return client.Set(ctx, "k", "v", time.Minute).Err()
			})
		})
		require.Equal(t, "db3:k", res.Trace.After[0].Key)
		require.Equal(t, "A SET k v ex 60 → OK", res.Trace.Steps[0].Summary())
	})
}

// TestClientKill: a connection that another client has closed is lost, and the client makes a new one.
func TestClientKill(t *testing.T) {
	r := open(t, interleave.Redis("process"))
	res := held(t, r, "A.SET B.GET A.INCR", func(w *interleave.World) {
		w.Actor("A", func(a *interleave.Actor) error {
			if err := a.Redis().Set(ctx, "id", a.Redis().ClientID(ctx).Val(), 0).Err(); err != nil {
				return err
			}
			return a.Redis().Incr(ctx, "n").Err()
		})
		w.Actor("B", func(a *interleave.Actor) error {
			id, err := a.Redis().Get(ctx, "id").Result()
			if err != nil {
				return err
			}
			return a.Redis().ClientKillByFilter(ctx, "ID", id).Err()
		})
	})
	require.Contains(t, res.Trace.String(), "A INCR n → connection closed by the server")
	require.Equal(t, "1", final(res)["n"])
}
