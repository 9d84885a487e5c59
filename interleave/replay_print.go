package interleave

import (
	"hash/fnv"
	"regexp"
	"slices"

	"github.com/racebench/racebench/interleave/schedule"
)

// This file says what a step is recognised by when it happens again.

// plain counts the operations, messages and late commands that could happen now, and returns the only one if there is no
// other. What a constraint holds back counts, so that a token means the same with and without the constraint.
func (v *view) plain() (n int, only choice) {
	for _, a := range v.actors {
		if a.life.Load() == alive {
			for _, s := range a.pushes {
				n++
				only = choice{kind: chooseDeliver, actor: a.Actor, push: s}
			}
			for i, o := range a.ops {
				if a.enabled[i] || a.world.eng.order.holds(o) != nil {
					n++
					only = choice{kind: chooseExec, actor: a.Actor, op: o}
				}
			}
		}
		for _, o := range a.late {
			n++
			only = choice{kind: chooseArrive, actor: a.Actor, op: o}
		}
	}
	if n != 1 {
		only = choice{}
	}
	return n, only
}

// offers is a strategy around another one that notes at which steps there was nothing to choose.
type offers struct {
	strategy
	alone  []bool   // of each step
	actors []string // in order
}

func (f *offers) begin(execution int) bool {
	f.alone, f.actors = f.alone[:0], nil
	return f.strategy.begin(execution)
}

func (f *offers) next(v *view) (choice, error) {
	c, err := f.strategy.next(v)
	if f.actors == nil {
		for _, a := range v.actors {
			f.actors = append(f.actors, a.name)
		}
	}
	// Clock moves without an event between them are one step, so a step may be chosen more than once: the last time counts.
	f.alone = append(f.alone[:min(len(f.alone), v.step-1)], false)
	if n, only := v.plain(); n == 0 {
		f.alone[len(f.alone)-1] = c.kind == chooseIdle && c.d == 0 && !c.apart()
	} else if n == 1 {
		f.alone[len(f.alone)-1] = c.kind == only.kind && c.actor == only.actor && c.op == only.op && c.push == only.push
	}
	return c, err
}

// Token is the run in the compact form of package schedule, for the scenario or test of that name. It is empty when there
// is none: nothing has happened, or the schedule did not fit the program.
func (r *Result) Token(name string) string {
	c := r.compact(name)
	if c == nil {
		return ""
	}
	return c.String()
}

func (r *Result) compact(name string) *schedule.Compact {
	steps := r.Trace.Steps
	if r.offers == nil || len(steps) == 0 || len(r.offers.alone) < len(steps) || len(steps) > schedule.MaxTokens || diverged(r.Err) {
		return nil
	}
	prints := make([]schedule.Print, len(steps))
	var choices []schedule.Choice
	for i, s := range steps {
		actor := slices.Index(r.offers.actors, s.Actor) + 1
		if prints[i] = s.print(r.offers.alone[i], actor); r.vague[s.N] {
			prints[i] = schedule.AnyPrint
		}
		if !r.offers.alone[i] {
			choices = append(choices, schedule.Choice{Step: s.N, Actor: actor, Token: s.Token()})
		}
	}
	return schedule.NewCompact(name, prints, choices, r.Trace.Bound == boundShown)
}

// print is the fingerprint of a step.
func (s *Step) print(alone bool, actor int) schedule.Print {
	switch s.Kind {
	case StepClock, StepCrash, StepServer:
		return 0 // of these a token has everything
	}
	var queued []string
	for _, q := range s.Queued {
		queued = append(queued, q[0])
	}
	keys := s.Keys
	if s.Kind == StepPoint {
		keys = s.names
	}
	return printOf(alone, actor, s.Name, keys, queued)
}

// print is the fingerprint of the step that the choice will be.
func (c choice) print(alone bool, actor int) schedule.Print {
	switch {
	case c.push != nil:
		var keys []string
		if ch := c.push.pushes[0].channel(); ch != "" {
			keys = []string{ch}
		}
		return printOf(alone, actor, "", keys, nil)
	case c.op != nil:
		var queued []string
		if c.op.name == "EXEC" {
			for _, q := range c.op.s.queued {
				queued = append(queued, displayed(q)[0])
			}
		}
		return printOf(alone, actor, c.op.traceName(), c.op.keyNames(), queued)
	}
	return 0
}

// printOf takes no arguments of commands in: they may be random. Of a choice the actor is known, so that one operation has
// one fingerprint for all who do it, which costs a token less.
func printOf(alone bool, actor int, name string, keys, queued []string) schedule.Print {
	h := fnv.New32a()
	say := func(s string) {
		h.Write([]byte(s))
		h.Write([]byte{0})
	}
	if alone {
		h.Write([]byte{byte(actor), byte(actor >> 8), 1})
	}
	say(name)
	for _, k := range keys {
		say(keyShape(k))
	}
	for _, q := range queued {
		say(q)
	}
	x := h.Sum32()
	return schedule.Print((x ^ x>>12 ^ x>>24) & 0xFFF)
}

var (
	uuids = regexp.MustCompile(`[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}`)
	alnum = regexp.MustCompile(`[0-9A-Za-z]+`)
)

// keyShape is a key without the parts of it that look drawn, or read from a clock: they are others in the next run.
func keyShape(key string) string {
	if len(key) < 8 {
		return key
	}
	return alnum.ReplaceAllStringFunc(uuids.ReplaceAllString(key, "*"), func(w string) string {
		if looksRandom(w) {
			return "*"
		}
		return w
	})
}

// looksRandom reports whether a word of letters and digits looks like part of a random identifier or a time: eight digits
// of hexadecimal, or twelve characters of which two are digits, or nine digits.
func looksRandom(w string) bool {
	var digits, hex, letters int
	for i := range len(w) {
		switch c := w[i]; {
		case '0' <= c && c <= '9':
			digits++
			hex++
		case 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F':
			hex++
			letters++
		default:
			letters++
		}
	}
	switch {
	case digits == 0:
		return false
	case letters == 0:
		return digits >= 9
	case hex == len(w):
		return len(w) >= 8
	}
	return len(w) >= 12 && digits >= 2
}
