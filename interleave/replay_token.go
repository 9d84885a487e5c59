package interleave

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/racebench/racebench/interleave/schedule"
)

// compacted follows a token: at a step that was a choice it makes the same one, at any other it takes the only thing that
// can happen, and it checks the fingerprint of both. Then it lets rest decide.
type compacted struct {
	c    *schedule.Compact
	mode Mode
	rest strategy

	at      int // choice that comes next
	follow  forced
	skipped []string
	idle    int // how often the clock has moved for the choice that comes next
}

// mostIdle is how often the clock may move for one choice: a program that ticks for ever is not waited for.
const mostIdle = 10_000

func (p *compacted) begin(execution int) bool {
	p.at, p.skipped, p.idle = 0, nil, 0
	return p.rest.begin(execution)
}

func (p *compacted) number(n int) int { return p.rest.number(n) }
func (p *compacted) end(res *Result)  { p.rest.end(res) }

func (p *compacted) next(v *view) (choice, error) {
	if p.mode == BestEffort {
		return p.lenient(v)
	}
	if v.step > len(p.c.Prints) {
		return p.after(v)
	}
	for p.at < len(p.c.Choices) && p.c.Choices[p.at].Step < v.step {
		p.at++
	}
	n, only := v.plain()
	if p.at < len(p.c.Choices) && p.c.Choices[p.at].Step == v.step {
		x := p.c.Choices[p.at]
		c, err := p.choose(v, x)
		if err == nil {
			p.idle = 0
			return c, nil
		}
		if p.idle++; n == 0 && !v.allEnded() && !p.moves(x) && p.idle < mostIdle {
			return choice{kind: chooseIdle}, nil // the clock moves belong to one step and come one by one
		}
		return choice{}, err
	}
	switch {
	case n == 0 && v.allEnded():
		return choice{}, p.diverged(v, nil, "another step", "the end of the run")
	case n == 0:
		return choice{kind: chooseIdle}, nil
	case n > 1:
		return choice{}, p.diverged(v, nil, "a step that is no choice", v.state())
	}
	if !p.c.Fits(v.step, only.print(true, v.place(only.actor))) {
		return choice{}, p.diverged(v, nil, "another operation (the fingerprint of the step differs)", v.actor(only.actor.name).state())
	}
	only.forced = true
	return only, nil
}

// moves reports whether a choice is one that can be made while nothing else can happen.
func (p *compacted) moves(x schedule.Choice) bool {
	return x.Token.Kind != schedule.Op && x.Token.Kind != schedule.Arrive && x.Token.Kind != schedule.Deliver || x.Token.Fault != schedule.NoFault
}

// after is what comes after the last step of the token.
func (p *compacted) after(v *view) (choice, error) {
	if p.mode == Prefix || p.c.Open {
		return p.rest.next(v)
	}
	n, _ := v.plain()
	switch {
	case n > 0:
		return choice{}, p.diverged(v, nil, "the end of the run", v.state())
	case v.allEnded():
		return choice{kind: chooseEnd}, nil
	}
	return choice{kind: chooseIdle}, nil
}

// lenient makes the choices in their order, whatever the numbers of their steps: the first that fits is made where there
// is something to choose.
func (p *compacted) lenient(v *view) (choice, error) {
	n, only := v.plain()
	for p.at < len(p.c.Choices) {
		x := p.c.Choices[p.at]
		if n < 2 && (!p.moves(x) || v.step < x.Step) {
			break
		}
		c, err := p.choose(v, x)
		p.at++
		var d *DivergedError
		if errors.As(err, &d) {
			p.skipped = append(p.skipped, d.skipped())
			continue
		}
		return c, err
	}
	switch {
	case n == 1 && p.at < len(p.c.Choices):
		return only, nil
	case n == 0 && v.allEnded() && p.at < len(p.c.Choices):
		p.skipped = append(p.skipped, fmt.Sprintf("%d choices after the end of the run", len(p.c.Choices)-p.at))
		p.at = len(p.c.Choices)
	}
	return p.rest.next(v)
}

