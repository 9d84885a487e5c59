package scenarios

import (
	"fmt"
	"testing"
	"time"

	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/internal/bare"
)

// BenchmarkExecutions explores A1, a fresh world for each execution, and prints executions a second, what one costs in bare
// client round trips of the same run, and the round trips of a step. Run it with
//
//	go test -run '^$' -bench Executions -cpu 1 ./scenarios
func BenchmarkExecutions(b *testing.B) {
	s, err := Find("A1")
	if err != nil {
		b.Fatal(err)
	}
	for _, spec := range []string{"embedded", "process"} {
		for _, impl := range []string{"naive", "lua"} {
			b.Run(spec+"/"+impl, func(b *testing.B) {
				c, ok := s[0].Case(impl)
				if !ok {
					b.Fatal("no such case")
				}
				v := &c.Variants[0]
				trips := bare.Open(b, nil)
				steps := 0
				r, err := interleave.Open(interleave.Redis(spec), interleave.Unexplained(), interleave.Strategy("random"), interleave.MaxExecutions(10))
				if err != nil {
					b.Skip(err)
				}
				defer r.Close()
				res, err := v.Run(r, Target)
				if err != nil {
					b.Fatal(err)
				}
				steps = len(res.Trace.Steps)
				var times []time.Duration
				for b.Loop() {
					trips.Sample(b)
					start := time.Now()
					x := r.Explore(b.Context(), func(w *interleave.World) { v.World(w, Target) })
					times = append(times, time.Since(start)/time.Duration(x.Executions))
					if x.Err != nil || x.Executions != 10 {
						b.Fatal(fmt.Sprint(x), x.Err)
					}
				}
				one := bare.Median(times)
				b.ReportMetric(float64(time.Second)/float64(one), "executions/s")
				b.ReportMetric(float64(one)/float64(trips.Median()), "trips/execution")
				b.ReportMetric(float64(one)/float64(trips.Median())/float64(steps), "trips/step")
			})
		}
	}
}
