package report

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Traced is a trace of a document with what there is to see in it.
type Traced struct {
	Title  string // whose it is, in one line
	Name   string // of a file for it, without an ending: A1-naive-1, as the page calls it
	Trace  *Trace
	Decide []int     // numbers of the steps that a violation hangs on
	Broken []Verdict // what was violated, after which step
}

// ErrNoTrace is the error of a picture that can't be made, because there is no trace that it could show.
var ErrNoTrace = errors.New("no trace")

// Example is the order that stands for a finding of an exploration or a campaign. Most documents leave it out: their schedule
// makes it again.
type Example struct {
	Title string `json:"title"` // whose it is, in one line
	Observed
	Decision *Decision `json:"decision,omitempty"`
}

// Bare is a document without what is there for pictures alone, and the document itself where that is nothing.
func Bare(document any) any {
	switch d := document.(type) {
	case *Exploration:
		bare := *d
		bare.Examples, bare.Kept = nil, nil
		return &bare
	case *Fuzz:
		bare := *d
		bare.Examples = nil
		return &bare
	}
	return document
}

// ShownTrace is the trace that a picture of a document shows: the first in which an invariant is violated or, where none is, the
// first. Of an exploration and a campaign that is the first finding, which is there only as long as the command lives.
func ShownTrace(document any) (*Traced, error) {
	all, err := Traces(document)
	if err != nil {
		return nil, err
	}
	for _, t := range all {
		if len(t.Broken) > 0 {
			return t, nil
		}
	}
	return all[0], nil
}

// Traces are all traces of a document, at least one. The error is ErrNoTrace where there is none.
func Traces(document any) ([]*Traced, error) {
	var all []*Traced
	switch d := document.(type) {
	case *Run:
		for i := range d.Results {
			r := &d.Results[i]
			for k := range r.Runs {
				all = append(all, r.Runs[k].traced(r.Scenario+"-"+r.Impl, titleOf(r.Scenario, r.Name, r.Impl, r.Variant), r.Decision))
			}
		}
	case *Replay:
		all = append(all, d.traced(d.Scenario+"-"+d.Impl, titleOf(d.Scenario, d.Name, d.Impl, d.Variant), d.Decision))
	case *Exploration:
		if len(d.Violations) > 0 && len(d.Examples) == 0 {
			return nil, fmt.Errorf("%w: this document has schedules without them", ErrNoTrace)
		}
		all = traces(d.Scenario+"-"+d.Impl, d.Examples)
	case *Fuzz:
		if found := func(i FuzzImpl) bool { return len(i.Found) > 0 }; slices.ContainsFunc(d.Impls, found) && len(d.Examples) == 0 {
			return nil, fmt.Errorf("%w: this document has schedules without them", ErrNoTrace)
		}
		all = traces("fuzz", d.Examples)
	default:
		return nil, fmt.Errorf("report: nothing to draw in a %T", document)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%w: nothing was found", ErrNoTrace)
	}
	seen := map[string]int{}
	for _, t := range all {
		seen[t.Name]++
		t.Name += fmt.Sprintf("-%d", seen[t.Name])
	}
	return all, nil
}

func traces(name string, examples []Example) []*Traced {
	var all []*Traced
	for i := range examples {
		e := &examples[i]
		all = append(all, e.traced(name, e.Title, e.Decision))
	}
	return all
}

func (o *Observed) traced(name, title string, d *Decision) *Traced {
	t := &Traced{Name: name, Title: title, Trace: &o.Trace}
	for _, v := range o.Verdicts {
		if v.Outcome == "violated" {
			t.Broken = append(t.Broken, v)
		}
	}
	if d != nil && len(t.Broken) > 0 {
		t.Decide = d.Steps
	}
	return t
}

// titleOf says whose a trace is.
func titleOf(scenario, name, impl, variant string) string {
	text := strings.TrimSpace(scenario+" "+name) + ", " + impl
	if variant != "" {
		text += ", " + variant
	}
	return text
}
