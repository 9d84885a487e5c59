package interleave_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/internal/bare"
)

// The benchmarks print the median of a world as a ratio to the median of bursts of bare client round trips, one burst every
// 20 ms of the same run, so that a slow or busy machine slows both. ns/op holds both and means nothing. Run them with
//
//	go test -run '^$' -bench . -cpu 1 ./interleave

func BenchmarkBareRoundTrip(b *testing.B) {
	t := bare.Open(b, nil)
	b.ResetTimer()
	t.Burst(b, b.N)
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
	var script *redis.Script
	if scripted {
		script = redis.NewScript(bump)
	}
	trips := bare.Open(b, script)
	r, err := interleave.Open(append(opts, interleave.Redis(spec))...)
	if err != nil {
		b.Skip(err)
	}
	defer r.Close()
	var worlds []time.Duration
	for b.Loop() {
		trips.Sample(b)
		start := time.Now()
		err := world(r)
		worlds = append(worlds, time.Since(start))
		if err != nil {
			b.Fatal(err)
		}
	}
	ratio := float64(bare.Median(worlds)) / float64(trips.Median())
	b.ReportMetric(ratio, "trips/world")
	if steps > 0 {
		b.ReportMetric(ratio/float64(steps), "trips/step")
	}
	b.ReportMetric(float64(trips.Median().Nanoseconds()), "ns/trip")
}
