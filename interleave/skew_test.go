package interleave_test

import (
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/interleave"
)

// leases are kept as the time at which they end, and whoever asks for one judges by a clock of its own.
type leases struct {
	redis *redis.Client
	now   func() time.Time
}

// takeLease is atomic, and yet no better than the clocks of those who call it.
var takeLease = redis.NewScript(`
	local ends = redis.call('GET', KEYS[1])
	if ends and tonumber(ends) > tonumber(ARGV[1]) then return 0 end
	redis.call('SET', KEYS[1], ARGV[2])
	return 1`)

func (l leases) take(d time.Duration) (bool, error) {
	now := l.now()
	n, err := takeLease.Run(ctx, l.redis, []string{"lease"}, now.Unix(), now.Add(d).Unix()).Int()
	return n == 1, err
}

// twoClocks is a world in which two processes want a lease of 30 s at the same time, and B's clock is off.
func twoClocks(off time.Duration) func(w *interleave.World) {
	return func(w *interleave.World) {
		for _, name := range []string{"A", "B"} {
			w.Actor(name, func(a *interleave.Actor) error {
				clock := a.Now
				if name == "B" && off != 0 {
					clock = a.Skew(off)
				}
				ok, err := leases{a.Redis(), clock}.take(30 * time.Second)
				if ok {
					a.Note("holds", a.Name())
				}
				return err
			})
		}
		w.Always("one holder", func(s *interleave.State) error {
			return check(len(s.Notes("holds")) <= 1, "both hold a lease of 30s at %v", s.Now())
		})
	}
}

func TestLeaseJudgedByTwoClocks(t *testing.T) {
	onEach(t, func(t *testing.T, r *interleave.Runner) {
		require.Equal(t, "all 2 orders hold", r.Explore(t.Context(), twoClocks(0)).String())
		require.Equal(t, "all 2 orders hold", r.Explore(t.Context(), twoClocks(20*time.Second)).String(), "within the lease")
		require.Equal(t, "1 of 2 orders violate, all explored", r.Explore(t.Context(), twoClocks(90*time.Second)).String())

		res := run(t, r, "A.. B..", twoClocks(90*time.Second))
		j, ok := res.Violated("one holder")
		require.True(t, ok, res.Trace.String())
		require.Equal(t, "both hold a lease of 30s at 0s", j.Detail)
		require.Equal(t, []string{"B has a clock that is 1m30s ahead"}, res.Trace.Events)
		require.Contains(t, res.Trace.Table(interleave.TableOptions{}), "│ has a clock that is 1m30s ahead")
		// Who is behind takes a lease that nobody else honours for long.
		held(t, r, "A.. B..", twoClocks(-90*time.Second))
		res = run(t, r, "B.. A..", twoClocks(-90*time.Second))
		_, ok = res.Violated("one holder")
		require.True(t, ok)
		require.Equal(t, []string{"B has a clock that is 1m30s behind"}, res.Trace.Events)
	})
}

// A clock can be put right while the process runs; timers have never followed it.
func TestSkewMovesNoTimers(t *testing.T) {
	var off []time.Duration
	res := held(t, open(t), "", func(w *interleave.World) {
		w.Actor("A", func(a *interleave.Actor) error {
			begin := time.Now()
			note := func(now time.Time) { off = append(off, now.Sub(begin)) }
			note(a.Now())
			clock := a.Skew(time.Hour)
			note(clock())
			time.Sleep(time.Minute)
			note(clock())
			if err := a.Redis().Set(ctx, "k", "v", 0).Err(); err != nil {
				return err
			}
			a.Skew(0)
			note(clock())
			return nil
		})
	})
	require.Equal(t, []time.Duration{0, time.Hour, time.Hour + time.Minute, time.Minute}, off)
	require.Equal(t, []string{"A has a clock that is 1h0m0s ahead"}, res.Trace.Events)
	require.Equal(t, []string{"A has a clock that is right", "A ends"}, res.Trace.Steps[1].Events)
}
