package process

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/racebench/racebench/interleave/backend"
	"github.com/racebench/racebench/interleave/backend/remote"
	"github.com/racebench/racebench/internal/require"
)

// inBothModes runs a test with the virtual wall clock, if there is one, and with shifted expiry.
func inBothModes(t *testing.T, test func(t *testing.T, s *Server)) {
	for name, cfg := range map[string]backend.Config{"virtual": {}, "shifted": {ShiftClock: true}} {
		t.Run(name, func(t *testing.T) {
			s := open(t, cfg)
			if s.ClockMode() != name {
				require.Missing(t, "cc", "no virtual wall clock: it is "+s.ClockMode()+" here", "apt-get install gcc libc6-dev")
			}
			test(t, s)
		})
	}
}

// script is a command a line and the reply to it, CRLF as |.
func replay(t *testing.T, c backend.Conn, script string) {
	t.Helper()
	for line := range strings.Lines(script) {
		command, want, ok := strings.Cut(strings.TrimSpace(line), " => ")
		if !ok {
			continue
		}
		var args []string
		for _, a := range strings.Fields(command) {
			args = append(args, strings.ReplaceAll(a, "_", " "))
		}
		if got := strings.ReplaceAll(do(t, c, args...), "\r\n", "|"); got != want {
			t.Errorf("%s\n got %s\nwant %s", command, got, want)
		}
	}
}

func TestTimeIsVirtual(t *testing.T) {
	inBothModes(t, func(t *testing.T, s *Server) {
		c := conn(t, s)
		replay(t, c, `
			TIME => *2|$9|946684800|$1|0|
			SET a 1 EX 10 => +OK|
			SET b 1 => +OK|
			EXPIREAT b 946684860 => :1|
			SET gone 1 => +OK|
			EXPIREAT gone 946684799 => :1|
			EXISTS gone => :0|
			TTL a => :10|
			PTTL b => :60000|
			PEXPIRETIME b => :946684860000|
			EVAL return_redis.call('TIME') 0 => *2|$9|946684800|$1|0|
			EVAL redis.call('SET',KEYS[1],'x')redis.call('EXPIRE',KEYS[1],0)return_redis.call('EXISTS',KEYS[1]) 1 gone => :0|
			XADD s * f v => $14|946684800000-0|
			XADD s * f v => $14|946684800000-1|
			DBSIZE => :3|`)
		time.Sleep(20 * time.Millisecond) // real time must not count
		replay(t, c, "PTTL a => :10000|")
		s.SetClock(remote.Epoch.Add(10 * time.Second))
		replay(t, c, `
			PTTL a => :0|
			DBSIZE => :3|`) // a key lives through the millisecond of its deadline
		s.SetClock(remote.Epoch.Add(10*time.Second + time.Millisecond + 7*time.Microsecond))
		replay(t, c, `
			DBSIZE => :2|
			KEYS a* => *0|
			GET a => $-1|
			TIME => *2|$9|946684810|$4|1007|
			EVAL return_redis.call('TIME') 0 => *2|$9|946684810|$4|1007|
			EVAL return_redis.call('PTTL',KEYS[1]) 1 b => :49999|`)
	})
}

// A transaction that watches a key is aborted when the key expires, and only then.
func TestExpiryAbortsWatchers(t *testing.T) {
	inBothModes(t, func(t *testing.T, s *Server) {
		c := conn(t, s)
		replay(t, c, `
			SET lock A PX 100 => +OK|
			WATCH lock => +OK|`)
		s.SetClock(remote.Epoch.Add(50 * time.Millisecond))
		replay(t, c, `
			MULTI => +OK|
			INCR n => +QUEUED|
			EXEC => *1|:1|
			WATCH lock => +OK|`)
		s.SetClock(remote.Epoch.Add(101 * time.Millisecond))
		replay(t, c, `
			MULTI => +OK|
			INCR n => +QUEUED|
			EXEC => *-1|`)
	})
}

// What a world leaves on its connections and in the server is not seen by the next.
func TestNothingLeaksBetweenWorlds(t *testing.T) {
	inBothModes(t, func(t *testing.T, s *Server) {
		for range 3 {
			if err := s.Reset(remote.Epoch); err != nil {
				t.Fatal(err)
			}
			a, b, other := conn(t, s), conn(t, s), conn(t, s)
			replay(t, a, `
				DBSIZE => :0|
				CLIENT GETNAME => $-1|
				TIME => *2|$9|946684800|$1|0|
				SCRIPT EXISTS e0e1f9fabfc9d4800c877a703b823ac0578ff8db => *1|:0|
				EVALSHA e0e1f9fabfc9d4800c877a703b823ac0578ff8db 0 => -NOSCRIPT No matching script. Please use EVAL.|
				EVAL return_1 0 => :1|
				EVALSHA E0E1f9fabfc9d4800c877a703b823ac0578ff8db 0 => :1|
				SCRIPT EXISTS e0e1f9fabfc9d4800c877a703b823ac0578ff8db => *1|:1|
				GET k => $-1|
				CLIENT SETNAME me => +OK|
				CLIENT GETNAME => $2|me|
				SELECT 3 => +OK|
				SET k 3 => +OK|
				WATCH k => +OK|`)
			if hello := do(t, b, "HELLO", "3"); hello[0] != '%' {
				t.Fatalf("HELLO 3 answers %q", hello)
			}
			replay(t, b, `
				GET k => _|
				CLIENT TRACKING ON => +OK|
				GET k => _|
				PUBLISH ch m => :0|`)
			do(t, b, "SUBSCRIBE", "ch")
			replay(t, other, `
				PUBLISH ch m => :1|
				SET k 0 => +OK|
				CONFIG SET maxmemory-samples 7 => +OK|
				MULTI => +OK|
				SET k 1 => +QUEUED|`)
			s.SetClock(remote.Epoch.Add(time.Hour))
			if pushes, err := b.Pushes(); err != nil || !strings.Contains(string(pushes), "invalidate") || !strings.Contains(string(pushes), "message") {
				t.Errorf("pushes %q, %v", pushes, err)
			}
		}
		c := conn(t, s)
		s.Reset(remote.Epoch)
		if _, err := c.Do([]string{"PING"}); err == nil {
			t.Error("a connection outlives its world")
		}
		c = conn(t, s)
		replay(t, c, `CONFIG GET maxmemory-samples => *2|$17|maxmemory-samples|$1|5|`)
	})
}

