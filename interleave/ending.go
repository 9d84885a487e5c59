package interleave

import (
	"fmt"
	"slices"
)

// Ending is a way in which orders end, with how many do: what they violate, all of it, or that they hold or could not be
// judged.
type Ending struct {
	Outcome  Outcome  `json:"outcome"`            // held, undecided or violated
	Violates []string `json:"violates,omitempty"` // invariants, and the kind of an error; sorted
	Orders   int      `json:"orders"`             // that end so
}

// endingOf is the ending of one order.
func endingOf(res *Result) Ending {
	e := Ending{Outcome: res.Outcome(), Orders: 1}
	for _, v := range res.Verdicts {
		if v.Outcome == Violated {
			e.Violates = append(e.Violates, v.Invariant)
		}
	}
	if res.Err != nil {
		e.Outcome, e.Violates = Violated, append(e.Violates, fmt.Sprintf("%T", res.Err))
	}
	slices.Sort(e.Violates)
	return e
}

// addEnding counts an ending, those that are new last.
func addEnding(all []Ending, e Ending) []Ending {
	i := slices.IndexFunc(all, func(x Ending) bool { return x.Outcome == e.Outcome && slices.Equal(x.Violates, e.Violates) })
	if i < 0 {
		return append(all, e)
	}
	all[i].Orders += e.Orders
	return all
}

func addEndings(a, b []Ending) []Ending {
	for _, e := range b {
		a = addEnding(a, e)
	}
	return a
}
