package page

import (
	"bytes"
	"encoding/json"
	"html/template"
	"strings"

	"github.com/racebench/racebench/internal/diagram"
	"github.com/racebench/racebench/internal/report"
)

// flipped is the order that was run to find out what decides, with what came of it.
type flipped struct {
	Name, Schedule, Command, Verdict string
	But                              string // what it violates all the same
	Picture                          template.HTML
}

// flip is what the page says of the flipped order of an entry; nil when none was run.
func (b *builder) flip(e *entry, d *report.Decision) (*flipped, error) {
	f := d.Flipped
	if f == nil {
		return nil, nil
	}
	x := &flipped{Name: flippedNames[min(len(d.Steps), 2)], Schedule: f.Schedule, Verdict: f.Outcome, But: strings.Join(f.Violates, ", ")}
	if e.replay != nil {
		x.Command = e.replay(f.Schedule)
	}
	var svg bytes.Buffer
	opts := diagram.Options{Inline: true, Title: x.Name + " of " + e.ID}
	if err := diagram.SVG(&svg, &f.Seen.Trace, opts); err != nil {
		return nil, err
	}
	if len(f.Seen.Trace.Steps) > 0 && b.room(svg.Len()) {
		x.Picture = template.HTML(svg.String())
	}
	return x, nil
}

// flippedNames say how an order differs from one that violates, by the number of steps that decide.
var flippedNames = [...]string{"The order that holds", "The order without it", "The flipped order"}

// room takes some bytes of what the file may have, if there are so many.
func (b *builder) room(size int) bool {
	if size > b.left {
		return false
	}
	b.left -= size
	return true
}

func (d *data) size() int {
	text, err := json.Marshal(d)
	if err != nil {
		return MaxBytes // it does not fit, and the template says why
	}
	return len(text)
}

// Width is the share of the orders that violate, in percent.
func (m *model) Width(w *report.Orders) int {
	if w.Orders == 0 {
		return 0
	}
	return (100*w.Violating + w.Orders - 1) / w.Orders
}
