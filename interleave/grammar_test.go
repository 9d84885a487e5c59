package interleave

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/interleave/schedule"
)

// fitting is a world in which a token has something to mean, and what has to come before it.
func fitting(token schedule.Token) (before string, world func(*World)) {
	server := token.Server + token.Match.Server
	client := func(a *Actor) *redis.Client {
		if server != "" {
			return a.RedisOn(server)
		}
		return a.Redis()
	}
	first, then := act, func(*Actor, *redis.Client, schedule.Match) {}
	send := token.Match
	switch token.Kind {
	case schedule.Until:
		first, then = func(a *Actor, c *redis.Client, _ schedule.Match) { c.Get(a.Context(), "before") }, act
	case schedule.Arrive:
		send = schedule.Match{Command: "SET"}
		for range token.Match.Position() {
			before += "A.SET!late "
		}
	case schedule.Deliver:
		first, before = func(a *Actor, c *redis.Client, _ schedule.Match) { listen(a, c, channel(token)) }, "A.. B.. "
	case schedule.Restart, schedule.Failover, schedule.FlushScripts, schedule.Evict:
		before = "B.. "
	}
	return before, func(w *World) {
		if server != "" {
			w.Servers(server)
		}
		w.Actor("A", func(a *Actor) error {
			c := client(a)
			var all sync.WaitGroup
			for range token.Match.Position() {
				all.Go(func() { first(a, c, send) })
			}
			all.Wait()
			then(a, c, send)
			return nil
		})
		w.Actor("B", func(a *Actor) error {
			c := client(a)
			for _, key := range []string{"job:1", "job:2"} {
				c.Set(a.Context(), key, "b", 0)
			}
			c.Publish(a.Context(), channel(token), "done")
			return nil
		})
	}
}

func channel(token schedule.Token) string {
	if token.Key == "" {
		return "news"
	}
	return token.Key
}

// act sends what a token names.
func act(a *Actor, c *redis.Client, m schedule.Match) {
	keys := m.Keys
	if keys == nil {
		keys = []string{"k"}
	}
	switch m.Command {
	case schedule.Point:
		a.Point(keys[0])
	case "MGET":
		c.MGet(a.Context(), keys...)
	case "MSET":
		c.MSet(a.Context(), keys[0], "a", keys[1], "a")
	case "DEL":
		c.Del(a.Context(), keys...)
	case "SET":
		c.Set(a.Context(), keys[0], "a", 0)
	default:
		c.Get(a.Context(), keys[0])
	}
}

// listen waits for one message, a minute at most.
func listen(a *Actor, c *redis.Client, channel string) {
	s := c.Subscribe(a.Context(), channel)
	defer s.Close()
	for range 2 { // that it is subscribed, and the message
		s.ReceiveTimeout(a.Context(), time.Minute)
	}
}

// Every example of the grammar, which help and docs/schedule.md show, can be run.
func TestGrammarExamplesRun(t *testing.T) {
	r := openFor(t)
	for _, rule := range schedule.Grammar {
		s, err := schedule.Parse(rule.Example)
		require.NoError(t, err)
		before, world := fitting(s[0])
		res, err := r.Run(before+rule.Example, world)
		require.NoError(t, err)
		require.NoError(t, res.Err, "%s%s", before, rule.Example)
		switch s[0].Kind {
		case schedule.Until, schedule.Drain, schedule.Run:
			continue // these say which steps come, and are none
		}
		met := false
		for _, step := range res.Trace.Steps {
			token := step.Token()
			met = met || token.Kind == s[0].Kind && token.Fault == s[0].Fault
		}
		require.True(t, met, "%s%s: no such step", before, rule.Example)
	}
}

// So can those of constraints: each of their patterns means a step of some world, whose orders are explored.
func TestConstraintExamplesRun(t *testing.T) {
	for _, rule := range schedule.ConstraintGrammar {
		constraints, err := schedule.ParseConstraints(rule.Example)
		require.NoError(t, err)
		world := func(w *World) {
			w.Servers("r1")
			for _, name := range []string{"A", "B", "C"} {
				w.Actor(name, func(a *Actor) error {
					for _, c := range constraints {
						for _, p := range append(c.Before, c.After...) {
							if p.Actor != name && (p.Actor != schedule.AnyActor || name != "C") {
								continue
							}
							client := a.Redis()
							if p.Match.Server != "" {
								client = a.RedisOn(p.Match.Server)
							}
							act(a, client, p.Match)
						}
					}
					return nil
				})
			}
		}
		x := openFor(t, Before(rule.Example)).Explore(t.Context(), world)
		require.NoError(t, x.Err, rule.Example)
		require.True(t, x.Complete, rule.Example)
		require.Positive(t, x.Orders, rule.Example)
		res, err := openFor(t).Run("", world)
		require.NoError(t, err)
		for _, c := range constraints {
			for _, p := range append(c.Before, c.After...) {
				require.True(t, slices.ContainsFunc(res.Trace.Steps, func(s *Step) bool { return meant(p, s) }), "%s: no step is %s", rule.Example, p)
			}
		}
	}
}

// meant reports whether a step is one that a pattern names.
func meant(p schedule.Pattern, s *Step) bool {
	m := s.Token().Match
	return p.Matches(s.Actor, s.Server, m.Command, s.names)
}
