package interleave

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/racebench/racebench/interleave/backend"
	"github.com/racebench/racebench/internal/raced"
)

// outcomes is what an exploration says whatever way it went.
func outcomes(x *Exploration) string {
	text := fmt.Sprintf("%v complete %t orders %d violating %d undecided %d err %v", x.Outcome(), x.Complete, x.Orders, x.Violating, x.Undecided, x.Err)
	found := map[string]int{}
	for _, f := range x.Found {
		found[f.What] = f.Orders
	}
	return fmt.Sprint(text, found)
}

// lostUpdate is n actors that read a counter and write it.
func lostUpdate(n int) func(*World) {
	return func(w *World) {
		for i := range n {
			w.Actor(string(rune('A'+i)), func(a *Actor) error {
				v, _ := a.Redis().Get(a.Context(), "n").Int()
				return a.Redis().Set(a.Context(), "n", v+1, 0).Err()
			})
		}
		w.Finally("nothing is lost", func(s *State) error {
			if got := s.Entry("n").Text(); got != fmt.Sprint(n) {
				return fmt.Errorf("n = %s", got)
			}
			return nil
		})
	}
}

func openFor(t *testing.T, opts ...Option) *Runner {
	r, err := Open(append(opts, For(t))...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	return r
}

// TestUnitsComeToTheSame: unit by unit an exploration runs every order exactly once, as in one go.
func TestUnitsComeToTheSame(t *testing.T) {
	r := openFor(t)
	for n, orders := range map[int]int{1: 1, 2: 4, 3: 36, 4: 576} {
		whole := r.Explore(context.Background(), lostUpdate(n))
		parts := r.ExploreParts(context.Background(), lostUpdate(n))
		require.Equal(t, orders, parts.Orders)
		require.Equal(t, outcomes(whole), outcomes(parts))
	}
	rapid.Check(t, func(rt *rapid.T) {
		p := drawProgram(rt)
		whole := r.Explore(context.Background(), p.world)
		if whole.Executions > 60 {
			rt.Skip("enough of those below")
		}
		parts := r.ExploreParts(context.Background(), p.world)
		require.Equal(rt, describe(rt, whole), describe(rt, parts), "what is over with the trial is the search itself: %s", p)
		defer func(n int) { trialLength = n }(trialLength)
		trialLength = 1
		parts = r.ExploreParts(context.Background(), p.world)
		require.Equal(rt, outcomes(whole), outcomes(parts), "%s", p)
	})
}

// TestUnitsWithFaults: faults are steps like any other.
func TestUnitsWithFaults(t *testing.T) {
	defer func(n int) { trialLength = n }(trialLength)
	for _, opt := range []Option{Faults("crash:1"), Faults("lost:1"), Faults("evict:1"), Faults("restart:1")} {
		r := openFor(t, opt)
		trialLength = 500
		whole := r.Explore(context.Background(), lostUpdate(2))
		trialLength = 1
		require.Equal(t, outcomes(whole), outcomes(r.ExploreParts(context.Background(), lostUpdate(2))))
	}
}

// TestUnitsAnyOrder: whatever the order in which parts come and whoever has run them, they add up to the same bytes; also
// when they have been text on the way, and when a bound cuts the exploration in the middle of a part.
func TestUnitsAnyOrder(t *testing.T) {
	world := lostUpdate(4)
	for _, opts := range raced.First([][]Option{{MaxExecutions(100)}, nil, {StopAtFirst()}, {Strategy("surw"), Seed(3), MaxExecutions(700)},
		{Strategy("portfolio"), MaxExecutions(1000)}, {Preemptions(1)}, {Strategy("dfs"), MaxExecutions(300)}}) {
		r := openFor(t, opts...)
		want := describe(t, r.ExploreParts(context.Background(), world))
		for seed := range uint64(3) {
			units, err := r.Split(context.Background(), world)
			require.NoError(t, err)
			a := r.NewAssembly(units)
			rand.New(rand.NewPCG(seed, 0)).Shuffle(len(units), func(i, j int) { units[i], units[j] = units[j], units[i] })
			for _, u := range units {
				text, err := json.Marshal(r.ExplorePart(context.Background(), world, u))
				require.NoError(t, err)
				var p Part
				require.NoError(t, json.Unmarshal(text, &p))
				require.NoError(t, a.Add(p))
			}
			require.True(t, a.Done())
			require.Equal(t, want, describe(t, r.Assemble(context.Background(), a, world)))
		}
	}
}

// describe is all of an exploration as text.
func describe(t require.TestingT, x *Exploration) string {
	text, err := json.Marshal(x)
	require.NoError(t, err)
	return string(text)
}

// TestUnitsCutAgain: a unit that is too large is replaced by smaller ones, and they come to the same.
func TestUnitsCutAgain(t *testing.T) {
	r := openFor(t)
	want := outcomes(r.Explore(context.Background(), lostUpdate(4)))
	defer func(n int) { unitTooLarge = n }(unitTooLarge)
	unitTooLarge = 3
	x := r.ExploreParts(context.Background(), lostUpdate(4))
	require.Equal(t, want, outcomes(x))
	require.Positive(t, x.Repeated)
	require.Equal(t, x.Executions, x.Orders+x.Pruned+x.Repeated)
}

// TestUnitsTakenUpAgain: the parts of an interrupted exploration, added to a new assembly, are not run again.
func TestUnitsTakenUpAgain(t *testing.T) {
	r := openFor(t)
	world := lostUpdate(4)
	want := describe(t, r.ExploreParts(context.Background(), world))
	units, err := r.Split(context.Background(), world)
	require.NoError(t, err)
	a := r.NewAssembly(units)
	for range len(units) / 2 {
		u, ok := a.Next()
		require.True(t, ok)
		require.NoError(t, a.Add(r.ExplorePart(context.Background(), world, u)))
	}
	require.False(t, a.Done())
	b := r.NewAssembly(units)
	for _, p := range a.Parts() {
		require.NoError(t, b.Add(p))
	}
	ran := 0
	for !b.Done() {
		u, ok := b.Next()
		require.True(t, ok)
		require.NoError(t, b.Add(r.ExplorePart(context.Background(), world, u)))
		ran++
	}
	require.Equal(t, len(units)-len(units)/2, ran)
	require.Equal(t, want, describe(t, r.Assemble(context.Background(), b, world)))
}

// TestUnitsRefuse: what is no part of the exploration is refused and changes nothing.
func TestUnitsRefuse(t *testing.T) {
	r := openFor(t)
	units, err := r.Split(context.Background(), lostUpdate(3))
	require.NoError(t, err)
	a := r.NewAssembly(units)
	p := r.ExplorePart(context.Background(), lostUpdate(3), units[0])
	require.ErrorContains(t, a.Add(Part{Unit: Unit{ID: "x"}}), "part x that is no unit")
	require.NoError(t, a.Add(p))
	require.ErrorContains(t, a.Add(p), "two parts "+p.Unit.ID)
}

// TestPartsLeaveNothingOut: whatever an exploration counts, its parts add up to it.
func TestPartsLeaveNothingOut(t *testing.T) {
	r := openFor(t, KeepOrders())
	one := r.ExploreParts(context.Background(), lostUpdate(2))
	whole := r.Explore(context.Background(), lostUpdate(2))
	a, b := reflect.ValueOf(*one), reflect.ValueOf(*whole)
	for i := range a.NumField() {
		name := a.Type().Field(i).Name
		if !b.Field(i).IsZero() {
			require.False(t, a.Field(i).IsZero(), "Exploration.add forgets %s", name)
		}
	}
	require.Equal(t, whole.Windows, one.Windows)
}

// TestUnitsAreBounded: the bounds of an exploration are those of its parts together.
func TestUnitsAreBounded(t *testing.T) {
	for _, tt := range []struct {
		opts       []Option
		executions int
		bound      string
	}{
		{[]Option{MaxExecutions(100)}, 100, "100 executions, the most that MaxExecutions allows"},
		{[]Option{MaxExecutions(700)}, 700, "700 executions, the most that MaxExecutions allows"},
		{[]Option{StopAtFirst()}, 2, "stopped at the first"},
		{[]Option{Strategy("pct"), MaxExecutions(300)}, 300, "300 executions, the most that MaxExecutions allows"},
		{[]Option{Strategy("portfolio"), MaxExecutions(510)}, 510, "510 executions, the most that MaxExecutions allows"},
	} {
		x := openFor(t, tt.opts...).ExploreParts(context.Background(), lostUpdate(4))
		require.Equal(t, tt.executions, x.Executions)
		require.Equal(t, tt.bound, x.Bound)
		require.False(t, x.Complete)
		require.Equal(t, x.Executions, x.Orders+x.Pruned+x.Repeated)
	}
}

// TestUnitsKeepTheShortest: of what several parts have found, the order with the fewest switches is shown, and one of the
// trial before all.
func TestUnitsKeepTheShortest(t *testing.T) {
	r := openFor(t)
	part := func(id string, switches int) Part {
		return Part{Unit: Unit{ID: id}, Done: true, Sum: Exploration{Executions: 1, Orders: 1, Violating: 1, FirstAt: 1},
			Findings: []PartFinding{{What: "w", Orders: 1, Schedule: id, Switches: switches}}}
	}
	a := r.NewAssembly([]Unit{{ID: "a"}, {ID: "b"}, {ID: "c"}})
	for _, p := range []Part{part("c", 2), part("a", 4), part("b", 2)} {
		require.NoError(t, a.Add(p))
	}
	require.Equal(t, "b", a.found[0].Schedule)
	require.Equal(t, 3, a.sum.Found[0].Orders)
	require.Equal(t, 1, a.sum.FirstAt)
	a = r.NewAssembly([]Unit{{ID: "a"}, {ID: "b"}})
	require.NoError(t, a.Add(part("a", 0)))
	require.NoError(t, a.Add(part("b", 1)))
	require.Equal(t, "a", a.found[0].Schedule)
}

// TestTimeIsOverWhileItIsCut: an end of the time between the trial and the first unit is an end like any other, not an error.
func TestTimeIsOverWhileItIsCut(t *testing.T) {
	defer func(n int) { trialLength = n }(trialLength)
	trialLength = 3
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	worlds := 0
	units, err := openFor(t).Split(ctx, func(w *World) {
		if worlds++; worlds == trialLength+2 {
			cancel()
		}
		lostUpdate(4)(w)
	})
	require.NoError(t, err)
	require.Equal(t, trialLength+2, worlds)
	require.Len(t, units, trialLength+1)
	require.Equal(t, Unit{ID: "rest"}, units[trialLength])
}

// TestTakenUpAfterAStoppedTrial: what is kept of an exploration that was stopped in its trial fits the one that takes it up.
func TestTakenUpAfterAStoppedTrial(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	worlds := 0
	r := openFor(t)
	units, err := r.Split(ctx, func(w *World) {
		if worlds++; worlds == 10 {
			cancel()
		}
		lostUpdate(4)(w)
	})
	require.NoError(t, err)
	a := r.NewAssembly(units)
	for _, u := range units[:len(units)-1] {
		require.NoError(t, a.Add(r.ExplorePart(ctx, lostUpdate(4), u)))
	}
	require.Positive(t, a.sum.Executions)

	again := openFor(t)
	whole, err := again.Split(context.Background(), lostUpdate(4))
	require.NoError(t, err)
	b := again.NewAssembly(whole)
	for _, p := range a.Parts() {
		require.NoError(t, b.Add(p))
	}
}

// TestPartsKeepTheCause: a part that was text in between still says that the backend was the reason.
func TestPartsKeepTheCause(t *testing.T) {
	for _, cause := range []error{
		&backend.UnavailableError{Backend: "process", Err: errors.New("it died"), Hint: "start it"},
		&backend.RefusedError{Backend: "embedded", Command: "XGROUP", Reason: "it would differ", Hint: "--redis process"},
		errors.New("another"),
	} {
		var p, q Part
		p.gaveUp(fmt.Errorf("step 3: %w", cause))
		text, err := json.Marshal(p)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, &q))
		require.EqualError(t, q.err(), "step 3: "+cause.Error())
		require.Equal(t, p.Cause, q.Cause)
		var gone *backend.UnavailableError
		var refused *backend.RefusedError
		switch want := cause.(type) {
		case *backend.UnavailableError:
			require.ErrorAs(t, q.err(), &gone)
			require.Equal(t, want, gone)
		case *backend.RefusedError:
			require.ErrorAs(t, q.err(), &refused)
			require.Equal(t, want, refused)
		default:
			require.Nil(t, q.Cause)
		}
	}
	x := openFor(t).ExploreParts(context.Background(), func(w *World) {
		w.Actor("A", func(a *Actor) error {
			return a.Redis().XGroupCreateMkStream(a.Context(), "s", "g", "$").Err()
		})
	})
	var refused *backend.RefusedError
	require.ErrorAs(t, x.Err, &refused)
}
