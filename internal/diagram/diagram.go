// Package diagram draws a trace as a space-time diagram: one line for each actor and one for each key, time downwards, and a
// mark for everything that happened. The picture is made of the trace alone, so the same trace gives the same bytes.
package diagram

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"slices"
	"strings"

	"github.com/racebench/racebench/internal/report"
)

// MaxSteps is how many steps are drawn. What comes after them is said in the last row, and not drawn.
const MaxSteps = 400

// Options say how a trace is drawn. The zero value draws a picture that stands alone.
type Options struct {
	Title  string // for who can't see the picture; empty: how many actors, keys and steps there are
	Decide []int  // numbers of the steps that a violation hangs on: they are highlighted
	Broken []int  // numbers of the steps after which an invariant was violated
	// Rows are the rows of the steps, from 0 and rising, so that pictures side by side have the same thing at the same
	// height; none: one row after the other.
	Rows []int
	// Inline leaves the style out, for a document that has several pictures, and Style once.
	Inline bool
}

const (
	top, row               = 46, 26 // height of the head, and of a step
	left, actorGap, keyGap = 44, 64, 118
	labelGap               = 14
	charWidth              = 6.3 // of the labels
)

// Style is what the colours and fonts of a picture are. It follows the preference of the reader for light or dark.
const Style = `.st{font:11px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;--ink:#1f2328;--dim:#6b7280;--line:#c9ced6;--a:#2f5fb3;--k:#8a6116;--bad:#b3261e;--hi:#fff1c2}
@media(prefers-color-scheme:dark){.st{--ink:#e4e6ea;--dim:#9aa1ac;--line:#434a55;--a:#8ab4ff;--k:#e0b565;--bad:#ff8a80;--hi:#443a16}}
.st text{fill:var(--ink)}.st .dim{fill:var(--dim)}.st .bad{fill:var(--bad)}.st .head{font-weight:600}
.st .life{stroke:var(--line);stroke-width:1.5;fill:none}.st .gone{stroke-dasharray:2 4}
.st .send{stroke:var(--a);stroke-width:1.4;fill:none}.st .reply{stroke:var(--dim);stroke-dasharray:3 2;fill:none}
.st .tip{fill:var(--dim)}.st .sent{fill:var(--a)}.st .actor{fill:var(--a)}.st .write{fill:var(--k)}.st .read{fill:none;stroke:var(--k);stroke-width:1.5}
.st .cross{stroke:var(--bad);stroke-width:2.2;fill:none}.st .clock{stroke:var(--dim);stroke-dasharray:6 4}.st .pair{fill:var(--hi)}
.st .now rect.hit{fill:var(--a);fill-opacity:.16}.st rect.hit{fill:transparent}`

// SVG draws a trace.
func SVG(w io.Writer, t *report.Trace, o Options) error {
	p := newPicture(t, o)
	p.head()
	for i := range p.steps {
		p.step(i)
	}
	if left := len(t.Steps) - len(p.steps); left > 0 {
		p.text(8, p.y(p.last+1)+4, "dim", fmt.Sprintf("%d more steps are not drawn", left))
	}
	p.printf("</svg>\n")
	_, err := w.Write(p.out.Bytes())
	return err
}

type picture struct {
	out          bytes.Buffer
	o            Options
	steps        []report.Step
	all          int
	actors, keys []string
	last         int // row
	labels       int // where they begin
	width        int
}

func newPicture(t *report.Trace, o Options) *picture {
	p := &picture{o: o, steps: t.Steps, all: len(t.Steps)}
	p.steps = p.steps[:min(len(p.steps), MaxSteps)]
	if len(o.Rows) < len(p.steps) {
		p.o.Rows = nil
	}
	widest := 12
	for i, s := range p.steps {
		p.actors = add(p.actors, s.Actor)
		for _, k := range touched(s) {
			p.keys = add(p.keys, k)
		}
		p.last = max(p.last, p.row(i))
		widest = max(widest, len([]rune(label(s))))
	}
	slices.Sort(p.actors)
	p.labels = left + len(p.actors)*actorGap + len(p.keys)*keyGap + labelGap
	p.width = p.labels + int(float64(widest)*charWidth) + 12
	return p
}

