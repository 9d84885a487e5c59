package interleave_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/interleave"
)

func TestTableBreaksLinesBetweenWords(t *testing.T) {
	words := []string{"HSET", "job:{doc-1}:a1", "status", "SUCCESS", "processed", "300", strings.Repeat("x", 30)}
	trace := &interleave.Trace{Steps: []*interleave.Step{
		{N: 1, Kind: interleave.StepOperation, Actor: "A", Command: words, Reply: "OK", Events: []string{"A notes one", "A notes two"}},
		{N: 2, Kind: interleave.StepOperation, Actor: "B", Command: []string{"GET", "k"}, Reply: "nil"},
	}}
	table := trace.Table(interleave.TableOptions{Width: 60})
	for _, w := range words[:6] {
		require.Contains(t, table, w)
	}
	require.Regexp(t, `(?m)│ notes one +│`, table)
	require.Regexp(t, `(?m)│ notes two +│`, table)
}

// The crash makes the violation; that B comes later would help only because A would then not make a job at all.
func TestDecideLooksUpToTheViolationFirst(t *testing.T) {
	world := func(w *interleave.World) {
		for _, name := range []string{"A", "B"} {
			w.Actor(name, func(a *interleave.Actor) error {
				if a.Redis().Exists(ctx, "pointer").Val() == 1 {
					return nil
				}
				a.Redis().Set(ctx, "job:"+name, "RUNNING", 0)
				return a.Redis().Set(ctx, "pointer", name, 0).Err()
			})
		}
		w.Always("no job of a dead actor without a pointer", func(s *interleave.State) error {
			if s.Crashed("A") && s.Entry("job:A") != nil && s.Entry("pointer").Text() != "A" {
				return errors.New("job:A")
			}
			return nil
		})
	}
	onEach(t, func(t *testing.T, r *interleave.Runner) {
		res := run(t, r, "A.EXISTS A.SET!crash B..", world)
		d := r.Decide(res, world)
		require.NotNil(t, d)
		require.Equal(t, []int{2}, d.Steps, d.Text)
		require.Contains(t, d.Text, "A.SET!crash (without it everything holds)")
	})
}

// A table is as wide as it may be, however many actors there are; the wide one leaves nothing out.
func TestTableFits(t *testing.T) {
	long := "job:{doc-1}:" + strings.Repeat("x", 200)
	trace := &interleave.Trace{Events: []string{"A notes early", "B notes early"}}
	for i, actor := range []string{"A", "B", "C", "D", "E"} {
		trace.Steps = append(trace.Steps, &interleave.Step{N: i + 1, Kind: interleave.StepOperation, Actor: actor, Command: []string{"SET", long, "RUNNING"}, Reply: "OK", Caller: "naive/jobs.go:66"})
	}
	trace.Steps = append(trace.Steps, &interleave.Step{N: 6, Kind: interleave.StepClock})
	for _, width := range []int{80, 100, 120, 200} {
		table := trace.Table(interleave.TableOptions{Width: width})
		for _, l := range strings.Split(table, "\n") {
			require.LessOrEqual(t, utf8.RuneCountInString(l), width, "%d:\n%s", width, table)
		}
		require.NotContains(t, table, long)
		require.Contains(t, table, "RUNNING → OK")
		require.Equal(t, width < 154, strings.Contains(table, "actor"), table)
		require.Equal(t, 2, strings.Count(table, "notes early"), table)
	}
	require.Contains(t, trace.Table(interleave.TableOptions{Width: -1}), "SET "+long+" RUNNING → OK")
	require.Regexp(t, `^[ -~\n]*$`, trace.Table(interleave.TableOptions{ASCII: true, Mark: []int{2}, MaxRows: 2}))
}
