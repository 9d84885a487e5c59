package embedded

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/interleave/backend"
	"github.com/racebench/racebench/interleave/command"
	"github.com/racebench/racebench/interleave/wire"
	need "github.com/racebench/racebench/internal/require"
	"github.com/racebench/racebench/internal/rundir"
	"github.com/racebench/racebench/internal/vclock"
)

// realServer is the measure: a redis-server with a virtual wall clock, spoken to with nothing between. The backend
// process would be another layer, whose mistakes could hide ours.
type realServer struct {
	socket string
	clock  *vclock.Clock
	conns  []*realConn
	admin  *realConn
}

func startReal(t testing.TB) *realServer {
	need.Backend(t, "process")
	library, err := vclock.Library()
	if err != nil {
		need.Missing(t, "cc", err.Error(), "apt-get install gcc libc6-dev")
	}
	folder, err := rundir.Open()
	require.NoError(t, err)
	t.Cleanup(func() { folder.Release() })
	base := folder.Next()
	s := &realServer{}
	s.clock, err = vclock.New(filepath.Join(folder.Path, base+".clock"), epoch)
	require.NoError(t, err)
	socket, short := folder.Socket(base)
	s.socket = short
	cmd := exec.Command("redis-server", "--port", "0", "--unixsocket", socket, "--save", "", "--appendonly", "no", "--dir", ".")
	cmd.Dir = folder.Path
	cmd.Env = append(os.Environ(), vclock.Environment(library, s.clock.Path())...)
	out, err := os.Create(filepath.Join(t.TempDir(), "log"))
	require.NoError(t, err)
	defer out.Close()
	cmd.Stdout, cmd.Stderr = out, out
	require.NoError(t, folder.Start(cmd, base))
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait(); s.clock.Close() })
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if s.admin, err = s.dial(); err == nil {
			break
		}
		if time.Now().After(deadline) {
			log, _ := os.ReadFile(out.Name())
			t.Fatalf("redis-server does not answer: %v\n%s", err, log)
		}
	}
	s.clock.Started()
	info, err := s.admin.Do([]string{"INFO", "server"})
	require.NoError(t, err)
	if !strings.Contains(string(info), "redis_version:"+redisVersion) {
		need.Missing(t, "redis-"+redisVersion, "embedded is proven equal to redis-server "+redisVersion+", here is another",
			"apt-get install redis-server on Debian 12")
	}
	return s
}

func (s *realServer) dial() (*realConn, error) {
	c, err := net.Dial("unix", s.socket)
	if err != nil {
		return nil, err
	}
	return &realConn{c: c}, nil
}

func (s *realServer) Name() string    { return "real" }
func (s *realServer) Version() string { return redisVersion }
func (s *realServer) Notes() []string { return nil }
func (s *realServer) Close() error    { return nil }

func (s *realServer) Open() (backend.Conn, error) {
	c, err := s.dial()
	if err == nil {
		s.conns = append(s.conns, c)
	}
	return c, err
}

func (s *realServer) SetClock(now time.Time) error {
	s.clock.Set(now)
	return nil
}

func (s *realServer) Reset(now time.Time) error {
	for _, c := range s.conns {
		c.Close()
	}
	s.conns = nil
	s.clock.Set(now)
	for _, line := range []string{"FLUSHALL", "SCRIPT FLUSH"} {
		if _, err := s.admin.Do(strings.Fields(line)); err != nil {
			return err
		}
	}
	return nil
}

// realConn is one connection to it.
type realConn struct {
	c      net.Conn
	buf    []byte
	pushed []byte
	multi  bool
}

func (c *realConn) Close() error { return c.c.Close() }

// frame reads one frame.
func (c *realConn) frame() ([]byte, error) {
	for {
		n, err := wire.FrameLen(c.buf)
		if err != nil {
			return nil, err
		}
		if n > 0 {
			f := c.buf[:n:n]
			c.buf = c.buf[n:]
			return f, nil
		}
		var chunk [1 << 14]byte
		c.c.SetReadDeadline(time.Now().Add(10 * time.Second))
		n, err = c.c.Read(chunk[:])
		if err != nil {
			return nil, fmt.Errorf("%w, with %q", err, c.buf)
		}
		c.buf = append(c.buf[:len(c.buf):len(c.buf)], chunk[:n]...)
	}
}

// Do executes a command.
func (c *realConn) Do(args []string) ([]byte, error) {
	if _, err := c.c.Write(wire.AppendCommand(nil, args...)); err != nil {
		return nil, err
	}
	info, _ := command.Lookup(args)
	if info != nil && strings.HasSuffix(info.Name, "SUBSCRIBE") {
		return c.sync() // one frame a channel
	}
	for {
		f, err := c.frame()
		if err != nil {
			return nil, err
		}
		if f[0] == '>' {
			c.pushed = append(c.pushed, f...)
			continue
		}
		if info != nil {
			switch {
			case info.Name == "MULTI" && f[0] == '+':
				c.multi = true
			case info.Name == "EXEC", info.Name == "DISCARD", info.Name == "RESET":
				c.multi = c.multi && strings.HasPrefix(string(f), "-ERR wrong number")
			}
		}
		return f, nil
	}
}

// sync returns all that comes before the reply to a command that has no effect.
func (c *realConn) sync() ([]byte, error) {
	probe := []string{"PING"}
	if c.multi {
		probe = []string{"WATCH", "x"} // an error at once; a PING would be queued
	}
	if _, err := c.c.Write(wire.AppendCommand(nil, probe...)); err != nil {
		return nil, err
	}
	var all []byte
	for {
		f, err := c.frame()
		if err != nil {
			return nil, err
		}
		switch string(f) {
		case "+PONG\r\n", "*2\r\n$4\r\npong\r\n$0\r\n\r\n", "-ERR WATCH inside MULTI is not allowed\r\n":
			return all, nil
		}
		all = append(all, f...)
	}
}

func (c *realConn) Pushes() ([]byte, error) {
	more, err := c.sync()
	all := append(c.pushed, more...)
	c.pushed = nil
	return all, err
}