// choose makes a choice of the token.
func (p *compacted) choose(v *view, x schedule.Choice) (choice, error) {
	t := x.Token
	if x.Actor > 0 {
		if x.Actor > len(v.actors) {
			return choice{}, p.diverged(v, &t, fmt.Sprintf("%d actors", x.Actor), fmt.Sprintf("only %d", len(v.actors)))
		}
		t.Actor = v.actors[x.Actor-1].name
	}
	p.follow = forced{tokens: schedule.Schedule{t}}
	c, _, err := p.follow.follow(v, t)
	var d *DivergedError
	switch {
	case errors.As(err, &d):
		d.Index, d.compact = p.at+1, true
		if key := p.expectedKey(v, x); key != "" && len(t.Match.Keys) == 0 && t.Kind == schedule.Op {
			d.Expected += " " + key
		}
		return choice{}, err
	case err != nil:
		return choice{}, err
	case c == nil:
		return choice{}, p.diverged(v, &t, "a step", "none")
	}
	if !p.c.Fits(x.Step, c.print(false, x.Actor)) {
		want := wants(t)
		if key := p.expectedKey(v, x); key != "" {
			want += " " + key
		} else {
			want += " on another key (the fingerprint of the step differs)"
		}
		return choice{}, p.diverged(v, &t, want, v.actor(t.Actor).state())
	}
	c.forced = true
	return *c, nil
}

// expectedKey is the one key of those seen so far that the fingerprint of a choice is of; empty when none or several are.
func (p *compacted) expectedKey(v *view, x schedule.Choice) string {
	if x.Step > len(p.c.Prints) || p.c.Prints[x.Step-1] == schedule.AnyPrint {
		return ""
	}
	var seen []string
	for _, k := range v.trace.Before {
		seen = append(seen, k.Key)
	}
	for _, s := range v.trace.Steps {
		seen = append(seen, s.Keys...)
	}
	for _, a := range v.actors {
		for _, o := range a.ops {
			seen = append(seen, o.keyNames()...)
		}
	}
	slices.Sort(seen)
	seen = slices.Compact(seen)
	fits := slices.DeleteFunc(seen, func(k string) bool {
		return !p.c.Fits(x.Step, printOf(false, 0, x.Token.Match.Command, []string{k}, nil))
	})
	if len(fits) != 1 {
		return ""
	}
	return fits[0]
}

func (p *compacted) diverged(v *view, t *schedule.Token, expected, found string) error {
	return &DivergedError{Step: v.step, Token: t, Index: p.at + 1, Expected: expected, Found: found, compact: true}
}

// whole checks that a run was the token's from its beginning to its end, as far as fingerprints can tell.
func (p *compacted) whole(res *Result) error {
	if p.mode == BestEffort || p.mode == Prefix || p.c.Open || res.Err != nil {
		return nil
	}
	if n := len(res.Trace.Steps); n != len(p.c.Prints) && res.Trace.Bound == "" {
		return &DivergedError{Step: n, Expected: fmt.Sprintf("%d steps in all", len(p.c.Prints)), Found: fmt.Sprintf("%d", n), compact: true}
	}
	if again := res.compact(p.c.Name); again != nil && p.c.Digest != 0 && again.Digest != p.c.Digest {
		return &DivergedError{Step: len(res.Trace.Steps), Expected: "the run of the token", Found: "one that differs from it in a key, though each step fits what the token has of it", compact: true}
	}
	return nil
}

// skipped says what a best effort has left out.
func (e *DivergedError) skipped() string {
	what := ""
	if e.Token != nil {
		what = e.Token.String() + ": "
	}
	return fmt.Sprintf("before step %d: %sexpected %s, found %s", e.Step, what, e.Expected, e.Found)
}

// diverged reports whether an error is that a schedule did not fit.
func diverged(err error) bool {
	var d *DivergedError
	return errors.As(err, &d)
}

// state says what all actors are doing that are at the gate.
func (v *view) state() string {
	var parts []string
	for _, a := range v.actors {
		if len(a.ops)+len(a.pushes) > 0 {
			parts = append(parts, a.state())
		}
	}
	return strings.Join(parts, ", ")
}

// place is the place of an actor among all, from 1.
func (v *view) place(a *Actor) int {
	return slices.IndexFunc(v.actors, func(x *actorView) bool { return x.Actor == a }) + 1
}
