package lua_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/racebench/racebench/impl"
	"github.com/racebench/racebench/impl/impltest"
	"github.com/racebench/racebench/impl/lua"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every script there is, as it is really sent: all of its keys have one hash tag,
// and so one slot of a cluster.
func TestKeysOfEveryScriptShareASlot(t *testing.T) {
	p := impltest.NewProcess(t, impltest.OpenMini(t), impltest.OpenDatabase(t))
	recorder := impltest.Record(p.Redis)
	e := newEverything(t, p)
	ctx := t.Context()
	var err error
	e.lock, err = lua.NewStatusLock(p.Redis, impl.LockConfig{StateTTL: 300 * time.Millisecond})
	require.NoError(t, err)

	sent := map[string]bool{}
	note := func() {
		for _, words := range recorder.Take() {
			if words[0] != "EVAL" && words[0] != "EVALSHA" {
				continue
			}
			hash := words[1]
			if words[0] == "EVAL" {
				hash = redis.NewScript(words[1]).Hash()
			}
			sent[hash] = true
			n, err := strconv.Atoi(words[2])
			require.NoError(t, err)
			require.Positive(t, n)
			for _, key := range words[3 : 3+n] {
				assert.Equal(t, tag(words[3]), tag(key), "%q", words[3:3+n])
				assert.NotEmpty(t, tag(key))
			}
		}
	}
	for _, op := range operations[:3] { // start, progress, succeed
		require.NoError(t, op.call(ctx, e))
	}
	_, err = e.jobs.Apply(ctx, aJob, p.DB)
	require.Error(t, err, "the database of a process knows no transactions; the script was sent")
	token, err := e.mutex.Lock(ctx, "d")
	require.NoError(t, err)
	require.NoError(t, e.mutex.Unlock(ctx, "d", token))
	require.NoError(t, e.queue.Add(ctx, 1))
	_, err = e.queue.Work(ctx, "w1", func(context.Context, impl.Task) (string, error) { return "", errors.New("broken") })
	require.NoError(t, err)
	_, err = e.queue.Reap(ctx)
	require.NoError(t, err)
	require.NoError(t, e.lock.Do(ctx, "d", impl.Processing, func(context.Context) error {
		source, err := os.ReadFile("renew.lua")
		require.NoError(t, err)
		renew := redis.NewScript(string(source)).Hash()
		require.Eventually(t, func() bool { note(); return sent[renew] }, 10*time.Second, time.Millisecond)
		return nil
	}))
	note()

	files, err := filepath.Glob("*.lua")
	require.NoError(t, err)
	for _, file := range files {
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.True(t, sent[redis.NewScript(string(source)).Hash()], "%s was never sent", file)
	}
}

// tag is what a cluster hashes of a key.
func tag(key string) string {
	_, rest, _ := strings.Cut(key, "{")
	tag, _, found := strings.Cut(rest, "}")
	if !found {
		return ""
	}
	return tag
}
