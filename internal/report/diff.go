package report

import (
	"fmt"
	"slices"
	"strings"
)

// Difference is what changed from one document to another of the same kind. None of its lists is null.
type Difference struct {
	Head
	Of     string   `json:"of"`     // the kind of both documents
	Worse  []string `json:"worse"`  // one line for each case
	Better []string `json:"better"` // the same
	Other  []string `json:"other"`  // what is neither worse nor better
}

// Part is one of the lists of a difference.
type Part struct {
	Word  string
	Lines []string
}

// Parts are the lists, what matters most first.
func (d *Difference) Parts() []Part {
	return []Part{{"worse", d.Worse}, {"better", d.Better}, {"other", d.Other}}
}

// standing is what a document says of one case.
type standing struct {
	name     string // of the case
	grade    Grade
	says     string
	violated []string // invariants
	orders   *Orders  // nil where they were not counted
}

// Diff compares two documents of the same kind case by case: a scenario on an implementation, in a variant. Worse is one that
// fails and did not, that can't be judged any more, that violates more invariants or in a larger part of its orders, or that
// is not there any more, since what is not run proves nothing.
func Diff(before, after any) (*Difference, error) {
	if a, b := fmt.Sprintf("%T", before), fmt.Sprintf("%T", after); a != b {
		return nil, fmt.Errorf("they are of different kinds: %s and %s", kindOf(before), kindOf(after))
	}
	if _, err := Summarize(before); err != nil {
		return nil, err
	}
	was, oldBackend := standings(before)
	is, newBackend := standings(after)
	d := &Difference{Head: Head{Schema: Schema, Kind: KindDiff}, Of: kindOf(before), Worse: []string{}, Better: []string{}, Other: []string{}}
	if oldBackend != newBackend {
		d.Other = append(d.Other, fmt.Sprintf("backend: was %s %s, is %s %s", oldBackend.Name, oldBackend.Version, newBackend.Name, newBackend.Version))
	}
	for _, now := range is {
		i := slices.IndexFunc(was, func(s standing) bool { return s.name == now.name })
		switch {
		case i >= 0:
			d.compare(was[i], now)
		case now.grade == Passed:
			d.Other = append(d.Other, now.name+": is new: "+now.says)
		default:
			d.Worse = append(d.Worse, now.name+": is new: "+now.says)
		}
	}
	for _, old := range was {
		if !slices.ContainsFunc(is, func(s standing) bool { return s.name == old.name }) {
			d.Worse = append(d.Worse, old.name+": is not there any more; was "+old.says)
		}
	}
	return d, nil
}

func kindOf(document any) string {
	switch document.(type) {
	case *Run:
		return KindRun
	case *Replay:
		return KindReplay
	case *Exploration:
		return KindExploration
	}
	return KindFuzz
}

// compare says one thing about a case: the one that weighs most.
func (d *Difference) compare(was, is standing) {
	change := fmt.Sprintf("%s: was %s; is %s", is.name, was.says, is.says)
	more, less := without(is.violated, was.violated), without(was.violated, is.violated)
	switch {
	case is.grade > was.grade:
		d.Worse = append(d.Worse, change)
		return
	case is.grade < was.grade:
		d.Better = append(d.Better, change)
		return
	case len(more) > 0:
		d.Worse = append(d.Worse, is.name+": new: "+strings.Join(more, ", "))
		return
	case len(less) > 0:
		d.Better = append(d.Better, is.name+": gone: "+strings.Join(less, ", "))
		return
	}
	a, b := was.orders, is.orders
	if a == nil || b == nil || a.Violating == b.Violating && a.Orders == b.Orders && a.Complete == b.Complete {
		return
	}
	change = fmt.Sprintf("%s: %s orders violate; were %s", is.name, b.count(), a.count())
	// The shares are compared as fractions, without rounding, and only where both are of all orders.
	left, right := b.Violating*a.Orders, a.Violating*b.Orders
	switch {
	case a.Violating == 0 && b.Violating > 0, a.Complete && b.Complete && a.Faults == b.Faults && left > right, a.Complete && !b.Complete && b.Violating == 0:
		d.Worse = append(d.Worse, change)
	case a.Complete && b.Complete && a.Faults == b.Faults && left < right:
		d.Better = append(d.Better, change)
	default:
		d.Other = append(d.Other, change)
	}
}

