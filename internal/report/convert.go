package report

import (
	"cmp"
	"slices"

	"github.com/racebench/racebench/interleave"
)

// Explored is the document of an exploration, without what only the one who asked for it knows: whose it is, how it was asked
// for, and how fast it was. title is that of the examples. decisions say what the first orders of the findings hang on, tokens
// are those of the orders that are shown; nil where nobody knows.
func Explored(x *interleave.Exploration, title string, decisions []*interleave.Decision, tokens []string) Exploration {
	doc := Exploration{
		Head:       Head{Schema: Schema, Kind: KindExploration},
		Executions: x.Executions, Orders: x.Orders, Pruned: x.Pruned, Met: x.Met, States: x.States, Repeated: x.Repeated,
		Undecided: x.Undecided, Violating: x.Violating, FirstAt: x.FirstAt, Exhausted: x.Complete, Verdict: x.Outcome(),
		Reason: x.Bound, Violations: []Violation{}, Endings: append([]interleave.Ending{}, x.Endings...),
		Windows: x.Windows, Serial: x.Serial, Kept: x.Kept,
	}
	if all := x.All(); all != nil {
		doc.All = all.String()
	}
	if x.Err != nil {
		doc.Reason = x.Err.Error()
	}
	doc.Reason = cmp.Or(doc.Reason, x.Why)
	if x.Outcome() != interleave.Violated { // everything may have held, and is undecided all the same
		doc.Reason = cmp.Or(doc.Reason, x.Unreached())
	}
	slices.SortStableFunc(doc.Endings, func(a, b interleave.Ending) int {
		return cmp.Or(cmp.Compare(b.Orders, a.Orders), slices.Compare(a.Violates, b.Violates))
	})
	if c := x.Coverage; c != nil {
		doc.Coverage = &Coverage{Verdict: c.Verdict(), Actors: c.Actors, OneWay: c.OneWay(), Everything: c.Everything, Unseen: c.Unseen()}
		for _, k := range c.Keys {
			k.Seen = nil // a fingerprint means nothing to a reader
			doc.Coverage.Keys = append(doc.Coverage.Keys, k)
		}
	}
	if x.Differs != nil {
		doc.Differs = x.Differs.Error()
	}
	for i, found := range x.Found {
		v := Violation{
			Invariant: found.What, Class: found.Class, Story: found.Story, Orders: found.Orders,
			Schedule: found.First.Trace.Schedule().String(), Steps: len(found.First.Trace.Steps),
		}
		shown := found.First
		var hangs *interleave.Decision
		if i < len(decisions) {
			hangs = decisions[i]
			v.Decision = Decided(hangs, false)
		}
		if i < len(tokens) {
			v.Token = tokens[i]
		}
		if found.Decision != nil {
			v.Decides = found.Decision.Text
		}
		if found.Shrunk != nil {
			v.Shrunk = found.Shrunk.Trace.Schedule().String()
			shown, hangs = found.Shrunk, found.Decision
		}
		doc.Examples = append(doc.Examples, NewExample(title, shown, hangs))
		doc.Violations = append(doc.Violations, v)
	}
	return doc
}

// NewExample is the order that a picture of a finding shows.
func NewExample(title string, res *interleave.Result, d *interleave.Decision) Example {
	return Example{Title: title, Observed: observe(res), Decision: Decided(d, true)}
}

// Decided is what a violation hangs on as the documents say it, with what happened in the flipped order if seen; nil for nil.
func Decided(d *interleave.Decision, seen bool) *Decision {
	if d == nil {
		return nil
	}
	out := &Decision{Steps: d.Steps, Text: d.Text}
	if d.Nearest == nil {
		return out
	}
	o := observe(d.Nearest)
	out.Flipped = &Flipped{Schedule: o.Order, Outcome: o.Outcome}
	if seen {
		out.Flipped.Seen = &o
	}
	for _, v := range o.Verdicts {
		if v.Outcome == interleave.Violated.String() {
			out.Flipped.Violates = append(out.Flipped.Violates, v.Invariant)
		}
	}
	return out
}

// observe is Observe of a result of this program, which can be described.
func observe(res *interleave.Result) Observed {
	o, err := Observe(res, "")
	if err != nil {
		panic(err)
	}
	return o
}
