package embedded

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/racebench/racebench/interleave/backend"
	"github.com/racebench/racebench/interleave/wire"
)

// filling gives every key something of its type.
var filling = []string{"SET s1 5", "SET s2 a PX 5000", "HSET h1 f1 1 f2 2 f3 a", "HSET h2 f1 a", "RPUSH l1 a b c a 5", "RPUSH l2 a",
	"SADD t1 a b c d 5", "SADD t2 a", "ZADD z1 1 a 1.5 b 2 c 3 d", "ZADD z2 0 a", "XADD x1 1-1 f a", "XADD x1 1-2 f a", "XADD x1 2-0 f a"}

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
		if rapid.IntRange(0, 3).Draw(t, "filled") > 0 { // so that there is something to remove
			for _, line := range filling {
				do(1, strings.Fields(line)...)
			}
		}
		for range rapid.IntRange(0, 4).Draw(t, "before") {
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

// TestScan: a key that is there from begin to end of an iteration is returned once, whatever comes and goes meanwhile.
func TestScan(t *testing.T) {
	s, err := Open(backend.Config{})
	require.NoError(t, err)
	defer s.Close()
	c, err := s.Open()
	require.NoError(t, err)
	do := func(args ...string) wire.Value {
		raw, err := c.Do(args)
		require.NoError(t, err)
		v, _, err := wire.Parse(raw)
		require.NoError(t, err)
		return v
	}
	for i := range 20 {
		do("SET", fmt.Sprintf("k%02d", i), "v")
	}
	seen := map[string]int{}
	for cursor, n := "0", 0; n == 0 || cursor != "0"; n++ {
		v := do("SCAN", cursor, "COUNT", "3")
		cursor = v.Elems[0].Str
		for _, e := range v.Elems[1].Elems {
			seen[e.Str]++
		}
		do("DEL", fmt.Sprintf("k%02d", 2*n)) // the even ones go, others come
		do("SET", fmt.Sprintf("a%02d", n), "v")
		require.Less(t, n, 20)
	}
	for i := 1; i < 20; i += 2 {
		require.Equal(t, 1, seen[fmt.Sprintf("k%02d", i)], i)
	}
}
