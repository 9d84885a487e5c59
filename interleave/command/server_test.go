package command_test

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/racebench/racebench/interleave/wire"
	"github.com/racebench/racebench/internal/rundir"
)

// realServer is a redis-server of this test process on a private socket.
type realServer struct {
	conn net.Conn
	buf  []byte
}

// startRealServer starts the redis-server on PATH, or skips with the command that would provide it. Where
// RACEBENCH_REQUIRE names process a missing server is a failure, so that CI can't pass without the comparison.
func startRealServer(t *testing.T) *realServer {
	t.Helper()
	bin, err := exec.LookPath("redis-server")
	if err != nil {
		for _, word := range strings.Split(os.Getenv("RACEBENCH_REQUIRE"), ",") {
			if word == "process" {
				t.Fatal("RACEBENCH_REQUIRE names process, but redis-server is not on PATH (apt-get install redis-server)")
			}
		}
		t.Skip("needs redis-server on PATH: apt-get install redis-server")
	}
	folder, err := rundir.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { folder.Release() })
	base := folder.Next()
	socket, sock := folder.Socket(base)
	cmd := exec.Command(bin, "--port", "0", "--unixsocket", socket, "--save", "", "--appendonly", "no", "--dir", ".")
	cmd.Dir = folder.Path
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := folder.Start(cmd, base); err != nil {
		t.Fatal(err)
	}
	var once sync.Once
	stop := func() { once.Do(func() { cmd.Process.Kill(); cmd.Wait() }) }
	t.Cleanup(stop)
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		c, err := net.Dial("unix", sock)
		if err == nil {
			t.Cleanup(func() { c.Close() })
			return &realServer{conn: c}
		}
		if time.Now().After(deadline) {
			stop()
			t.Fatalf("redis-server does not answer: %v\n%s", err, out.Bytes())
		}
	}
}

// do sends one command and reads its reply.
func (s *realServer) do(t interface{ Fatalf(string, ...any) }, args ...string) wire.Value {
	if _, err := s.conn.Write(wire.AppendCommand(nil, args...)); err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	for {
		v, n, err := wire.Parse(s.buf)
		if err != nil {
			t.Fatalf("%q: %v", args, err)
		}
		if n > 0 {
			s.buf = s.buf[n:]
			return v
		}
		var chunk [1 << 16]byte
		n, err = s.conn.Read(chunk[:])
		if err != nil {
			t.Fatalf("%q: %v", args, err)
		}
		s.buf = append(s.buf, chunk[:n]...)
	}
}