func add(list []string, name string) []string {
	if name == "" || slices.Contains(list, name) {
		return list
	}
	return append(list, name)
}

// touched are the keys that a step names or changes.
func touched(s report.Step) []string {
	keys := slices.Clone(s.Keys)
	for _, c := range s.Changes {
		keys = add(keys, c.Key)
	}
	return keys
}

func (p *picture) row(i int) int {
	if p.o.Rows != nil {
		return p.o.Rows[i]
	}
	return i
}

func (p *picture) y(n int) int { return top + n*row + row/2 }

func (p *picture) actorX(name string) int {
	return left + slices.Index(p.actors, name)*actorGap + actorGap/2
}

func (p *picture) keyX(name string) int {
	return left + len(p.actors)*actorGap + slices.Index(p.keys, name)*keyGap + keyGap/2
}

func (p *picture) printf(format string, args ...any) { fmt.Fprintf(&p.out, format, args...) }

func (p *picture) text(x, y int, class, text string) {
	p.printf(`<text x="%d" y="%d" class="%s">%s</text>`+"\n", x, y, class, escape(text))
}

func (p *picture) head() {
	height := p.y(p.last+1) + row
	title := p.o.Title
	if title == "" {
		title = fmt.Sprintf("%d actors, %d keys, %d steps", len(p.actors), len(p.keys), p.all)
	}
	p.printf(`<svg xmlns="http://www.w3.org/2000/svg" class="st" role="img" aria-label="%s" width="%d" height="%d" viewBox="0 0 %d %d">`+"\n",
		escape(title), p.width, height, p.width, height)
	if !p.o.Inline {
		p.printf("<title>%s</title>\n<style>%s\n.st{background:Canvas;color-scheme:light dark}</style>\n", escape(title), Style)
	}
	for i, s := range p.steps {
		if slices.Contains(p.o.Decide, s.N) {
			p.printf(`<rect class="pair" x="0" y="%d" width="%d" height="%d" rx="3"/>`+"\n", p.y(p.row(i))-row/2, p.width, row)
		}
	}
	bottom := p.y(p.last) + row/2
	for _, a := range p.actors {
		x, end := p.actorX(a), bottom
		p.printf(`<text x="%d" y="22" text-anchor="middle" class="head">%s</text>`+"\n", x, escape(shorten(a, 9)))
		for i, s := range p.steps {
			if s.Actor == a && (s.Kind == "crash" || s.Fault == "crash") {
				end = p.y(p.row(i))
				break
			}
		}
		p.printf(`<line class="life" x1="%d" y1="30" x2="%d" y2="%d"/>`+"\n", x, x, end)
		if end < bottom {
			p.printf(`<line class="life gone" x1="%d" y1="%d" x2="%d" y2="%d"/>`+"\n", x, end, x, bottom)
		}
	}
	for _, k := range p.keys {
		x := p.keyX(k)
		p.printf(`<text x="%d" y="22" text-anchor="middle" class="dim">%s<title>%s</title></text>`+"\n", x, escape(shorten(k, 17)), escape(k))
		p.printf(`<line class="life" x1="%d" y1="30" x2="%d" y2="%d"/>`+"\n", x, x, bottom)
	}
}

// shorten leaves out the middle of what is too long.
func shorten(s string, most int) string {
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	return string(r[:most/2]) + "…" + string(r[len(r)-(most-most/2-1):])
}

// escape makes text that XML can hold: what it can't is shown.
func escape(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0xFFFE || r == 0xFFFF {
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return html.EscapeString(s)
}

func label(s report.Step) string {
	text := s.Token
	switch {
	case s.Kind == "clock":
		text = "clock " + s.Token + "  (" + s.At + ")"
	case s.Reply != "":
		text += " → " + shorten(s.Reply, 22)
	}
	return shorten(text, 48)
}
