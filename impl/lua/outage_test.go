package lua_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/racebench/racebench/impl"
	"github.com/racebench/racebench/impl/impltest"
	"github.com/racebench/racebench/impl/lua"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// everything is each type on one client, with what each of its operations is.
type everything struct {
	jobs   *lua.Jobs
	lock   *lua.StatusLock
	mutex  *lua.Mutex
	queue  *lua.Queue
	handle impl.Handler
	p      *impltest.Process
}

func newEverything(t *testing.T, p *impltest.Process) *everything {
	t.Helper()
	e := &everything{p: p, handle: impltest.Say("said")}
	var errs [4]error
	made := 0
	e.jobs, errs[0] = lua.NewJobs(p.Redis, impl.JobsConfig{NewID: func() string { made++; return fmt.Sprint("j", made) }})
	e.lock, errs[1] = lua.NewStatusLock(p.Redis, impl.LockConfig{})
	e.mutex, errs[2] = lua.NewMutex(p.Redis, impl.LockConfig{Wait: time.Millisecond})
	e.queue, errs[3] = lua.NewQueue(p.Redis, p.DB, impl.QueueConfig{Name: "q"})
	require.NoError(t, errors.Join(errs[:]...))
	require.NoError(t, impl.MigrateTasks(t.Context(), p.DB))
	return e
}

var aJob = impl.Job{Target: "doc-1", ID: "j1"}

var operations = []struct {
	name string
	call func(ctx context.Context, e *everything) error
}{
	{"Start", func(ctx context.Context, e *everything) error { _, err := e.jobs.Start(ctx, "doc-1", 1); return err }},
	{"Progress", func(ctx context.Context, e *everything) error { return e.jobs.Progress(ctx, aJob, 0, "x") }},
	{"Succeed", func(ctx context.Context, e *everything) error { return e.jobs.Succeed(ctx, aJob) }},
	{"Fail", func(ctx context.Context, e *everything) error { return e.jobs.Fail(ctx, aJob) }},
	{"Status", func(ctx context.Context, e *everything) error { _, err := e.jobs.Status(ctx, aJob); return err }},
	{"Apply", func(ctx context.Context, e *everything) error { _, err := e.jobs.Apply(ctx, aJob, e.p.DB); return err }},
	{"Do", func(ctx context.Context, e *everything) error {
		return e.lock.Do(ctx, "d", impl.Processing, impltest.Nothing)
	}},
	{"State", func(ctx context.Context, e *everything) error { _, err := e.lock.State(ctx, "d"); return err }},
	{"Lock", func(ctx context.Context, e *everything) error { _, err := e.mutex.Lock(ctx, "d"); return err }},
	{"Unlock", func(ctx context.Context, e *everything) error { return e.mutex.Unlock(ctx, "d", "t1") }},
	{"Add", func(ctx context.Context, e *everything) error { return e.queue.Add(ctx, 1) }},
	{"Work", func(ctx context.Context, e *everything) error {
		_, err := e.queue.Work(ctx, "w1", e.handle)
		return err
	}},
	{"Reap", func(ctx context.Context, e *everything) error { _, err := e.queue.Reap(ctx); return err }},
}

// Every operation on a server that is not there, or that never answers, ends with
// the deadline of its context, and leaves no goroutine behind.
func TestRedisDownOrSilent(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, closed.Close())
	for _, server := range []struct{ name, addr string }{{"down", closed.Addr().String()}, {"silent", impltest.Mute(t)}} {
		for _, op := range operations {
			t.Run(server.name+"/"+op.name, func(t *testing.T) {
				p := impltest.NewProcess(t, redis.NewClient(&redis.Options{Addr: server.addr}), impltest.OpenDatabase(t))
				p.Redis = redis.NewClient(&redis.Options{Addr: server.addr, ContextTimeoutEnabled: true})
				t.Cleanup(func() { p.Redis.Close() })
				e := newEverything(t, p)
				e.handle = func(context.Context, impl.Task) (string, error) { t.Error("handled"); return "", nil }
				ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
				defer cancel()
				began := time.Now()
				err := op.call(ctx, e)
				assert.Less(t, time.Since(began), 2*time.Second, "below the ReadTimeout of the client, 5 s")
				var network net.Error
				assert.True(t, errors.Is(err, context.DeadlineExceeded) || errors.As(err, &network), "%v", err)
				assertNoneRuns(t)
			})
		}
	}
}

// assertNoneRuns looks for goroutines that are in package lua.
func assertNoneRuns(t *testing.T) {
	t.Helper()
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	assert.NotContains(t, string(stacks), "impl/lua.(")
}

// cutConn is a connection that is silent from a moment on.
type cutConn struct {
	net.Conn
	cut *atomic.Bool
}

func (c cutConn) Write(b []byte) (int, error) {
	if c.cut.Load() {
		return len(b), nil
	}
	return c.Conn.Write(b)
}

