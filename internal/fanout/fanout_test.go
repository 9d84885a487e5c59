package fanout

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/interleave"
)

const asWorker = "FANOUT_TEST_WORKER"

func TestMain(m *testing.M) {
	switch os.Getenv(asWorker) {
	case "":
		os.Exit(m.Run())
	case "silly":
		fmt.Fprintln(os.Stderr, "no such universe")
		os.Exit(7)
	}
	runtime.GOMAXPROCS(1)
	r, err := interleave.Open(interleave.MaxExecutions(100_000))
	if err == nil {
		var ran atomic.Int64
		err = Serve(context.Background(), os.Stdin, os.Stdout, &ran, func(ctx context.Context, u interleave.Unit) interleave.Part {
			return r.ExplorePart(ctx, func(w *interleave.World) { ran.Add(1); lostUpdate(w) }, u)
		})
		r.Close()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// lostUpdate is four actors that read a counter and write it, 576 orders, more than a trial has.
func lostUpdate(w *interleave.World) {
	for _, name := range []string{"A", "B", "C", "D"} {
		w.Actor(name, func(a *interleave.Actor) error {
			v, _ := a.Redis().Get(a.Context(), "n").Int()
			return a.Redis().Set(a.Context(), "n", v+1, 0).Err()
		})
	}
	w.Finally("nothing is lost", func(s *interleave.State) error {
		if got := s.Entry("n").Text(); got != "4" {
			return fmt.Errorf("n = %s", got)
		}
		return nil
	})
}

func child(kind string) func() *exec.Cmd {
	return func() *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), asWorker+"="+kind)
		return cmd
	}
}

// exploration explores with a plan, and returns what it came to as text.
func exploration(t *testing.T, ctx context.Context, change func(*Plan)) (string, *Plan, error) {
	r, err := interleave.Open(interleave.MaxExecutions(100_000), interleave.For(t))
	require.NoError(t, err)
	defer r.Close()
	units, err := r.Split(context.Background(), lostUpdate)
	require.NoError(t, err)
	p := &Plan{Assembly: r.NewAssembly(units), Workers: 2, Local: func(ctx context.Context, u interleave.Unit) interleave.Part {
		return r.ExplorePart(ctx, lostUpdate, u)
	}}
	change(p)
	err = Explore(ctx, *p)
	x := r.Assemble(ctx, p.Assembly, lostUpdate)
	text, jsonErr := json.Marshal(x)
	require.NoError(t, jsonErr)
	return string(text), p, err
}

// TestAnyWorkers: one process or several, and whatever dies: the same bytes.
func TestAnyWorkers(t *testing.T) {
	want, _, err := exploration(t, context.Background(), func(*Plan) {})
	require.NoError(t, err)
	require.Contains(t, want, `"Complete":true`)

	for _, n := range []int{1, 3} {
		ran := 0
		got, _, err := exploration(t, context.Background(), func(p *Plan) {
			p.Workers, p.Command, p.Ran = n, child("good"), func(n int) { ran += n }
		})
		require.NoError(t, err)
		require.Equal(t, want, got)
		require.GreaterOrEqual(t, ran, 576, "workers have explored")
	}

	killed := 0
	got, _, err := exploration(t, context.Background(), func(p *Plan) {
		p.Command = child("good")
		p.Started = func(pid int) {
			if killed < 2 {
				killed++
				require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
			}
		}
	})
	require.NoError(t, err)
	require.Equal(t, 2, killed)
	require.Equal(t, want, got)
}

// TestWorkersThatDie: a worker that always dies is given up, with what it has said, and nothing is left running.
func TestWorkersThatDie(t *testing.T) {
	var pids []int
	_, _, err := exploration(t, context.Background(), func(p *Plan) {
		p.Command, p.Started = child("silly"), func(pid int) { pids = append(pids, pid) }
	})
	require.ErrorContains(t, err, "died 3 times in unit")
	require.ErrorContains(t, err, "exit status 7\nno such universe")
	for _, pid := range pids {
		require.ErrorIs(t, syscall.Kill(pid, 0), syscall.ESRCH)
	}
	_, _, err = exploration(t, context.Background(), func(p *Plan) { p.Command = func() *exec.Cmd { return exec.Command("/nowhere") } })
	require.ErrorContains(t, err, "a worker can't be started")
}

// TestStopped: when the context ends, what has been explored counts, and can be taken up.
func TestStopped(t *testing.T) {
	want, _, err := exploration(t, context.Background(), func(*Plan) {})
	require.NoError(t, err)
	ctx, cancel := context.WithCancelCause(context.Background())
	got, first, err := exploration(t, ctx, func(p *Plan) {
		p.Command = child("good")
		n := 0
		p.Added = func() {
			if n++; n == 5 {
				cancel(fmt.Errorf("enough"))
			}
		}
	})
	require.NoError(t, err)
	require.Contains(t, got, `"Complete":false`)
	require.Contains(t, got, `"Bound":"enough after `)
	require.GreaterOrEqual(t, len(first.Assembly.Parts()), 5)
	again, _, err := exploration(t, context.Background(), func(p *Plan) {
		for _, part := range first.Assembly.Parts() {
			require.NoError(t, p.Assembly.Add(part))
		}
		p.Command = child("good")
	})
	require.NoError(t, err)
	require.Equal(t, want, again)
}

// TestServeRefuses: what is no unit ends a worker with an error.
func TestServeRefuses(t *testing.T) {
	var ran atomic.Int64
	var out strings.Builder
	err := Serve(context.Background(), strings.NewReader("{"), &out, &ran, nil)
	require.ErrorContains(t, err, "no unit")
	require.Empty(t, out.String())
}
