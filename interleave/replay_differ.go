package interleave

import (
	"fmt"
	"slices"
	"strings"
)

// difference is the first thing in which two runs of one order differ.
type difference struct {
	step    int
	was, is string
	source  string // the likely one
}

// differ compares two runs of one order, the second of which may have been ended because it no longer fitted. What counts is
// the shape: which steps of which actors on which keys, what kind of reply, what is left at the end, and the verdicts.
// Identifiers and times that are others in every run are expected: a word of the first run may stand for another one in
// the second, as long as it always does, both are new there, and the two look drawn or the client has brought them. The
// order of arguments does not count either, since a map of Go gives them in any; it is remembered, as are all other
// differences of arguments, as the likely source of one that counts.
func differ(a, b *Result) *difference {
	c := &comparison{a: a, b: b, to: map[string]string{}, from: map[string]string{}, inA: wordsOf(a), inB: wordsOf(b)}
	as, bs := a.Trace.Steps, b.Trace.Steps
	for i := range min(len(as), len(bs)) {
		if what := c.step(as[i], bs[i]); what != "" {
			return c.found(as[i].N, as[i].Summary(), bs[i].Summary(), i)
		}
	}
	n := min(len(as), len(bs)) + 1
	d, gone := asDiverged(b.Err)
	switch {
	case gone:
		return c.found(d.Step, d.Expected, d.Found, n-1)
	case len(as) > len(bs):
		return c.found(n, as[n-1].Summary(), "the end", n-1)
	case len(bs) > len(as):
		return c.found(n, "the end", bs[n-1].Summary(), n-1)
	}
	if x, y := errorKind(a.Err), errorKind(b.Err); x != y {
		return c.found(n-1, x, y, n-1)
	}
	if x, y, ok := c.verdicts(); !ok {
		return c.found(n-1, x, y, n-1)
	}
	if x, y, ok := c.left(); !ok {
		return c.found(n-1, x, y, n-1)
	}
	return nil
}

func errorKind(err error) string {
	if err == nil {
		return "no error"
	}
	return fmt.Sprintf("%T", err)
}

// comparison is a comparison of two runs under way.
type comparison struct {
	a, b     *Result
	to, from map[string]string // words of a that stand for words of b, and back
	inA, inB map[string]bool   // all words of a run
	hints    []hinted          // differences that do not count
}

// hinted is a difference that may have led to another one.
type hinted struct {
	step   int
	source string
}

// wordsOf is all words in the steps of a run.
func wordsOf(r *Result) map[string]bool {
	all := map[string]bool{}
	for _, s := range r.Trace.Steps {
		for _, text := range append(s.said(), s.Reply) {
			for _, w := range alnum.FindAllString(text, -1) {
				all[w] = true
			}
		}
	}
	for _, k := range r.Trace.Before {
		for _, w := range alnum.FindAllString(k.Key+" "+k.Value.String(), -1) {
			all[w] = true
		}
	}
	return all
}

// said is everything that the client has said in a step.
func (s *Step) said() []string {
	out := slices.Clone(s.Command)
	for _, q := range s.Queued {
		out = append(out, q...)
	}
	return out
}

// step compares two steps, and says what differs in a way that counts.
func (c *comparison) step(x, y *Step) string {
	switch {
	case x.Kind != y.Kind, x.Actor != y.Actor, x.Name != y.Name, x.Fault != y.Fault, len(x.Keys) != len(y.Keys), len(x.Queued) != len(y.Queued):
		return "operation"
	}
	for i, q := range x.Queued {
		if q[0] != y.Queued[i][0] {
			return "operation"
		}
	}
	switch said, other := x.said(), y.said(); {
	case slices.Equal(said, other):
	case reordered(said, other):
		c.hint(x.N, "map order (the same arguments in another order)")
		if !reordered(x.Keys, y.Keys) && !slices.Equal(x.Keys, y.Keys) {
			return "keys"
		}
	default:
		for i := range min(len(said), len(other)) {
			if why := c.same(said[i], other[i], true); why != "" {
				c.hint(x.N, why)
			}
		}
		for i := range x.Keys {
			if c.same(x.Keys[i], y.Keys[i], true) == otherWord {
				return "keys"
			}
		}
		if len(said) != len(other) {
			c.hint(x.N, "random (the number of arguments)")
		}
	}
	if x.IsErr != y.IsErr || c.same(x.Reply, y.Reply, false) == otherWord {
		return "reply"
	}
	return ""
}

func (c *comparison) hint(step int, source string) {
	if source == otherWord {
		source = drawnWord
	}
	c.hints = append(c.hints, hinted{step, source})
}

