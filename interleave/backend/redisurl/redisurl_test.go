package redisurl

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/racebench/racebench/interleave/backend"
	"github.com/racebench/racebench/interleave/backend/process"
	"github.com/racebench/racebench/interleave/backend/remote"
	"github.com/racebench/racebench/interleave/wire"
	"github.com/racebench/racebench/internal/require"
	"github.com/racebench/racebench/internal/rundir"
)

// users starts a server that stands for one of the user's, with its own clock, and returns its URL.
func users(t *testing.T, db int) (*process.Server, string) {
	t.Helper()
	require.Backend(t, "process")
	s, err := process.Open(backend.Config{ShiftClock: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	p := s.(*process.Server)
	return p, fmt.Sprintf("unix://%s?db=%d", p.Addr(), db)
}

func ask(t *testing.T, s interface {
	Ask(...string) (wire.Value, error)
}, args ...string) string {
	t.Helper()
	v, err := s.Ask(args...)
	if err != nil {
		t.Fatal(err)
	}
	return v.String()
}

func do(t *testing.T, c backend.Conn, args ...string) string {
	t.Helper()
	raw, err := c.Do(args)
	if err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	return strings.ReplaceAll(string(raw), "\r\n", "|")
}

// monitor returns everything that clients send to a server until the test's end.
func monitor(t *testing.T, addr net.Addr) func() string {
	t.Helper()
	c, err := net.Dial(addr.Network(), addr.String())
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(c, "MONITOR\r\n")
	done := make(chan string)
	go func() {
		var log strings.Builder
		buf := make([]byte, 4096)
		for !strings.Contains(log.String(), "the end of this test") {
			n, err := c.Read(buf)
			log.Write(buf[:n])
			if err != nil {
				break
			}
		}
		done <- log.String()
	}()
	return func() string {
		e, err := net.Dial(addr.Network(), addr.String())
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		fmt.Fprintf(e, "ECHO \"the end of this test\"\r\n")
		defer c.Close()
		return <-done
	}
}

// harmful scripts could reach what is not the run's.
var harmful = []string{
	`redis.call('flushall')`, `return redis.call("FLUSHDB")`, `redis.pcall 'FlushAll'`, `redis.call[[flushall]]`, "redis.call([=[\nflushall]=])",
	`redis.call('\102lush\97ll')`, `redis . --[[ here ]] call ( 'flushall' )`, "#!lua\nredis.call('flushall')", `server.call('flushall')`,
	`redis.call('select', 0) redis.call('del', 'mine2')`, `redis.call('select', '0')`, `redis.call('select', '3')`,
	`redis.call('SWAPDB', 0, 1)`, `redis.call('MOVE', KEYS[1], 3)`, `redis.call('COPY', KEYS[1], KEYS[1], 'db', 3)`,
	`redis.call('COPY', KEYS[1], KEYS[1], ARGV[1], 3)`, `redis.call('COPY', unpack(ARGV))`, `redis.call('COPY', ...)`,
	`redis.call('config', 'set', 'maxmemory', 1)`, `redis.call('config', ARGV[1], 'maxmemory', 1)`, `redis.call('config', unpack(ARGV))`,
	`redis.call('SCRIPT', 'FLUSH')`, `redis.call('function', 'flush')`, `redis.call('memory', ARGV[1])`, `redis.call('slowlog', 'reset')`,
	`redis.call(ARGV[1])`, `redis.call('flush' .. 'all')`, `redis.call(('flushall'))`, `redis.call(unpack(ARGV))`, `redis.call()`,
	`local c = redis.call; c('flushall')`, `local c = redis.call c(ARGV[1])`, `local c, d = redis.pcall, 1 c('flushall')`,
	`local c = redis.call local d = c d('flushall')`, `local c = redis.call return pcall(c, 'flushall')`,
	`pcall(redis.call, 'flushall')`, `pcall(redis.call, ARGV[1])`, `local r = redis r.call('flushall')`, `redis['call']('flushall')`,
	`for _, f in pairs(redis) do f('flushall') end`, `_G.redis.call('flushall')`, `loadstring('redis.ca' .. 'll("flushall")')()`,
	`load(function() return nil end)`, `getfenv(0)['red' .. 'is'].call('flushall')`, `return f_0123456789012345678901234567890123456789()`,
	`local f = {redis.call} f[1]('flushall')`, `redis.call('set', KEYS[1], redis.call('flushall'))`, `redis.call('get', (function() redis.call('flushall') end)())`,
	"-- a comment\rredis.call('flushall')", `local s = '\'' redis.call('flushall') --'`, "\x1bLua",
}

// harmless scripts tell that they are.
var harmless = []string{
	`return redis.call('GET', KEYS[1])`, `return redis.call("set", KEYS[1], 'select')`, `redis.call('SADD', KEYS[1] .. '2', 'x', unpack(ARGV)) redis.call('DEL', KEYS[1] .. '2')`,
	`-- redis.call('flushall')`, "--[[\nredis.call(ARGV[1])\n]] return 1", `return "redis.call('flushall')"`, `return [==[redis.call('flushall')]]]==]`,
	`local rcall = redis.call rcall('DEL', KEYS[1]) return rcall("GET", KEYS[1])`, `local c = redis.pcall; return c('GET', KEYS[1])`,
	`return pcall(redis.call, 'GET', KEYS[1])`, `if redis.call 'PING'.ok == 'PONG' then return redis.status_reply('fine') end`,
	`return redis.call('COPY', KEYS[1], KEYS[1] .. 'x', 'REPLACE')`, "#!lua flags=no-writes\nreturn redis.sha1hex(redis.call('GET', KEYS[1]) or '')",
	`local t = {} t.redis = 1 t.load = 2 return t.redis`,
}

// A whole run leaves a user's server as it was, foreign keys that come in the middle of it included.
func TestUsersServerIsLeftAlone(t *testing.T) {
	theirs, url := users(t, 2)
	ask(t, theirs, "SET", "other-database", "1")
	log := monitor(t, theirs.Addr())
	s, err := backend.Open(url, backend.Config{})
	if err != nil {
		t.Fatal(err)
	}
	foreign := func(key string) {
		ask(t, theirs, "SELECT", "2")
		ask(t, theirs, "SET", key, "theirs")
		ask(t, theirs, "SELECT", "0")
	}
	for world := range 3 {
		if err := s.Reset(remote.Epoch); err != nil {
			t.Fatal(err)
		}
		c, err := s.Open()
		if err != nil {
			t.Fatal(err)
		}
		if got := do(t, c, "GET", "ours"); got != "$-1|" {
			t.Errorf("world %d begins with ours = %s", world, got)
		}
		do(t, c, "SELECT", "0")
		do(t, c, "HELLO", "3")
		do(t, c, "SET", "ours", "1", "EX", "10")
		do(t, c, "EVAL", "return redis.call('SET', KEYS[1], redis.call('TIME')[1], 'EX', 5)", "1", "ours-too")
		do(t, c, "MULTI")
		do(t, c, "RPUSH", "list", "a", "b")
		do(t, c, "EXEC")
		do(t, c, "SCRIPT", "FLUSH")
		foreign(fmt.Sprint("foreign-", world))
		if got := do(t, c, "GET", "foreign-0"); got != "$6|theirs|" {
			t.Error(got)
		}
		s.SetClock(remote.Epoch.Add(6 * time.Second))
		if got := do(t, c, "EXISTS", "ours", "ours-too", "list"); got != ":2|" {
			t.Errorf("after 6 s: %s, want the script's key gone", got)
		}
		for _, command := range []string{"FLUSHALL", "flushdb async", "SELECT 3", "CONFIG SET maxmemory 1", "SWAPDB 0 1", "MOVE ours 3",
			"COPY ours x DB 3", "SCRIPT FLUSH SYNC", "FUNCTION FLUSH", "CLIENT KILL TYPE normal", "ACL SETUSER x", "SORT ours BY x* STORE y"} {
			var refused *backend.RefusedError
			if raw, err := c.Do(strings.Fields(command)); !errors.As(err, &refused) {
				t.Errorf("%s: %q, %v", command, raw, err)
			}
		}
		for _, script := range harmful {
			for _, command := range [][]string{{"EVAL", script, "1", "k", "flushall"}, {"script", "load", script}} {
				var refused *backend.RefusedError
				if raw, err := c.Do(command); !errors.As(err, &refused) {
					t.Errorf("%q: %q, %v", command, raw, err)
				}
			}
		}
		for _, script := range harmless {
			if got := do(t, c, "EVAL", script, "1", "k", "ours"); strings.HasPrefix(got, "-") {
				t.Errorf("%s: %s", script, got)
			}
		}
		do(t, c, "DEL", "k")
		// A digest of a script that somebody else has loaded.
		if got := do(t, c, "EVALSHA", ask(t, theirs, "SCRIPT", "LOAD", "return redis.call('FLUSHALL')"), "0"); !strings.HasPrefix(got, "-NOSCRIPT") {
			t.Error(got)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(s.Notes()); !strings.Contains(got, "3 keys that no command of the run named stay in database 2: foreign-0, foreign-1, foreign-2") {
		t.Error(got)
	}
	ask(t, theirs, "SELECT", "2")
	if got := ask(t, theirs, "DBSIZE"); got != "3" {
		t.Errorf("%s keys are left, want the 3 foreign ones", got)
	}
	ask(t, theirs, "SELECT", "0")
	if got := ask(t, theirs, "GET", "other-database"); got != "1" {
		t.Error("another database was touched:", got)
	}
	forbidden := regexp.MustCompile(`(?i)"(flushall|flushdb|swapdb|script" "flush|config" "set|debug|function" "flush|keys)"`)
	sent := log()
	if bad := forbidden.FindAllString(sent, -1); bad != nil {
		t.Errorf("sent: %q", bad)
	}
	if !strings.Contains(sent, `"RPUSH" "list"`) {
		t.Error("the monitor saw nothing")
	}
	if stats := ask(t, theirs, "INFO", "commandstats"); regexp.MustCompile(`cmdstat_(flush|config|swapdb|script\|flush)`).MatchString(stats) {
		t.Error(stats)
	}
}

func TestAbandon(t *testing.T) {
	theirs, url := users(t, 2)
	s, err := backend.Open(url, backend.Config{})
	if err != nil {
		t.Fatal(err)
	}
	c, _ := s.Open()
	do(t, c, "SET", "ours", "1")
	if err := s.(backend.Abandoner).Abandon(); err == nil || !strings.Contains(err.Error(), "stay in database 2") {
		t.Error(err)
	}
	if got := ask(t, theirs, "INFO", "keyspace"); !strings.Contains(got, "db2:keys=1") {
		t.Error(got)
	}
}

func TestRefusedUnlessEmpty(t *testing.T) {
	theirs, url := users(t, 0)
	ask(t, theirs, "SET", "k", "v")
	_, err := backend.Open(url, backend.Config{})
	var u *backend.UnavailableError
	if !errors.As(err, &u) || !strings.Contains(err.Error(), "is not empty (1 key)") || !strings.Contains(u.Hint, "db=1") {
		t.Errorf("%v, hint %+v", err, u)
	}
	if got := ask(t, theirs, "GET", "k"); got != "v" {
		t.Error("the key is gone")
	}
}

func TestBadURL(t *testing.T) {
	for url, want := range map[string]string{
		"redis://localhost/x":             `"x" is no number of a database`,
		"redis://user:secret@%zz":         "can't be read",
		"redis://127.0.0.1:1":             "connection refused",
		"unix://":                         "names no socket",
		"unix:///nowhere/s.sock":          "no such file",
		"redis://user:secret@127.0.0.1:1": "connection refused",
	} {
		_, err := backend.Open(url, backend.Config{})
		var u *backend.UnavailableError
		if !errors.As(err, &u) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") || u.Hint == "" {
			t.Errorf("%s: %v, want %q and a hint", url, err, want)
		}
	}
}

// What a server answers, or does not, is told with what can be done about it.
func TestHints(t *testing.T) {
	theirs, _ := users(t, 0)
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	for _, c := range []struct{ url, text, hint string }{
		{fmt.Sprintf("unix://%s?db=99", theirs.Addr()), "has no database 99", "0 to 15"},
		{"rediss://" + silent.Addr().String(), "no connection with TLS within 200ms", "write redis:// if"},
		{"redis://" + silent.Addr().String(), "did not answer", "write rediss:// if"},
		{"unix://:secret@" + theirs.Addr().String(), "without any password", "leave the password out"},
		{"redis://127.0.0.1:1", "connection refused", "start the server"},
	} {
		_, err := backend.Open(c.url, backend.Config{ReplyTimeout: 200 * time.Millisecond})
		var u *backend.UnavailableError
		if !errors.As(err, &u) || !strings.Contains(err.Error(), c.text) || !strings.Contains(u.Hint, c.hint) || !strings.Contains(u.Hint, hint) {
			t.Errorf("%s: %v, hint %q; want %q, hint %q", c.url, err, u.Hint, c.text, c.hint)
		}
	}
	ask(t, theirs, "CONFIG", "SET", "requirepass", "secret")
	for url, want := range map[string]string{
		"unix://%s":          "write the password into the URL",
		"unix://:wrong@%s":   "mend them",
		"unix://me:wrong@%s": "mend them",
	} {
		_, err := backend.Open(fmt.Sprintf(url, theirs.Addr()), backend.Config{})
		var u *backend.UnavailableError
		if !errors.As(err, &u) || !strings.Contains(u.Hint, want) {
			t.Errorf("%s: %v, hint %+v; want hint %q", url, err, u, want)
		}
	}
	ask(t, theirs, "CONFIG", "SET", "requirepass", "")
}

// TestTLS covers authentication, TLS and the watchdog, which stands in for the kernel's timeouts there.
func TestTLS(t *testing.T) {
	require.Backend(t, "process")
	folder, err := rundir.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { folder.Release() })
	certificate(t, folder.Path)
	port := freePort(t)
	cmd := exec.Command("redis-server", "--port", "0", "--tls-port", port, "--bind", "127.0.0.1", "--tls-cert-file", "c.pem", "--tls-key-file", "k.pem",
		"--tls-auth-clients", "no", "--save", "", "--requirepass", "secret")
	cmd.Dir = folder.Path
	if err := folder.Start(cmd, folder.Next()); err != nil {
		t.Fatal(err)
	}
	defer func() { cmd.Process.Kill(); cmd.Wait() }()
	var s backend.Server
	url := "rediss://:secret@127.0.0.1:" + port + "?skip_verify=true"
	for range 500 {
		if s, err = backend.Open(url, backend.Config{ReplyTimeout: 300 * time.Millisecond}); err == nil || !strings.Contains(err.Error(), "refused") {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err != nil {
		t.Skip("this redis-server speaks no TLS: ", err)
	}
	defer s.Close()
	if _, err := backend.Open("rediss://:wrong@127.0.0.1:"+port+"?skip_verify=true", backend.Config{}); err == nil || !strings.Contains(err.Error(), "WRONGPASS") {
		t.Error("a wrong password:", err)
	}
	synctest.Test(t, func(t *testing.T) {
		for range 3 {
			s.Reset(time.Now())
			c, _ := s.Open()
			do(t, c, "WATCH", "k") // so that RESET is needed, after which comes AUTH
			do(t, c, "SET", "k", "v")
		}
		c, _ := s.Open()
		do(t, c, "GET", "k")
		cmd.Process.Signal(syscall.SIGSTOP)
		_, err := c.Do([]string{"GET", "k"})
		if err == nil || !strings.Contains(err.Error(), "did not answer GET within 300ms") {
			t.Error(err)
		}
	})
}

func freePort(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// certificate writes a self-signed one.
func certificate(t *testing.T, dir string) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	tmpl := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	k, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	os.WriteFile(filepath.Join(dir, "c.pem"), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600)
	os.WriteFile(filepath.Join(dir, "k.pem"), pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: k}), 0o600)
}
