package scenarios

import (
	"fmt"
	"time"

	"github.com/racebench/racebench/impl"
	"github.com/racebench/racebench/impl/naive"
	"github.com/racebench/racebench/interleave"
)

var b10 = &Scenario{
	ID:      "B10",
	Name:    "lock-scope-cost",
	Subject: locksSubject,
	Title:   "computing inside the lock lets requests of one state queue up",
	Story: `Somebody computes while the lock is held, because that looks safer, and raises the time that a request may wait for it.
No two states ever meet. But neither do requests of one state, which may: each waits for all before it, so that N requests of T
take N x T. The published design gives the lock back before it computes, and they take T. Without a lock they take T as well.`,
	Window: "Do: from taking the lock to giving it back, with the compute in between",
	Cases: []Case{
		{Impl: "naive", Variants: []Variant{
			lockScope(naive.LockOptions{ComputeInside: true}, Variant{
				Name:     "compute inside the lock",
				Schedule: "A.. B.. run 5s",
				Breaks:   []Break{{requests.Together().Name, 13}},
				Shows:    "N requests of T take N x T",
				Counts:   Counts{admitted: 2, refused: 0, atOnce: 1},
				Measured: map[int]float64{1: 2, 5: 10, 20: 40},
			}),
			lockScope(naive.LockOptions{}, Variant{
				Name:     "compute outside the lock",
				Schedule: "A.. B.. run 5s",
				Shows:    "N requests of T take T",
				Counts:   Counts{admitted: 2, refused: 0, atOnce: 2},
				Measured: map[int]float64{1: 2, 5: 2, 20: 2},
			}),
		}},
		{Impl: "lua", Variants: []Variant{
			lockScope(naive.LockOptions{}, Variant{
				Schedule: "A.EVAL B.EVAL run 5s",
				Shows:    "N requests of T take T, and there is no lock",
				Counts:   Counts{admitted: 2, refused: 0, atOnce: 2},
				Measured: map[int]float64{1: 2, 5: 2, 20: 2},
			}),
		}},
	},
	Measurement: &Measurement{
		Title: fmt.Sprintf("virtual time until the last of N requests of %v each has computed", ofB10),
		X:     "requests",
		Unit:  "s",
		Of:    lastEnd,
	},
}

// ofB10 is T: how long each request of B10 computes.
const ofB10 = 2 * time.Second

func lockScope(opt naive.LockOptions, v Variant) Variant {
	name := "lua"
	if v.Name != "" {
		name = "naive"
	}
	v.Count = countAdmitted
	return sized(Sizes{Least: 1, Usual: 2, Most: 20}, func(w *interleave.World, target string, actors int) {
		l := locks(w, name, target)
		l.opt = opt
		l.cfg.Wait = time.Minute // so that the last gets its turn
		for i := range actors {
			l.request(string(rune('A'+i)), 0, impl.Processing, ofB10)
		}
		if actors > 1 {
			l.meet()
		}
		w.Check(computing.OneState(), requests.Together())
	}, v)
}

// lastEnd is when the last actor has ended its compute, in seconds of the virtual clock, as the actors noted it.
func lastEnd(res *interleave.Result, actors int) (float64, error) {
	var last time.Duration
	ended := 0
	for _, n := range res.Trace.Notes {
		if n.Key != noteEnds {
			continue
		}
		at, err := time.ParseDuration(n.Value)
		if err != nil {
			return 0, fmt.Errorf("%s ends at %q, which is no time", n.Actor, n.Value)
		}
		last, ended = max(last, at), ended+1
	}
	if ended != actors {
		return 0, fmt.Errorf("%d of %d requests have computed", ended, actors)
	}
	return last.Seconds(), nil
}
