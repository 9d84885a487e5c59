package remote

import (
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/racebench/racebench/interleave/backend"
)

// fakeServer answers each thing it reads with the next of the replies, and closes the connection when there is none.
func fakeServer(t *testing.T, replies ...string) net.Addr {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			buf := make([]byte, 4096)
			for _, r := range replies {
				if _, err := c.Read(buf); err != nil {
					break
				}
				for _, part := range strings.SplitAfter(r, "~") { // a reply in pieces
					c.Write([]byte(strings.TrimSuffix(part, "~")))
					time.Sleep(time.Millisecond)
				}
			}
			c.Close()
		}
	}()
	return l.Addr()
}

func TestStrangeServers(t *testing.T) {
	for _, c := range []struct{ reply, want string }{
		{"$25\r\n# S\r\nredis_version:5.0.14\r\n", "redis-server 5.0.14 is too old, 6.2 or later is needed"},
		{"$24\r\n# S\r\nredis_version:6.2.7\r\n", "can't be read exactly before 7.0"},
		{"-NOAUTH Authentication required.\r\n", "refuses INFO: NOAUTH"},
		{"HTTP/1.1 400 Bad Request\r\n\r\n", "not RESP"},
		{"+what?\r\n", `is no Redis server: INFO answers "+what?"`},
	} {
		_, err := New(Options{Name: "x", Addr: fakeServer(t, c.reply), ReplyTimeout: time.Second})
		var u *backend.UnavailableError
		if !errors.As(err, &u) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.reply, err, c.want)
		}
	}
}

// A reply may come in any pieces.
func TestPieces(t *testing.T) {
	info := "$2~5\r~\n# S\r\nredis_ver~sion:7.0.15~\r\n"
	s, err := New(Options{Name: "x", Addr: fakeServer(t, info, "*2~\r\n$3\r\na~bc\r\n:1~2\r\n", ">2\r\n+a\r\n~+b\r\n+OK~\r\n"), ReplyTimeout: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if v, err := s.Ask("X"); err != nil || v.String() != "[abc, 12]" {
		t.Error(v, err)
	}
	if v, err := s.Ask("Y"); err != nil || v.String() != "OK" || string(s.ctl.held) != ">2\r\n+a\r\n+b\r\n" {
		t.Errorf("%v %v, pushes %q", v, err, s.ctl.held)
	}
	if _, err := s.Ask("Z"); err == nil {
		t.Error("the server has closed the connection")
	}
}

func TestOlder(t *testing.T) {
	for v, want := range map[string]bool{"6.0.16": true, "6.2.0": false, "5.0": true, "7.0.15": false, "10.1": false, "unstable": false} {
		if Older(v, 6, 2) != want {
			t.Errorf("Older(%q, 6, 2) = %v", v, !want)
		}
	}
}
