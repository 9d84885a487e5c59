package page

import (
	"bytes"
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"github.com/racebench/racebench/internal/diagram"
)

// draw fills in what there is to see of each entry, while there is room: first the words of all of them, then the traces
// and pictures.
func (b *builder) draw() error {
	for _, r := range b.m.Races {
		kept := r.Cases[:0]
		for _, e := range r.Cases {
			b.say(e)
			// A row of the overview, the article, and the same again in buttons.
			if b.room(3*size(e) + 3000) {
				kept = append(kept, e)
			} else {
				b.m.Cases++
			}
		}
		r.Cases = kept
	}
	for _, r := range b.m.Races {
		r.Spaces = b.fitting(r.Spaces)
		for _, e := range r.Cases {
			if err := b.trace(e); err != nil {
				return err
			}
		}
	}
	return nil
}

// say fills in the words of an entry.
func (b *builder) say(e *entry) {
	if o := e.seen; o != nil {
		var classes []string
		for _, v := range o.Verdicts {
			if v.Outcome == "violated" {
				classes = append(classes, v.Invariant)
				e.Lines = slices.DeleteFunc(e.Lines, func(l string) bool { return strings.HasPrefix(l, "violated: "+strconv.Quote(v.Invariant)) }) // the same, as the command says it
				e.Lines = add(e.Lines, fmt.Sprintf("%s: violated after step %d. %s", v.Invariant, v.Step, v.Detail))
			}
		}
		if o.Error != "" {
			e.Lines = add(e.Lines, o.Error)
		}
		e.Classes = strings.Join(classes, "|")
		if e.decision != nil && o.Outcome == "violated" {
			e.Decides = e.decision.Text
			e.Lines = slices.DeleteFunc(e.Lines, func(l string) bool { return l == "decides: "+e.Decides })
		}
	}
	e.Snippet = b.snippet(e)
}

func add(lines []string, line string) []string {
	for _, l := range lines {
		if strings.Contains(l, line) {
			return lines
		}
	}
	return append(lines, line)
}

// trace gives an entry its pictures and what time travel needs.
func (b *builder) trace(e *entry) error {
	o := e.seen
	if o == nil {
		return nil
	}
	opts := diagram.Options{Inline: true, Title: "Space-time diagram of " + e.ID, Rows: e.rows}
	for _, v := range o.Verdicts {
		if v.Outcome == "violated" {
			opts.Broken = append(opts.Broken, v.Step)
		}
	}
	if e.Decides != "" {
		opts.Decide = e.decision.Steps
	}
	var svg bytes.Buffer
	if err := diagram.SVG(&svg, &o.Trace, opts); err != nil {
		return err
	}
	d := &data{Before: o.Trace.Before, Steps: o.Trace.Steps, Verdicts: o.Verdicts, Events: o.Trace.Events, Waited: o.Trace.Waited, Lines: map[string]string{}}
	if b.o.Line != nil {
		for _, s := range d.Steps {
			if s.Caller != "" {
				d.Lines[s.Caller] = b.o.Line(s.Caller)
			}
		}
	}
	if !b.room(svg.Len() + size(d)) {
		b.m.Traces++
		return nil
	}
	e.Picture, e.Data, e.Last = template.HTML(svg.String()), d, len(d.Steps)
	return b.flip(e)
}

// flipped is the order that was run to find out what decides, with what came of it.
type flipped struct {
	Name, Schedule, Command, Verdict string
	But                              string // what it violates all the same
	Picture                          template.HTML
}

// flippedNames say how an order differs from one that violates, by the number of steps that decide.
var flippedNames = [...]string{"The order that holds", "The order without it", "The flipped order"}

// flip fills in the flipped order of an entry, if one was run.
func (b *builder) flip(e *entry) error {
	if e.Decides == "" || e.decision.Flipped == nil {
		return nil
	}
	f := e.decision.Flipped
	x := &flipped{Name: flippedNames[min(len(e.decision.Steps), 2)], Schedule: f.Schedule, Verdict: f.Outcome, But: strings.Join(f.Violates, ", ")}
	if e.replay != nil {
		x.Command = e.replay(f.Schedule)
	}
	if !b.room(3*size(x) + 500) {
		return nil
	}
	e.Flipped = x
	if f.Seen == nil {
		return nil // the document does not have it, the command shows it
	}
	var svg bytes.Buffer
	if err := diagram.SVG(&svg, &f.Seen.Trace, diagram.Options{Inline: true, Title: x.Name + " of " + e.ID}); err != nil {
		return err
	}
	if b.room(svg.Len()) {
		x.Picture = template.HTML(svg.String())
	}
	return nil
}
