package process

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/racebench/racebench/interleave/backend"
	"github.com/racebench/racebench/interleave/backend/remote"
	"github.com/racebench/racebench/internal/require"
)

// timeScripts have to do with time in each of the ways that scripts have.
var timeScripts = []string{
	"return redis.call('TIME')",
	"local t = redis.call('TIME') return redis.call('ZADD', KEYS[1] .. 'z', t[1], t[2])",
	"redis.call('SET', KEYS[1], 'x') return redis.call('PEXPIRE', KEYS[1], ARGV[1])",
	"return redis.call('SET', KEYS[1], 'x', 'NX', 'PX', ARGV[1])",
	"return {redis.call('TTL', KEYS[1]), redis.call('PTTL', KEYS[1]), redis.call('EXISTS', KEYS[1])}",
	"return redis.call('EXPIREAT', KEYS[1], 946684800 + 20)",
	"return redis.call(ARGV[2], KEYS[1])",
	"redis.call('SETEX', KEYS[1], 3, 'v') return redis.call('PEXPIRETIME', KEYS[1])",
	"return redis.pcall('SET', KEYS[1], 'x', 'EX', 'no number')",
	"return redis.call('XADD', KEYS[1] .. 's', '*', 'f', 'v')",
	"return redis.call('GET', KEYS[1])",
}

// drawTimed draws a command that sets, reads or depends on a deadline.
func drawTimed(t *rapid.T) []string {
	key := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "key")
	sec := strconv.Itoa(rapid.IntRange(-2, 30).Draw(t, "sec"))
	ms := strconv.Itoa(rapid.IntRange(-500, 9000).Draw(t, "ms"))
	at := strconv.FormatInt(remote.Epoch.Unix()+int64(rapid.IntRange(-3, 60).Draw(t, "at")), 10)
	flag := rapid.SampledFrom([]string{"NX", "XX", "GT", "LT"}).Draw(t, "flag")
	script := rapid.SampledFrom(timeScripts).Draw(t, "script")
	return rapid.SampledFrom([][]string{
		{"SET", key, "1"}, {"SET", key, "1", "PX", ms}, {"set", key, "1", "ex", sec, "nx"}, {"SET", key, "2", "KEEPTTL"},
		{"SET", key, "1", "EXAT", at}, {"SET", key, "1", "PXAT", at + "250", "GET"}, {"SET", key, "1", "EX", "x"},
		{"SETEX", key, sec, "v"}, {"PSETEX", key, ms, "v"}, {"SETNX", key, "v"},
		{"GETEX", key, "PX", ms}, {"GETEX", key, "EXAT", at}, {"GETEX", key, "PERSIST"}, {"GETEX", key},
		{"EXPIRE", key, sec}, {"EXPIRE", key, sec, flag}, {"PEXPIRE", key, ms}, {"EXPIREAT", key, at},
		{"EXPIREAT", key, at, flag}, {"PEXPIREAT", key, at + "000"}, {"PERSIST", key}, {"EXPIRE", key, "soon"}, {"EXPIRE", key},
		{"TTL", key}, {"PTTL", key}, {"EXPIRETIME", key}, {"PEXPIRETIME", key}, {"TIME"}, {"TIME", "x"}, {"TTL"},
		{"GET", key}, {"EXISTS", key}, {"DBSIZE"}, {"DEL", key}, {"INCR", key}, {"RENAME", key, "b"}, {"COPY", key, "c"},
		{"XADD", "s", "*", "f", "v"}, {"XADD", "s", "MAXLEN", "~", "5", "*", "f", "v"}, {"XADD", "s", at + "000-7", "f", "v"},
		{"XRANGE", "s", "-", "+"},
		{"EVAL", script, "1", key, ms, "PTTL"}, {"EVAL", script, "1", key, ms, "TTL"}, {"EVAL", script, "3", key, ms},
		{"MULTI"}, {"EXEC"}, {"EXEC"}, {"DISCARD"}, {"WATCH", key}, {"UNWATCH"},
	}).Draw(t, "command")
}

// A server with shifted expiry can't be told from one with a virtual wall clock.
func TestShiftIsVirtual(t *testing.T) {
	virtual, shifted := open(t, backend.Config{}), open(t, backend.Config{ShiftClock: true})
	if virtual.ClockMode() != "virtual" {
		require.Missing(t, "cc", "no virtual wall clock to compare with", "apt-get install gcc libc6-dev")
	}
	rapid.Check(t, func(t *rapid.T) {
		servers := []*Server{virtual, shifted}
		var conns [2][2]backend.Conn
		for i, s := range servers {
			if err := s.Reset(remote.Epoch); err != nil {
				t.Fatal(err)
			}
			for j := range conns[i] {
				conns[i][j], _ = s.Open()
			}
		}
		now := remote.Epoch
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			if rapid.IntRange(0, 3).Draw(t, "move") == 0 {
				now = now.Add(time.Duration(rapid.IntRange(1, 12_000).Draw(t, "by")) * time.Millisecond)
				for _, s := range servers {
					if err := s.SetClock(now); err != nil {
						t.Fatal(err)
					}
				}
			}
			who := rapid.IntRange(0, 1).Draw(t, "conn")
			args := drawTimed(t)
			want, errA := conns[0][who].Do(args)
			got, errB := conns[1][who].Do(args)
			if errB != nil && errA == nil {
				// The one thing that is refused: a transaction whose commands were queued at another time.
				t.Logf("%q: %v", args, errB)
				return
			}
			if string(got) != string(want) || (errA == nil) != (errB == nil) {
				t.Fatalf("%q at +%s: shifted answers %q %v, virtual %q %v", args, now.Sub(remote.Epoch), got, errB, want, errA)
			}
		}
	})
}

func TestShiftNotes(t *testing.T) {
	s := open(t, backend.Config{ShiftClock: true})
	c := conn(t, s)
	if s.ClockMode() != "shifted" {
		t.Fatal(s.ClockMode())
	}
	do(t, c, "EVAL", "return redis.call('GET', 'k')", "0")
	if notes := s.Notes(); len(notes) != 0 {
		t.Fatal(notes)
	}
	do(t, c, "EVAL", "return redis.pcall(\"time\")", "0")
	if notes := fmt.Sprint(s.Notes()); notes != "[a script reads TIME; it was given the virtual time by rewriting the script, since the server keeps its own clock]" {
		t.Fatal(notes)
	}
	s.Reset(remote.Epoch)
	if notes := s.Notes(); len(notes) != 0 {
		t.Fatal("notes outlive their world:", notes)
	}
}