// reordered reports whether two lists hold the same, in another order.
func reordered(a, b []string) bool {
	if len(a) != len(b) || slices.Equal(a, b) {
		return false
	}
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

// What same says of two texts, beside the empty string.
const (
	otherWord  = "another word"
	drawnWord  = "random (an identifier or a number that was drawn)"
	clockWord  = "time (a clock that is not the world's)"
	clockEarly = 9 // digits of a time in seconds
)

// same compares two texts word by word. It is empty when both are equal or the words that differ have been met before; else
// it says what the first new difference looks like. The client may bring any new word; the server only what looks drawn.
func (c *comparison) same(x, y string, client bool) string {
	if x == y {
		return ""
	}
	xs, ys := alnum.FindAllString(x, -1), alnum.FindAllString(y, -1)
	if len(xs) != len(ys) || alnum.ReplaceAllString(x, "") != alnum.ReplaceAllString(y, "") {
		if client && looksDrawn(x) && looksDrawn(y) {
			return drawnWord // binary, or punctuation in it
		}
		return otherWord
	}
	first := ""
	for i, w := range xs {
		if why := c.word(w, ys[i], client); why == otherWord {
			return why
		} else if first == "" {
			first = why
		}
	}
	return first
}

// looksDrawn reports whether a text as a whole may be drawn: it is long enough, and no words of a language.
func looksDrawn(s string) bool { return len(s) >= 16 && !strings.Contains(s, " ") }

func (c *comparison) word(x, y string, client bool) string {
	to, met := c.to[x]
	from, metBack := c.from[y]
	switch {
	case met && to == y && metBack && from == x:
		return ""
	case x == y && !met && !metBack:
		return ""
	case met, metBack, x == y:
		return otherWord
	case c.inB[x] || c.inA[y]: // no new word: something else that the run knows
		return otherWord
	}
	drawn := looksRandom(x) && looksRandom(y)
	if !client && !drawn {
		return otherWord
	}
	c.to[x], c.from[y] = y, x
	if drawn && digitsOnly(x) && digitsOnly(y) && len(x) == len(y) && len(x) >= clockEarly && x[:3] == y[:3] {
		return clockWord
	}
	return drawnWord
}

func digitsOnly(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' }) < 0
}

// verdicts compares what the invariants came to. What they say of it may hold random identifiers.
func (c *comparison) verdicts() (x, y string, ok bool) {
	text := func(r *Result) []string {
		var out []string
		for _, j := range r.Verdicts {
			out = append(out, fmt.Sprintf("%q %s after step %d", j.Invariant, j.Outcome, j.Step))
		}
		return out
	}
	xs, ys := text(c.a), text(c.b)
	for i := range max(len(xs), len(ys)) {
		at := func(l []string) string {
			if i < len(l) {
				return l[i]
			}
			return "no further verdict"
		}
		if x, y = at(xs), at(ys); x != y {
			return x, y, false
		}
	}
	return "", "", true
}

// left compares what is in Redis at the end. Keys that were renamed come in another order.
func (c *comparison) left() (x, y string, ok bool) {
	other := map[string]*Entry{}
	for _, k := range c.b.Trace.After {
		other[k.Key] = k.Value
	}
	for _, k := range c.a.Trace.After {
		name := alnum.ReplaceAllStringFunc(k.Key, func(w string) string {
			if to, ok := c.to[w]; ok {
				return to
			}
			return w
		})
		v, ok := other[name]
		if !ok {
			return k.Key + " = " + k.Value.String(), "no " + name, false
		}
		delete(other, name)
		if v.Expires != k.Value.Expires && (v.Expires < 0) != (k.Value.Expires < 0) {
			return k.Key + k.Value.expiry(), name + v.expiry(), false
		}
		if c.same(k.Value.String(), v.String(), false) == otherWord && !c.renamedOnly(k.Value.String(), v.String()) {
			return k.Key + " = " + k.Value.String(), name + " = " + v.String(), false
		}
	}
	for _, k := range c.b.Trace.After {
		if _, ok := other[k.Key]; ok {
			return "no " + k.Key, k.Key + " = " + k.Value.String(), false
		}
	}
	return "", "", true
}

// renamedOnly reports whether two values hold the same words in any order, once those of the first are renamed: members of a
// set come in the order of their names.
func (c *comparison) renamedOnly(x, y string) bool {
	xs, ys := alnum.FindAllString(x, -1), alnum.FindAllString(y, -1)
	for i, w := range xs {
		if to, ok := c.to[w]; ok {
			xs[i] = to
		}
	}
	return slices.Equal(xs, ys) || reordered(xs, ys)
}

// found is the difference at a step, with its likely source.
func (c *comparison) found(step int, was, is string, i int) *difference {
	return &difference{step: step, was: was, is: is, source: c.source(step, i)}
}

// source is what likely made the runs differ at step i, counted from 0.
func (c *comparison) source(step, i int) string {
	as, bs := c.a.Trace.Steps, c.b.Trace.Steps
	if i < len(as) {
		if i < len(bs) && as[i].Actor == bs[i].Actor && as[i].Kind == StepOperation && appearsLater(as[i+1:], bs[i]) && appearsLater(bs[i+1:], as[i]) {
			return fmt.Sprintf("goroutine order (two goroutines of %s sent in another order)", as[i].Actor)
		}
		if d, ok := asDiverged(c.b.Err); ok && i >= len(bs) && slices.ContainsFunc(as[i+1:], func(x *Step) bool {
			return x.Actor == as[i].Actor && x.Kind == StepOperation && strings.Contains(d.Found, x.Actor+" waiting with "+commandText(x.Command))
		}) {
			return fmt.Sprintf("goroutine order (an operation of %s that came later before)", as[i].Actor)
		}
	}
	for _, h := range slices.Backward(c.hints) {
		if h.step <= step {
			return fmt.Sprintf("%s, in step %d", h.source, h.step)
		}
	}
	return "a random number, or state that worlds share, which shows in no command before"
}

// appearsLater reports whether the operation of a step is among later ones of the same actor.
func appearsLater(steps []*Step, s *Step) bool {
	return slices.ContainsFunc(steps, func(x *Step) bool { return x.Actor == s.Actor && slices.Equal(x.Command, s.Command) })
}
