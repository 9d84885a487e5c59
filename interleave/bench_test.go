package interleave_test

import (
	"net"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/internal/rundir"
)

// The benchmarks print, beside the time of one operation, its ratio to a bare client round trip that was measured
// between the iterations of the same run, so that a slow or busy machine slows both. Run them with
//
//	go test -run '^$' -bench . -cpu 1 ./interleave

// bare is a go-redis client on a redis-server of its own, with nothing in between.
func bare(b *testing.B) *redis.Client {
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
			client := redis.NewClient(&redis.Options{Network: "unix", Addr: sock, ReadTimeout: -1, WriteTimeout: -1})
			b.Cleanup(func() { client.Close() })
			return client
		}
		time.Sleep(10 * time.Millisecond)
	}
	b.Fatal("redis-server did not come up")
	return nil
}

// roundTrip is the time of one bare GET, averaged over n.
func roundTrip(b *testing.B, c *redis.Client, n int) time.Duration {
	start := time.Now()
	for range n {
		if err := c.Get(ctx, "k").Err(); err != nil && err != redis.Nil {
			b.Fatal(err)
		}
	}
	return time.Since(start) / time.Duration(n)
}

func BenchmarkBareRoundTrip(b *testing.B) {
	c := bare(b)
	roundTrip(b, c, 100)
	b.ResetTimer()
	roundTrip(b, c, b.N)
}

// shapes are worlds to measure: with few and with many commands, with and without scripts.
var shapes = []struct {
	name  string
	steps int
	world func(*interleave.World)
}{
	{"set-up only", 0, func(w *interleave.World) {
		for _, name := range []string{"A", "B"} {
			w.Actor(name, func(a *interleave.Actor) error { return nil })
		}
	}},
	{"2x4 commands", 8, commands(4)},
	{"2x100 commands", 200, commands(100)},
	{"2x4 scripts", 8, scripts(4)},
	{"2x100 scripts", 200, scripts(100)},
}

func commands(n int) func(*interleave.World) {
	return func(w *interleave.World) {
		for _, name := range []string{"A", "B"} {
			w.Actor(name, func(a *interleave.Actor) error {
				for i := range n {
					if i%2 == 0 {
						a.Redis().Get(ctx, "k")
					} else if err := a.Redis().Set(ctx, "k", i, 0).Err(); err != nil {
						return err
					}
				}
				return nil
			})
		}
	}
}

func scripts(n int) func(*interleave.World) {
	script := redis.NewScript(bump)
	return func(w *interleave.World) {
		for _, name := range []string{"A", "B"} {
			w.Actor(name, func(a *interleave.Actor) error {
				for range n {
					if err := script.Run(ctx, a.Redis(), []string{"n"}, 1).Err(); err != nil {
						return err
					}
				}
				return nil
			})
		}
	}
}

func BenchmarkWorld(b *testing.B) {
	for _, spec := range []string{"embedded", "process"} {
		for _, shape := range shapes {
			b.Run(spec+"/"+shape.name, func(b *testing.B) {
				c := bare(b)
				r, err := interleave.Open(interleave.Redis(spec))
				if err != nil {
					b.Skip(err)
				}
				defer r.Close()
				var trips, worlds []time.Duration
				roundTrip(b, c, 200)
				for b.Loop() {
					trips = append(trips, roundTrip(b, c, 20))
					start := time.Now()
					res, err := r.Run("", shape.world)
					worlds = append(worlds, time.Since(start))
					if err != nil || res.Err != nil || len(res.Trace.Steps) != shape.steps {
						b.Fatal(err, res.Err, len(res.Trace.Steps))
					}
				}
				trip, world := median(trips), median(worlds)
				b.ReportMetric(float64(world)/float64(trip), "trips/world")
				if shape.steps > 0 {
					b.ReportMetric(float64(world)/float64(trip)/float64(shape.steps), "trips/step")
				}
				b.ReportMetric(float64(trip.Nanoseconds()), "ns/trip")
			})
		}
	}
}

func median(d []time.Duration) time.Duration {
	if len(d) == 0 {
		return 0
	}
	slices.Sort(d)
	return d[len(d)/2]
}