// A connection that its client closes is no subscriber any more, holds no WATCH, and the next one is as new.
func TestCloseInsideWorld(t *testing.T) {
	s := open(t, backend.Config{})
	a, b := conn(t, s), conn(t, s)
	do(t, b, "SUBSCRIBE", "ch")
	replay(t, a, "PUBLISH ch m => :1|")
	b.Close()
	b.Close()
	replay(t, a, "PUBLISH ch m => :0|")
	c := conn(t, s)
	replay(t, c, `
		MULTI => +OK|
		SET k v => +QUEUED|`)
	c.Close()
	replay(t, conn(t, s), `
		GET k => $-1|
		EXEC => -ERR EXEC without MULTI|`)
}

func TestSubscribe(t *testing.T) {
	s := open(t, backend.Config{})
	for _, proto := range []string{"2", "3"} {
		s.Reset(remote.Epoch)
		c, p := conn(t, s), conn(t, s)
		do(t, c, "HELLO", proto)
		mark := map[string]string{"2": "*", "3": ">"}[proto]
		replay(t, c, "SUBSCRIBE x y => "+mark+"3|$9|subscribe|$1|x|:1|"+mark+"3|$9|subscribe|$1|y|:2|")
		replay(t, p, "PUBLISH x 1 => :1|")
		replay(t, p, "PUBLISH y 2 => :1|")
		message := func(ch, m string) string { return mark + "3|$7|message|$1|" + ch + "|$1|" + m + "|" }
		// A message that came before the reply is no part of it.
		replay(t, c, "PSUBSCRIBE z* => "+mark+"3|$10|psubscribe|$2|z*|:3|")
		raw, err := c.Pushes()
		if got := strings.ReplaceAll(string(raw), "\r\n", "|"); err != nil || got != message("x", "1")+message("y", "2") {
			t.Errorf("RESP%s: pushes %s, %v", proto, got, err)
		}
		if raw, err := c.Pushes(); err != nil || len(raw) != 0 {
			t.Errorf("RESP%s: pushes come twice: %q, %v", proto, raw, err)
		}
		if proto == "2" {
			replay(t, c, "PING => *2|$4|pong|$0||")
		}
		replay(t, c, "UNSUBSCRIBE x => "+mark+"3|$11|unsubscribe|$1|x|:2|")
		replay(t, p, "PUBLISH x 1 => :0|")
	}
}

// A world lives in a bubble; what it made there must be usable in the next.
func TestManyBubbles(t *testing.T) {
	inBothModes(t, func(t *testing.T, s *Server) {
		for range 50 {
			synctest.Test(t, func(t *testing.T) {
				if err := s.Reset(time.Now()); err != nil {
					t.Fatal(err)
				}
				c := conn(t, s)
				replay(t, c, "SET k v PX 1000 => +OK|")
				time.Sleep(1001 * time.Millisecond)
				s.SetClock(time.Now())
				replay(t, c, "DBSIZE => :0|")
				replay(t, c, "CONFIG SET maxmemory 0 => +OK|") // so that the server is replaced inside the bubble
			})
		}
	})
}

func TestRefused(t *testing.T) {
	s := open(t, backend.Config{})
	c := conn(t, s)
	for _, command := range []string{"SAVE", "bgsave", "SHUTDOWN NOSAVE", "MONITOR", "CLIENT REPLY OFF", "CLIENT PAUSE 10", "CONFIG SET dir /",
		"CONFIG REWRITE"} {
		_, err := c.Do(strings.Fields(command))
		var refused *backend.RefusedError
		if !errors.As(err, &refused) || refused.Hint != "" || strings.Contains(err.Error(), "hint") {
			t.Errorf("%s: %v, want a refusal that does not say to use what is used", command, err)
		}
	}
	replay(t, c, "PING => +PONG|")
}

func TestKilledConnection(t *testing.T) {
	s := open(t, backend.Config{})
	a, b := conn(t, s), conn(t, s)
	id := strings.Trim(do(t, a, "CLIENT", "ID"), ":\r\n")
	replay(t, b, "CLIENT KILL ID "+id+" => :1|")
	if _, err := a.Do([]string{"GET", "k"}); !errors.Is(err, backend.ErrDropped) {
		t.Errorf("got %v, want ErrDropped", err)
	}
	replay(t, b, "GET k => $-1|")
	replay(t, conn(t, s), "GET k => $-1|")
}

// Two servers give the same replies where the order is by chance elsewhere, so that a run does not depend on which
// process it runs in.
func TestServersAreEqual(t *testing.T) {
	var first string
	for i := range 3 {
		s := open(t, backend.Config{})
		if s.ClockMode() != "virtual" {
			t.Skip("only with a virtual wall clock")
		}
		c := conn(t, s)
		do(t, c, "SADD", "s", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j")
		got := do(t, c, "SMEMBERS", "s") + do(t, c, "SPOP", "s") + do(t, c, "SRANDMEMBER", "s", "4")
		if i == 0 {
			first = got
		}
		if got != first {
			t.Errorf("server %d answers %q, the first %q", i, got, first)
		}
	}
}
