package process

import (
	"context"
	"strconv"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/racebench/racebench/interleave/backend"
	"github.com/racebench/racebench/interleave/backend/remote"
)

// BenchmarkBare is the yardstick: one round trip of an ordinary client on the same socket.
func BenchmarkBare(b *testing.B) {
	s := open(b, backend.Config{})
	ctx := context.Background()
	client := redis.NewClient(&redis.Options{Network: "unix", Addr: s.Addr().String(), DisableIdentity: true})
	defer client.Close()
	client.Set(ctx, "a", "1", 0)
	for b.Loop() {
		client.Get(ctx, "a")
	}
}

// BenchmarkDo is a command without anything around it.
func BenchmarkDo(b *testing.B) {
	c := conn(b, open(b, backend.Config{}))
	do(b, c, "SET", "a", "1")
	get := []string{"GET", "a"}
	for b.Loop() {
		if _, err := c.Do(get); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkWorld is a world of two clients with n commands each, their handshakes and the reset included; ns/step is the
// cost of one command.
func BenchmarkWorld(b *testing.B) {
	for _, n := range []int{2, 8} {
		b.Run(strconv.Itoa(2*n), func(b *testing.B) {
			s := open(b, backend.Config{})
			for b.Loop() {
				world(b, s, n)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*2*n), "ns/step")
		})
	}
}

func world(b *testing.B, s *Server, n int) {
	var conns [2]backend.Conn
	for i := range conns {
		conns[i] = conn(b, s)
		do(b, conns[i], "HELLO", "3")
		do(b, conns[i], "CLIENT", "SETINFO", "LIB-NAME", "go-redis")
		do(b, conns[i], "CLIENT", "SETINFO", "LIB-VER", "9")
	}
	for range n / 2 {
		for _, c := range conns {
			do(b, c, "GET", "k")
		}
		for _, c := range conns {
			do(b, c, "SET", "k", "1", "PX", "60000")
		}
	}
	if err := s.Reset(remote.Epoch); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkOpen is the start and end of a server.
func BenchmarkOpen(b *testing.B) {
	keep := open(b, backend.Config{}) // holds the folder
	_ = keep
	for b.Loop() {
		s, err := Open(backend.Config{})
		if err != nil {
			b.Fatal(err)
		}
		s.Close()
	}
}
