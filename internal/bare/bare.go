// Package bare measures what benchmarks are compared with: round trips of an ordinary go-redis client to a redis-server of its
// own, with nothing in between.
package bare

import (
	"context"
	"net"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/racebench/racebench/internal/rundir"
)

// Trips is a client with its server. It measures a burst of round trips every 20 ms of a benchmark, so that a slow or busy
// machine slows both sides of a ratio.
type Trips struct {
	client *redis.Client
	script *redis.Script
	last   time.Time
	bursts []time.Duration
}

// Open starts a redis-server for a benchmark, which is skipped where there is none. The trips are GET and SET in turn, or the
// script if it is not nil.
func Open(b *testing.B, script *redis.Script) *Trips {
	path, err := exec.LookPath("redis-server")
	if err != nil {
		b.Skip("redis-server is not on PATH; to have it: apt-get install redis-server")
	}
	folder, err := rundir.Open()
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { folder.Release() })
	base := folder.Next()
	socket, sock := folder.Socket(base)
	cmd := exec.Command(path, "--port", "0", "--unixsocket", socket, "--save", "", "--appendonly", "no", "--dir", ".")
	cmd.Dir = folder.Path
	if err := folder.Start(cmd, base); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	for range 500 {
		c, err := net.Dial("unix", sock)
		if err == nil {
			c.Close()
			client := redis.NewClient(&redis.Options{Network: "unix", Addr: sock})
			b.Cleanup(func() { client.Close() })
			return &Trips{client: client, script: script}
		}
		time.Sleep(10 * time.Millisecond)
	}
	b.Fatal("redis-server did not come up")
	return nil
}

// Burst is the mean time of n round trips.
func (t *Trips) Burst(b *testing.B, n int) time.Duration {
	ctx := context.Background()
	start := time.Now()
	for i := range n {
		var err error
		switch {
		case t.script != nil:
			err = t.script.Run(ctx, t.client, []string{"n"}, 1).Err()
		case i%2 == 0:
			err = t.client.Get(ctx, "k").Err()
		default:
			err = t.client.Set(ctx, "k", i, 0).Err()
		}
		if err != nil && err != redis.Nil {
			b.Fatal(err)
		}
	}
	return time.Since(start) / time.Duration(n)
}

// Sample measures a burst if the last one is 20 ms ago.
func (t *Trips) Sample(b *testing.B) {
	if time.Since(t.last) > 20*time.Millisecond {
		t.bursts = append(t.bursts, t.Burst(b, 200))
		t.last = time.Now()
	}
}

// Median is the median of the bursts so far.
func (t *Trips) Median() time.Duration { return Median(t.bursts) }

// Median sorts d and returns its middle.
func Median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}
