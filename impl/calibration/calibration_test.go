package calibration_test

import (
	"context"
	"testing"

	"github.com/racebench/racebench/impl/calibration"
	"github.com/racebench/racebench/impl/impltest"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Called one after the other, both versions of everything do the same.
func onEach(t *testing.T, do func(t *testing.T, ctx context.Context, rdb *redis.Client)) {
	for _, b := range impltest.Backends(t) {
		t.Run(b.Name, func(t *testing.T) { do(t, context.Background(), b.Open(t)) })
	}
}

func TestCounter(t *testing.T) {
	onEach(t, func(t *testing.T, ctx context.Context, rdb *redis.Client) {
		c := calibration.NewCounter(rdb, "{x}:counter")
		for range 2 {
			require.NoError(t, c.Add(ctx))
			require.NoError(t, c.Incr(ctx))
			require.NoError(t, c.AddScript(ctx))
		}
		assert.Equal(t, "6", rdb.Get(ctx, "{x}:counter").Val())
		require.NoError(t, rdb.Set(ctx, "{x}:counter", "six", 0).Err())
		for _, add := range []func(context.Context) error{c.Add, c.Incr, c.AddScript} {
			assert.ErrorContains(t, add(ctx), "add to {x}:counter: ")
		}
	})
}

func TestLog(t *testing.T) {
	onEach(t, func(t *testing.T, ctx context.Context, rdb *redis.Client) {
		l := calibration.NewLog(rdb, "{x}:a")
		require.NoError(t, l.Write(ctx, 2))
		require.NoError(t, l.Write(ctx, 1))
		assert.Equal(t, map[string]string{"line 1": "done", "line 2": "done", "line 3": "done"}, rdb.HGetAll(ctx, "{x}:a:log").Val())
	})
}

func TestLock(t *testing.T) {
	onEach(t, func(t *testing.T, ctx context.Context, rdb *redis.Client) {
		const key = "{x}:lock"
		a, b := calibration.NewLock(rdb, key, "a"), calibration.NewLock(rdb, key, "b")
		releases := map[string]func(*calibration.Lock, context.Context) (bool, error){
			"Release": (*calibration.Lock).Release, "ReleaseScript": (*calibration.Lock).ReleaseScript,
		}
		for name, release := range releases {
			t.Run(name, func(t *testing.T) {
				is := func(want bool) func(bool, error) {
					return func(got bool, err error) {
						t.Helper()
						require.NoError(t, err)
						require.Equal(t, want, got)
					}
				}
				is(false)(release(a, ctx))
				is(true)(a.Take(ctx))
				is(false)(a.Take(ctx))
				is(false)(b.Take(ctx))
				is(false)(release(b, ctx))
				from, err := b.TakeOver(ctx)
				require.NoError(t, err)
				require.Equal(t, "a", from)
				is(false)(release(a, ctx))
				require.Equal(t, "b", rdb.Get(ctx, key).Val())
				is(true)(release(b, ctx))
				require.Zero(t, rdb.Exists(ctx, key).Val())
				from, err = b.TakeOver(ctx)
				require.NoError(t, err)
				require.Empty(t, from)
				is(true)(release(b, ctx))
			})
		}
	})
}

func TestRota(t *testing.T) {
	onEach(t, func(t *testing.T, ctx context.Context, rdb *redis.Client) {
		r := calibration.NewRota(rdb, "{x}:a", "{x}:b")
		for name, leave := range map[string]func(context.Context, string) (bool, error){"Leave": r.Leave, "LeaveScript": r.LeaveScript} {
			t.Run(name, func(t *testing.T) {
				require.NoError(t, rdb.MSet(ctx, "{x}:a", calibration.OnCall, "{x}:b", calibration.OnCall).Err())
				left, err := leave(ctx, "{x}:a")
				require.NoError(t, err)
				require.True(t, left)
				left, err = leave(ctx, "{x}:b")
				require.NoError(t, err)
				require.False(t, left, "the last one stays")
				require.Equal(t, []any{calibration.OffCall, calibration.OnCall}, rdb.MGet(ctx, "{x}:a", "{x}:b").Val())
			})
		}
	})
}

func TestErrorsSayWhere(t *testing.T) {
	rdb := impltest.OpenMini(t)
	require.NoError(t, rdb.Close())
	ctx := context.Background()
	lock, rota := calibration.NewLock(rdb, "k", "a"), calibration.NewRota(rdb, "p", "q")
	_, took := lock.Take(ctx)
	_, over := lock.TakeOver(ctx)
	_, gave := lock.Release(ctx)
	_, gaveScript := lock.ReleaseScript(ctx)
	_, left := rota.Leave(ctx, "p")
	_, leftScript := rota.LeaveScript(ctx, "p")
	for want, err := range map[string]error{
		"take k: ": took, "take over k: read: ": over, "release k: read: ": gave, "release k: ": gaveScript,
		"leave p: read p: ": left, "leave p: ": leftScript, "log to n:log: ": calibration.NewLog(rdb, "n").Write(ctx, 1),
	} {
		require.ErrorContains(t, err, want)
	}
}
