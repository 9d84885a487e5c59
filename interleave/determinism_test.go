package interleave_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/internal/raced"
)

// busyWorld has what makes a program nondeterministic: goroutines, tickers, pipelines, scripts, messages.
func busyWorld(w *interleave.World) {
	script := redis.NewScript(bump)
	for _, name := range []string{"A", "B"} {
		w.Actor(name, func(a *interleave.Actor) error {
			var group sync.WaitGroup
			errs := make([]error, 3)
			for i := range errs {
				group.Go(func() {
					errs[i] = a.Redis().HSet(ctx, "h:"+a.Name(), fmt.Sprint("f", i), i).Err()
					time.Sleep(time.Duration(i) * time.Second)
					errs[i] = errors.Join(errs[i], script.Run(ctx, a.Redis(), []string{"n"}, i).Err())
				})
			}
			group.Wait()
			_, err := a.Redis().Pipelined(ctx, func(p redis.Pipeliner) error {
				p.Publish(ctx, "news", a.Name())
				p.Expire(ctx, "h:"+a.Name(), time.Minute)
				return nil
			})
			return errors.Join(append(errs, err)...)
		})
	}
	w.Actor("S", func(a *interleave.Actor) error {
		sub := a.Redis().Subscribe(ctx, "news")
		defer sub.Close()
		for {
			m, err := sub.ReceiveMessage(ctx)
			if err != nil {
				return err
			}
			a.Note("got", m.Payload)
		}
	}, interleave.Daemon())
}

// TestSameScheduleSameBytes runs one schedule a thousand times, on one processor and on several.
func TestSameScheduleSameBytes(t *testing.T) {
	runs := raced.Few(1000)
	onEach(t, func(t *testing.T, r *interleave.Runner) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
		var first string
		for i := range runs {
			runtime.GOMAXPROCS(1 + i%2*3)
			res := held(t, r, "S.SUBSCRIBE A.HSET@2 B.HSET!lost run 1s +1s B.. A.EVAL", busyWorld)
			text := res.Trace.String() + res.Trace.Schedule().String()
			if first == "" {
				first = text
			}
			require.Equal(t, first, text, "run %d", i)
		}
	})
}

func TestOtherScheduleOtherTrace(t *testing.T) {
	onEach(t, func(t *testing.T, r *interleave.Runner) {
		seen := map[string]string{}
		for _, s := range []string{"", "S.SUBSCRIBE", "A.HSET A.HSET", "B.HSET", "A.HSET@2", "A.HSET@3", "+1s", "A!crash", "A.HSET!lost"} {
			text := run(t, r, s, busyWorld).Trace.String()
			require.Empty(t, seen[text], "%q gives the trace of another", s)
			seen[text] = s + "!"
		}
	})
}

// TestTracePrintsTheScheduleOfItself: what a trace prints as its schedule makes exactly that trace again, and leaves
// nothing open.
func TestTracePrintsTheScheduleOfItself(t *testing.T) {
	schedules := []string{
		"", "S.SUBSCRIBE", "B.. A..", "A.HSET@2 A.HSET@2", "+1s B.. run 500ms", "A!crash", "A.HSET@2!crash", "B.HSET!lost A.HSET!unsent",
		"A.HSET!late B.. A.arrive", "!flushscripts A.. !restart", "S.SUBSCRIBE run 1s !evict(n) !failover(2)", "S.SUBSCRIBE run 1s +1s A.. S.deliver!drop",
	}
	onEach(t, func(t *testing.T, r *interleave.Runner) {
		for _, s := range schedules {
			first := run(t, r, s, busyWorld)
			require.NoError(t, first.Err)
			again := run(t, r, first.Trace.Schedule().String(), busyWorld)
			require.Equal(t, first.Trace.String(), again.Trace.String(), "schedule %q, printed as %q: %v", s, first.Trace.Schedule(), again.Err)
			a, err := json.Marshal(first.Trace.Steps)
			require.NoError(t, err)
			b, err := json.Marshal(again.Trace.Steps)
			require.NoError(t, err)
			require.JSONEq(t, string(a), string(b))
		}
	})
}
