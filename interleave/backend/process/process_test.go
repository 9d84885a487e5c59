package process

import (
	"testing"

	"github.com/racebench/racebench/interleave/backend"
	"github.com/racebench/racebench/internal/require"
)

// open starts a server that ends with the test.
func open(t testing.TB, cfg backend.Config) *Server {
	t.Helper()
	require.Backend(t, "process")
	s, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s.(*Server)
}

func conn(t testing.TB, s backend.Server) backend.Conn {
	t.Helper()
	c, err := s.Open()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// do executes a command and returns the raw reply.
func do(t testing.TB, c backend.Conn, args ...string) string {
	t.Helper()
	raw, err := c.Do(args)
	if err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	return string(raw)
}
