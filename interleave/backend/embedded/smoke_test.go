package embedded

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/interleave/backend"
	"github.com/racebench/racebench/interleave/wire"
)

func TestSmoke(t *testing.T) {
	s, err := Open(backend.Config{})
	require.NoError(t, err)
	defer s.Close()
	c, err := s.Open()
	require.NoError(t, err)
	do := func(line string) string {
		raw, err := c.Do(strings.Split(line, " "))
		if err != nil {
			return err.Error()
		}
		vs, err := wire.ParseAll(raw)
		require.NoError(t, err)
		return vs[0].String()
	}
	require.Equal(t, "OK", do("SET k 1 PX 100"))
	require.Equal(t, "2", do("INCR k"))
	require.Equal(t, "100", do("PTTL k"))
	require.NoError(t, s.SetClock(time.Date(2000, 1, 1, 0, 0, 0, 100_000_000, time.UTC)))
	require.Equal(t, "0", do("PTTL k"))
	require.NoError(t, s.SetClock(time.Date(2000, 1, 1, 0, 0, 0, 101_000_000, time.UTC)))
	require.Equal(t, "-2", do("PTTL k"))
	raw, err := c.Do([]string{"EVAL", "redis.call('SET', KEYS[1], ARGV[1] .. 'x') return {redis.call('GET', KEYS[1]), 1.7}", "1", "a", "b"})
	require.NoError(t, err)
	require.Equal(t, "*2\r\n$2\r\nbx\r\n:1\r\n", string(raw))
	do("MULTI")
	do("BLPOP l 0")
	require.Equal(t, "[nil]", do("EXEC"))
}

func BenchmarkGet(b *testing.B)  { bench(b, "GET", "k") }
func BenchmarkSet(b *testing.B)  { bench(b, "SET", "k", "v") }
func BenchmarkHset(b *testing.B) { bench(b, "HSET", "h", "f", "v") }
func BenchmarkEval(b *testing.B) {
	bench(b, "EVAL", "return redis.call('SET', KEYS[1], ARGV[1])", "1", "k", "v")
}

func bench(b *testing.B, args ...string) {
	s, _ := Open(backend.Config{})
	defer s.Close()
	c, _ := s.Open()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Do(args); err != nil {
			b.Fatal(err)
		}
	}
}
