// Package impltest holds what the tests of all implementations share: servers,
// a recorder of commands, and one suite that every version of a system must
// pass when calls run one after the other. What happens when they overlap is
// not tested here.
package impltest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
)

// Backend is a Redis of our own. Open empties it and returns a new client, which
// ends with the test.
type Backend struct {
	Name string
	Open func(t testing.TB) *redis.Client
}

// Backends returns miniredis, and one redis-server that ends with t if it is
// installed. If it is not, a subtest says so: skipped, or failed when
// RACEBENCH_REQUIRE names process.
func Backends(t *testing.T) []Backend {
	backends := []Backend{{Name: "miniredis", Open: OpenMini}}
	if _, err := exec.LookPath("redis-server"); err == nil {
		return append(backends, startServer(t))
	}
	t.Run("redis-server", func(t *testing.T) {
		const hint = "no redis-server on PATH: apt-get install redis-server"
		required := strings.Split(os.Getenv("RACEBENCH_REQUIRE"), ",")
		if slices.Contains(required, "process") || slices.Contains(required, "all") {
			t.Fatal(hint)
		}
		t.Skip(hint)
	})
	return backends
}

// OpenMini starts a miniredis and returns a client of it.
func OpenMini(t testing.TB) *redis.Client {
	return newClient(t, &redis.Options{Addr: miniredis.RunT(t).Addr()})
}

// startServer starts a redis-server on a unix socket in a folder of its own. It
// is a cluster of one node that owns every slot, so that a script with keys of
// two slots is refused.
func startServer(t testing.TB) Backend {
	t.Helper()
	dir, err := os.MkdirTemp("", "impltest") // t.TempDir is too long for a socket path
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	socket := filepath.Join(dir, "redis.sock")
	port, clusterPort := freePort(t), freePort(t)
	server := exec.Command("redis-server", "--dir", dir, "--unixsocket", socket, "--bind", "127.0.0.1",
		"--port", port, "--cluster-enabled", "yes", "--cluster-port", clusterPort, "--save", "", "--appendonly", "no")
	server.SysProcAttr = dieWithParent()
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		server.Process.Kill()
		server.Wait()
	})
	client := newClient(t, &redis.Options{Network: "unix", Addr: socket})
	ctx := t.Context()
	awaitOK(t, "redis-server answers", func() error { return client.Ping(ctx).Err() })
	if err := client.Do(ctx, "CLUSTER", "ADDSLOTSRANGE", 0, 16383).Err(); err != nil {
		t.Fatalf("CLUSTER ADDSLOTSRANGE: %v", err)
	}
	awaitOK(t, "the cluster is up", func() error {
		info, err := client.ClusterInfo(ctx).Result()
		if err == nil && !strings.Contains(info, "cluster_state:ok") {
			err = errors.New(info)
		}
		return err
	})
	return Backend{Name: "redis-server", Open: func(t testing.TB) *redis.Client {
		if err := client.FlushAll(t.Context()).Err(); err != nil {
			t.Fatalf("empty our own redis-server: %v", err)
		}
		return newClient(t, &redis.Options{Network: "unix", Addr: socket})
	}}
}

func newClient(t testing.TB, options *redis.Options) *redis.Client {
	client := redis.NewClient(options)
	t.Cleanup(func() { client.Close() })
	return client
}

func freePort(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return fmt.Sprint(listener.Addr().(*net.TCPAddr).Port)
}

// awaitOK polls a server of our own until it is ready: there is nothing to wait on.
func awaitOK(t testing.TB, what string, ready func() error) {
	t.Helper()
	const limit = 10 * time.Second
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	for {
		err := ready()
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("not in %v: %s: %v", limit, what, err)
		case <-time.After(2 * time.Millisecond):
		}
	}
}