func (o *Orders) count() string {
	text := fmt.Sprintf("%d of %d", o.Violating, o.Orders)
	if !o.Complete {
		text += " (not all)"
	}
	return text
}

// without are the members of a that b has not.
func without(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return slices.Contains(b, s) })
}

// standings reads what a document says of each of its cases.
func standings(document any) ([]standing, Backend) {
	var all []standing
	switch d := document.(type) {
	case *Run:
		for _, r := range d.Results {
			all = append(all, d.standing(&r))
		}
		return all, d.Backend
	case *Replay:
		s := standing{name: titleOf(d.Scenario, d.Name, d.Impl, d.Variant) + ", " + d.Order, says: d.Outcome, violated: d.violated()}
		s.grade = gradeOf(d.Outcome)
		return []standing{s}, d.Backend
	case *Exploration:
		s := standing{name: titleOf(d.Scenario, d.Name, d.Impl, d.Variant), grade: gradeOf(d.Verdict.String())}
		if d.Actors != 0 {
			s.name += fmt.Sprintf(", %d actors", d.Actors)
		}
		s.orders = &Orders{Violating: d.Violating, Orders: d.Orders, Complete: d.Exhausted, Faults: d.Faults}
		s.says = fmt.Sprintf("%v (%s orders violate)", d.Verdict, s.orders.count())
		for _, v := range d.Violations {
			s.violated = append(s.violated, v.Invariant)
		}
		return []standing{s}, d.Backend
	case *Fuzz:
		for _, i := range d.Impls {
			s := standing{name: "drawn worlds, " + i.Impl, says: i.Verdict}
			if i.Verdict == "violated" || i.Verdict == "undecided" {
				s.grade = gradeOf(i.Verdict)
			}
			// In a version that is known to be broken a race that is not found any more is what got worse.
			for _, id := range i.Missing {
				s.violated = append(s.violated, id+" is not found")
			}
			for _, f := range i.Found {
				if i.Verdict == "violated" && !slices.Contains(s.violated, f.Invariant) {
					s.violated = append(s.violated, f.Invariant)
				}
			}
			all = append(all, s)
		}
		return all, d.Backend
	}
	return nil, Backend{}
}

func (r *Run) standing(res *Result) standing {
	s := standing{name: titleOf(res.Scenario, res.Name, res.Impl, res.Variant), says: "as the catalogue expects"}
	for i := range res.Runs {
		o := &res.Runs[i]
		if !res.AsExpected && o.Error != "" {
			s.grade = max(s.grade, Unknown)
		}
		for _, v := range o.violated() {
			if !slices.Contains(s.violated, v) {
				s.violated = append(s.violated, v)
			}
		}
	}
	if !res.AsExpected {
		s.says = "not as the catalogue expects: " + strings.Join(res.Differences, "; ")
		if s.grade != Unknown {
			s.grade = Failed
		}
	}
	for i := range r.Orders {
		if o := &r.Orders[i]; o.Scenario == res.Scenario && o.Impl == res.Impl && o.Variant == res.Variant {
			s.orders = o
		}
	}
	return s
}

// violated are the invariants that were, each once.
func (o *Observed) violated() []string {
	var out []string
	for _, v := range o.Verdicts {
		if v.Outcome == "violated" {
			out = append(out, v.Invariant)
		}
	}
	return out
}

func gradeOf(outcome string) Grade {
	switch outcome {
	case "held":
		return Passed
	case "violated":
		return Failed
	}
	return Unknown
}
