package embedded

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/racebench/racebench/interleave/backend"
)

// connectionCommands are about the connection, and would spoil the test of WATCH.
var connectionCommands = map[string]bool{"MULTI": true, "EXEC": true, "DISCARD": true, "WATCH": true, "UNWATCH": true, "RESET": true,
	"QUIT": true, "SUBSCRIBE": true, "PSUBSCRIBE": true, "SELECT": true, "HELLO": true}

// TestDifferentialWatch asks of every command whether it makes EXEC fail for who watches its keys.
func TestDifferentialWatch(t *testing.T) {
	p := newPair(t)
	aborted, went := map[string]int{}, map[string]int{}
	data := slices.DeleteFunc(slices.Clone(templates), func(l string) bool { return connectionCommands[commandOf(l)] })
	rapid.Check(t, func(t *rapid.T) {
		p.reset(t)
		stopped := false
		do := func(c int, args ...string) {
			err := p.step(c, args)
			stopped = stopped || err == errStop
			if err != nil && err != errStop {
				t.Fatalf("%v\n%s", err, strings.Join(p.log, "\n"))
			}
		}
		for range rapid.IntRange(0, 12).Draw(t, "before") {
			if do(1, drawLine(t, data)...); stopped {
				return
			}
		}
		watched := rapid.SliceOfNDistinct(rapid.SampledFrom(allKeys), 1, len(allKeys), rapid.ID[string]).Draw(t, "watched")
		do(0, append([]string{"WATCH"}, watched...)...)
		name := "the clock"
		if rapid.IntRange(0, 15).Draw(t, "what") == 0 {
			require.NoError(t, p.move(10*time.Second))
		} else {
			line := drawLine(t, data)
			name = strings.ToUpper(line[0])
			do(1, line...)
		}
		if stopped {
			return
		}
		do(0, "MULTI")
		do(0, "PING")
		do(0, "EXEC")
		if strings.HasSuffix(p.log[len(p.log)-1], `+PONG\r\n"`) {
			went[name]++
		} else {
			aborted[name]++
		}
	})
	t.Logf("EXEC did nothing after %d kinds of commands, and went on after %d", len(aborted), len(went))
}

// TestOneServerManyBubbles uses one server from several bubbles, with subscribers, and leaves no goroutine behind: a
// bubble doesn't end before its last goroutine has.
func TestOneServerManyBubbles(t *testing.T) {
	s, err := Open(backend.Config{})
	require.NoError(t, err)
	defer s.Close()
	for range 3 {
		synctest.Test(t, func(t *testing.T) {
			require.NoError(t, s.Reset(time.Now()))
			a, err := s.Open()
			require.NoError(t, err)
			b, err := s.Open()
			require.NoError(t, err)
			_, err = a.Do([]string{"SUBSCRIBE", "c"})
			require.NoError(t, err)
			_, err = b.Do([]string{"EVAL", "return redis.call('PUBLISH', 'c', 'm')", "0"})
			require.NoError(t, err)
			pushed, err := a.Pushes()
			require.NoError(t, err)
			require.Equal(t, "*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\nm\r\n", string(pushed))
		})
	}
}

// TestRefusedThoughCaught: a script can't hide by pcall that one of its commands was refused.
func TestRefusedThoughCaught(t *testing.T) {
	s, err := Open(backend.Config{})
	require.NoError(t, err)
	defer s.Close()
	c, err := s.Open()
	require.NoError(t, err)
	_, err = c.Do([]string{"EVAL", "redis.pcall('DUMP', 'k') return 1", "0"})
	var refused *backend.RefusedError
	require.ErrorAs(t, err, &refused)
	require.Contains(t, refused.Reason, "DUMP")
}