// A server that stops to answer while compute runs: compute is told when its
// lease may be over, Do ends, and with it the renewing.
func TestRedisFallsSilentWhileComputing(t *testing.T) {
	server, cut := miniredis.RunT(t), &atomic.Bool{}
	client := redis.NewClient(&redis.Options{Addr: server.Addr(), ReadTimeout: 20 * time.Millisecond, MaxRetries: -1,
		Dialer: func(ctx context.Context, network, addr string) (net.Conn, error) {
			conn, err := (&net.Dialer{}).DialContext(ctx, network, addr)
			return cutConn{conn, cut}, err
		}})
	defer client.Close()
	var failed atomic.Int64
	lock, err := lua.NewStatusLock(client, impl.LockConfig{StateTTL: 150 * time.Millisecond,
		OnRenewError: func(context.Context, string, error) { failed.Add(1) }})
	require.NoError(t, err)
	err = lock.Do(t.Context(), "d", impl.Processing, func(ctx context.Context) error {
		cut.Store(true)
		<-ctx.Done()
		return context.Cause(ctx)
	})
	assert.ErrorIs(t, err, impl.ErrLeaseLost)
	assert.ErrorContains(t, err, "after it was computed")
	assert.Positive(t, failed.Load(), "the caller can count them")
	assertNoneRuns(t)
}

// The connection is lost after the server has executed the first command: the
// caller can't know that, and what a second call does is what the package says.
func TestRepliesLost(t *testing.T) {
	call := map[string]func(context.Context, *everything) error{}
	for _, op := range operations {
		call[op.name] = op.call
	}
	for _, c := range []struct {
		name  string
		given func(ctx context.Context, e *everything) error // all went well until then
		lost  string                                         // the command or statement whose reply is lost
		check func(t *testing.T, e *everything, again error)
	}{
		{"Start", nil, "EVAL", func(t *testing.T, e *everything, again error) {
			assert.NoError(t, again)
			acquired, err := e.jobs.Start(t.Context(), "doc-1", 1)
			require.NoError(t, err)
			assert.True(t, acquired.Reused, "the job of the lost one")
		}},
		{"Progress", call["Start"], "EVAL", func(t *testing.T, e *everything, again error) {
			assert.NoError(t, again)
			status, err := e.jobs.Status(t.Context(), aJob)
			require.NoError(t, err)
			assert.Equal(t, 1, status.Processed)
		}},
		{"Succeed", call["Start"], "EVAL", func(t *testing.T, e *everything, again error) { assert.NoError(t, again) }},
		{"Fail", call["Start"], "EVAL", func(t *testing.T, e *everything, again error) { assert.NoError(t, again) }},
		{"Status", call["Start"], "HGETALL", func(t *testing.T, e *everything, again error) { assert.NoError(t, again) }},
		{"Do", nil, "EVAL", func(t *testing.T, e *everything, again error) {
			assert.NoError(t, again, "holders of one state do not keep each other out")
			assert.ErrorIs(t, e.lock.Do(t.Context(), "d", impl.Cancelling, impltest.Nothing), impl.ErrRefused,
				"the holder of the lost call, until its lease ends")
		}},
		{"Lock", nil, "EVAL", func(t *testing.T, e *everything, again error) {
			assert.ErrorIs(t, again, impl.ErrLockTimeout, "the lock of the lost call")
		}},
		{"Unlock", func(ctx context.Context, e *everything) error {
			return e.p.Redis.Set(ctx, "status:{d}:lock", "t1", time.Minute).Err()
		}, "EVAL",
			func(t *testing.T, e *everything, again error) { assert.ErrorIs(t, again, impl.ErrLeaseLost) }},
		{"Add", nil, "EVAL", func(t *testing.T, e *everything, again error) {
			assert.NoError(t, again)
			assert.EqualValues(t, 1, e.p.Redis.LLen(t.Context(), "queue:{q}:ready").Val())
		}},
		{"Work", call["Add"], "EVAL", doneAtOnce},
		{"Work", call["Add"], "UPDATE", doneAtOnce},
	} {
		t.Run(c.name+"/"+c.lost, func(t *testing.T) {
			p := impltest.NewProcess(t, impltest.OpenMini(t), impltest.OpenDatabase(t))
			e := newEverything(t, p)
			if c.given != nil {
				require.NoError(t, c.given(t.Context(), e))
			}
			connectionLost, lost := errors.New("connection lost"), 0
			p.Step = func(what string, after bool) error {
				if after && strings.HasPrefix(what, c.lost) && lost == 0 {
					lost++
					return connectionLost
				}
				return nil
			}
			require.ErrorIs(t, call[c.name](t.Context(), e), connectionLost)
			require.Equal(t, 1, lost)
			c.check(t, e, call[c.name](t.Context(), e))
		})
	}
}

func doneAtOnce(t *testing.T, e *everything, again error) {
	assert.NoError(t, again)
	row, _, err := impl.ReadTask(t.Context(), e.p.DB, 1)
	require.NoError(t, err)
	assert.Equal(t, impl.TaskDone, row.State)
	assert.EqualValues(t, 1, row.Attempt, "the same attempt")
}
