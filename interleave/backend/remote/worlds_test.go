package remote_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/racebench/racebench/interleave/backend"
	"github.com/racebench/racebench/interleave/backend/process"
	"github.com/racebench/racebench/interleave/backend/remote"
	"github.com/racebench/racebench/internal/require"
)

func start(t *testing.T) *process.Server {
	t.Helper()
	require.Backend(t, "process")
	s, err := process.Open(backend.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s.(*process.Server)
}

// connectionID is what differs in the replies of two connections to HELLO.
var connectionID = regexp.MustCompile(`\$2\r\nid\r\n:\d+\r\n`)

// stateful draws a command that leaves something on its connection or shows what is there.
func stateful(t *rapid.T) []string {
	const one, two = "e0e1f9fabfc9d4800c877a703b823ac0578ff8db", "7f923f79fe76194c868d7e1d0820de36700eb649"
	line := rapid.SampledFrom([]string{
		"HELLO 2", "HELLO 3", "HELLO 4", "HELLO 3 SETNAME n", "HELLO 2 SETNAME bad\tname", "HELLO",
		"CLIENT SETNAME a", "CLIENT SETNAME b", "CLIENT GETNAME", "CLIENT SETINFO LIB-NAME x", "CLIENT TRACKINGINFO",
		"CLIENT TRACKING ON", "CLIENT TRACKING OFF", "CLIENT NO-EVICT ON", "CLIENT MAINT_NOTIFICATIONS ON",
		"SELECT 0", "SELECT 1", "SELECT 99", "SELECT x", "RESET", "AUTH x", "READONLY", "PING", "ECHO e",
		"GET k", "SET k v", "SET k w", "DEL k", "INCR n", "GET n", "DBSIZE", "SET k v PX 20", "PTTL k", "FLUSHDB",
		"WATCH k", "UNWATCH", "MULTI", "EXEC", "DISCARD", "MULTI x",
		"SUBSCRIBE c d", "UNSUBSCRIBE", "UNSUBSCRIBE c", "PSUBSCRIBE p*", "PUBLISH c m", "PUBLISH pp m", "PUBSUB NUMSUB c", "PUBSUB CHANNELS",
		"EVAL return_1 0", "EVALSHA " + one + " 0", "EVALSHA " + two + " 0", "SCRIPT LOAD return_2", "SCRIPT FLUSH", "SCRIPT FLUSH SYNC",
		"SCRIPT EXISTS " + one + " " + two, "EVAL not_lua 0", "EVAL return_1 x", "EVALSHA",
		"CONFIG SET maxmemory-samples 9", "CONFIG GET maxmemory-samples", "CONFIG SET no-such-thing 1",
		"FUNCTION LOAD #!lua_name=l\nredis.register_function('f',function()return_1_end)", "FCALL f 0", "FUNCTION LIST",
	}).Draw(t, "command")
	args := strings.Split(line, " ")
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "_", " ")
	}
	if args[len(args)-1] == "MAINT NOTIFICATIONS" {
		args[len(args)-1] = "MAINT_NOTIFICATIONS"
	}
	if args[0] == "FUNCTION" && args[1] == "LOAD" {
		args = append([]string{"FUNCTION", "LOAD"}, strings.ReplaceAll(strings.Join(args[2:], " "), "register function", "register_function"))
	}
	return args
}

// A world on a server that many worlds have used can't be told from one on a server and connections never used before.
func TestUsedIsAsNew(t *testing.T) {
	used, fresh := start(t), start(t)
	rapid.Check(t, func(t *rapid.T) {
		for range rapid.IntRange(1, 3).Draw(t, "worlds") {
			servers := []*process.Server{used, fresh}
			var conns [2][3]backend.Conn
			for i, s := range servers {
				if s == fresh {
					s.Forget()
				}
				if err := s.Reset(remote.Epoch); err != nil {
					t.Fatal(err)
				}
				for j := range conns[i] {
					conns[i][j], _ = s.Open()
				}
			}
			now := remote.Epoch
			for range rapid.IntRange(1, 25).Draw(t, "steps") {
				who := rapid.IntRange(0, 2).Draw(t, "conn")
				switch rapid.IntRange(0, 9).Draw(t, "what") {
				case 0:
					now = now.Add(15 * time.Millisecond)
					used.SetClock(now)
					fresh.SetClock(now)
					continue
				case 1:
					compare(t, "pushes", func(i int) ([]byte, error) { return conns[i][who].Pushes() })
					continue
				case 2:
					for i, s := range servers {
						conns[i][who].Close()
						conns[i][who], _ = s.Open()
					}
					continue
				}
				args := stateful(t)
				t.Logf("%d: %q", who, args)
				compare(t, strings.Join(args, " "), func(i int) ([]byte, error) {
					raw, err := conns[i][who].Do(args)
					return connectionID.ReplaceAll(raw, nil), err
				})
			}
		}
	})
}

// compare runs f for the used server, 0, and the fresh one, 1.
func compare(t *rapid.T, what string, f func(i int) ([]byte, error)) {
	a, errA := f(0)
	b, errB := f(1)
	if string(a) != string(b) || (errA == nil) != (errB == nil) {
		t.Fatalf("%s\n used: %q %v\nfresh: %q %v", what, a, errA, b, errB)
	}
}
