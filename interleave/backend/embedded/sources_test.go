package embedded

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/interleave/backend"
)

// What is remembered of a script's text gives the same answer again, across resets, and stays bounded.
func TestScriptsAreReadOnce(t *testing.T) {
	opened, err := Open(backend.Config{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, opened.Close()) })
	s := opened.(*Server)
	for range 2 {
		require.NoError(t, s.Reset(time.Unix(946684800, 0)))
		conn, err := s.Open()
		require.NoError(t, err)
		_, err = conn.Do([]string{"EVAL", "return 7 / 2", "0"})
		require.NoError(t, err)
		require.Len(t, s.Notes(), 1)
		_, err = conn.Do([]string{"EVAL", "return cjson.encode({})", "0"})
		var refused *backend.RefusedError
		require.True(t, errors.As(err, &refused), "%v", err)
		require.Contains(t, refused.Reason, "cjson")
		require.Contains(t, refused.Hint, "redis-server as process")
	}
	require.Len(t, s.sources, 2)
	for i := range 2 * maxSources {
		s.read(fmt.Sprint("return ", i))
	}
	require.LessOrEqual(t, len(s.sources), maxSources)
}

// A server is abandoned while a call of it hangs.
func TestAbandon(t *testing.T) {
	s, err := Open(backend.Config{})
	require.NoError(t, err)
	s.(*Server).m.Lock()
	require.NoError(t, s.(*Server).Abandon())
}
