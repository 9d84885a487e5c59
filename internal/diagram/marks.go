package diagram

import (
	"slices"

	"github.com/racebench/racebench/internal/report"
)

// step draws what happened in one step, as what it is.
func (p *picture) step(i int) {
	s, y := p.steps[i], p.y(p.row(i))
	p.printf(`<g data-n="%d"><title>%s</title><rect class="hit" x="0" y="%d" width="%d" height="%d"/>`+"\n", s.N, escape(describe(s)), y-row/2, p.width, row)
	p.printf(`<text x="34" y="%d" text-anchor="end" class="dim">%d</text>`+"\n", y+4, s.N)
	class := ""
	switch {
	case s.Kind == "clock" || s.Kind == "server":
		p.printf(`<line class="clock" x1="%d" y1="%d" x2="%d" y2="%d"/>`+"\n", left, y, p.labels-labelGap/2, y)
		class = "dim"
	case s.Kind == "deliver":
		for _, k := range s.Keys {
			p.arrow("reply", "tip", p.keyX(k), p.actorX(s.Actor), y)
		}
	case s.Actor != "":
		p.operation(s, y)
	}
	for _, c := range s.Changes {
		x := p.keyX(c.Key)
		switch {
		case c.After == nil && (s.Kind == "clock" || s.Fault == "evict"): // it went by itself: an hourglass
			p.printf(`<path class="write" d="M%d %dh12l-12 14h12z"><title>%s</title></path>`+"\n", x-6, y-7, escape(c.Key+" is gone"))
		case c.After == nil: // deleted: a mark with nothing inside that is crossed out
			p.printf(`<circle class="read" cx="%d" cy="%d" r="5"/><path class="read" d="M%d %dl8 -8"/>`+"\n", x, y, x-4, y+4)
		default:
			p.printf(`<circle class="write" cx="%d" cy="%d" r="5"/>`+"\n", x, y)
		}
	}
	if s.Fault != "" || s.Kind == "crash" || slices.Contains(p.o.Broken, s.N) {
		class = "bad"
	}
	text := label(s)
	if slices.Contains(p.o.Broken, s.N) {
		text = "✗ " + text
	}
	p.text(p.labels, y+4, class, text)
	p.printf("</g>\n")
}

// operation draws a command with the keys it goes to and its reply, or what became of them.
func (p *picture) operation(s report.Step, y int) {
	x := p.actorX(s.Actor)
	crash := s.Kind == "crash" || s.Fault == "crash"
	if s.Kind != "crash" {
		far := x
		for _, k := range touched(s) {
			kx := p.keyX(k)
			far = max(far, kx)
			if !changes(s, k) {
				p.printf(`<circle class="read" cx="%d" cy="%d" r="4.5"/>`+"\n", kx, y)
			}
		}
		switch {
		case far == x:
		case s.Fault == "unsent": // the command never arrives
			p.printf(`<line class="send" x1="%d" y1="%d" x2="%d" y2="%d"/>`+"\n", x, y, (x+far)/2, y)
			p.cross((x+far)/2, y)
		default:
			p.arrow("send", "sent", x, far-6, y-3)
			switch {
			case s.Fault == "lost" || s.Fault == "drop" || crash: // executed, but the reply does not arrive
				p.printf(`<line class="reply" x1="%d" y1="%d" x2="%d" y2="%d"/>`+"\n", far-6, y+4, (x+far)/2, y+4)
				if !crash {
					p.cross((x+far)/2, y+4)
				}
			case s.Reply != "":
				p.arrow("reply", "tip", far-6, x+5, y+4)
			}
		}
	}
	switch {
	case crash:
		p.cross(x, y)
	case s.Kind == "point": // a place in the code, not a command
		p.printf(`<rect class="actor" x="%d" y="%d" width="8" height="8"/>`+"\n", x-4, y-4)
	default:
		p.printf(`<circle class="actor" cx="%d" cy="%d" r="4.5"/>`+"\n", x, y)
	}
}

func changes(s report.Step, key string) bool {
	return slices.ContainsFunc(s.Changes, func(c report.Change) bool { return c.Key == key })
}

func (p *picture) cross(x, y int) {
	p.printf(`<path class="cross" d="M%d %dl12 12m0 -12l-12 12"/>`+"\n", x-6, y-6)
}

func (p *picture) arrow(line, tip string, from, to, y int) {
	back := -5
	if to < from {
		back = 5
	}
	p.printf(`<line class="%s" x1="%d" y1="%d" x2="%d" y2="%d"/><path class="%s" d="M%d %dl%d -3v6z"/>`+"\n", line, from, y, to, y, tip, to, y, back)
}

// describe says in words what a step is, for a pointer that rests on it and for who can't see it.
func describe(s report.Step) string {
	text := s.Token
	for _, word := range s.Command {
		text += " " + shorten(word, 40)
	}
	if s.Reply != "" {
		text += " → " + shorten(s.Reply, 60)
	}
	if s.Fault != "" {
		text += " (" + s.Fault + ")"
	}
	if s.Caller != "" {
		text += " at " + s.Caller
	}
	return text
}
