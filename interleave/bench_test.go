package interleave_test

import (
	"errors"
	"fmt"
	"net"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/internal/rundir"
)

// The benchmarks print the median of a world as a ratio to the median of bursts of bare client round trips, one burst every
// 20 ms of the same run, so that a slow or busy machine slows both. ns/op holds both and means nothing. Run them with
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
			client := redis.NewClient(&redis.Options{Network: "unix", Addr: sock})
			b.Cleanup(func() { client.Close() })
			return client
		}
		time.Sleep(10 * time.Millisecond)
	}
	b.Fatal("redis-server did not come up")
	return nil
}

// burst is the mean time of n bare round trips with the commands of the worlds: GET and SET in turn, or a script.
func burst(b *testing.B, c *redis.Client, n int, scripted bool) time.Duration {
	script := redis.NewScript(bump)
	start := time.Now()
	for i := range n {
		var err error
		switch {
		case scripted:
			err = script.Run(ctx, c, []string{"n"}, 1).Err()
		case i%2 == 0:
			err = c.Get(ctx, "k").Err()
		default:
			err = c.Set(ctx, "k", i, 0).Err()
		}
		if err != nil && err != redis.Nil {
			b.Fatal(err)
		}
	}
	return time.Since(start) / time.Duration(n)
}

func BenchmarkBareRoundTrip(b *testing.B) {
	c := bare(b)
	b.ResetTimer()
	burst(b, c, b.N, false)
}

// shapes are worlds to measure: with few and with many commands, with and without scripts.
var shapes = []struct {
	name     string
	steps    int
	scripted bool
	world    func(*interleave.World)
}{
	{"set-up only", 0, false, func(w *interleave.World) {
		for _, name := range []string{"A", "B"} {
			w.Actor(name, func(a *interleave.Actor) error { return nil })
		}
	}},
	{"set-up with clients", 0, false, func(w *interleave.World) {
		for _, name := range []string{"A", "B"} {
			w.Actor(name, func(a *interleave.Actor) error { return a.Redis().Ping(ctx).Err() })
		}
	}},
	{"2x4 commands", 8, false, commands(4)},
	{"2x100 commands", 200, false, commands(100)},
	{"2x4 scripts", 8, true, scripts(4)},
	{"2x100 scripts", 200, true, scripts(100)},
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

// BenchmarkWorld runs each shape in the fair order, and once more as an exploration runs it, which computes what each step
// touches and leaves the rest of the trace as it is.
func BenchmarkWorld(b *testing.B) {
	for _, spec := range []string{"embedded", "process"} {
		for _, shape := range shapes {
			b.Run(spec+"/"+shape.name, func(b *testing.B) {
				measure(b, spec, shape.steps, shape.scripted, func(r *interleave.Runner) error {
					res, err := r.Run("", shape.world)
					if err == nil && res.Err == nil && len(res.Trace.Steps) != shape.steps {
						err = fmt.Errorf("%d steps", len(res.Trace.Steps))
					}
					return errors.Join(err, res.Err)
				})
			})
			b.Run(spec+"/"+shape.name+" explored", func(b *testing.B) {
				measure(b, spec, shape.steps, shape.scripted, func(r *interleave.Runner) error { return r.Explore(ctx, shape.world).Err },
					interleave.Strategy("random"), interleave.MaxExecutions(1))
			})
		}
	}
}

// measure reports how many bare round trips a world and a step cost.
func measure(b *testing.B, spec string, steps int, scripted bool, world func(*interleave.Runner) error, opts ...interleave.Option) {
	c := bare(b)
	r, err := interleave.Open(append(opts, interleave.Redis(spec))...)
	if err != nil {
		b.Skip(err)
	}
	defer r.Close()
	var trips, worlds []time.Duration
	for last := (time.Time{}); b.Loop(); {
		if time.Since(last) > 20*time.Millisecond {
			trips = append(trips, burst(b, c, 200, scripted))
			last = time.Now()
		}
		start := time.Now()
		err := world(r)
		worlds = append(worlds, time.Since(start))
		if err != nil {
			b.Fatal(err)
		}
	}
	ratio := float64(median(worlds)) / float64(median(trips))
	b.ReportMetric(ratio, "trips/world")
	if steps > 0 {
		b.ReportMetric(ratio/float64(steps), "trips/step")
	}
	b.ReportMetric(float64(median(trips).Nanoseconds()), "ns/trip")
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}
