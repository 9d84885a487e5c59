package interleave

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// outcome is what an order came to, in a form in which the outcomes of two orders can be compared.
type outcome struct {
	state map[string]string   // key -> value
	told  map[string][]string // actor -> what it was told, in order
}

// key is equal for equal outcomes, as far as a level looks.
func (o *outcome) key(level SerialLevel) string {
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(o.state)) {
		fmt.Fprintf(&b, "%q=%q\n", k, o.state[k])
	}
	if level == SerialState {
		return b.String()
	}
	for _, a := range slices.Sorted(maps.Keys(o.told)) {
		fmt.Fprintf(&b, "%q:%q\n", a, o.told[a])
	}
	return b.String()
}

// fact is one thing that is so in an outcome.
type fact struct{ key, text string }

// facts are the values of the keys, and what each actor was told at which place.
func (o *outcome) facts(keys []string, level SerialLevel) []fact {
	var out []fact
	for _, k := range keys {
		value, ok := o.state[k]
		if !ok {
			value = "(none)"
		}
		text := k + " = " + value + " at the end"
		out = append(out, fact{text, text})
	}
	if level == SerialState {
		return out
	}
	for _, a := range slices.Sorted(maps.Keys(o.told)) {
		for i, line := range o.told[a] {
			out = append(out, fact{a + strconv.Itoa(i) + line, a + " is told " + line})
		}
	}
	return out
}

// different says what is different about an outcome that is none of the others: one fact that none of them has, or two that
// none of them has together.
func (o *outcome) different(others []*outcome, level SerialLevel) string {
	all := maps.Clone(o.state)
	for _, x := range others {
		maps.Copy(all, x.state)
	}
	keys := slices.Sorted(maps.Keys(all))
	var theirs []map[string]bool
	for _, x := range others {
		set := map[string]bool{}
		for _, f := range x.facts(keys, level) {
			set[f.key] = true
		}
		theirs = append(theirs, set)
	}
	facts := o.facts(keys, level)
	met := func(a, b fact) bool {
		return slices.ContainsFunc(theirs, func(set map[string]bool) bool { return set[a.key] && set[b.key] })
	}
	for _, f := range facts {
		if !met(f, f) {
			return clip(f.text, maxValue)
		}
	}
	const many = 200 // facts: two of them in many ways
	for i := range facts[:min(len(facts), many)] {
		for _, f := range facts[:i] {
			if !met(f, facts[i]) {
				return clip(f.text, maxValue) + ", and " + clip(facts[i].text, maxValue)
			}
		}
	}
	return "all of it together"
}

// canon brings what differs from run to run without a meaning into one form: values that the actors draw, such as ids and
// lock tokens, and times. A drawn value is recognised by being different when the same order is run twice, and is then
// named by the actor that sent it first and its number: A#1.
type canon struct {
	shapes map[argument][]shape
	fixed  map[string]bool // words that were the same in both runs: never drawn
	timed  bool            // the clock has moved: when something happened depends on who came first, and does not count
}

// argument is a place where an actor sends a value.
type argument struct {
	actor, command string
	n              int
}

// shape is a text of which some words are drawn.
type shape struct {
	words []string // between them what separates them; drawn ones are empty
	any   bool     // every word may be: the texts had nothing in common
}

// shortestDrawn is the length from which a word can be a name that somebody has drawn. A shorter one may be anything.
const shortestDrawn = 6

// newCanon learns from orders that were each run twice. why says that they were not the same in another way.
func newCanon(pairs [][2]*Trace) (c *canon, why string) {
	c = &canon{shapes: map[argument][]shape{}, fixed: map[string]bool{}}
	for _, p := range pairs {
		if len(p[0].Steps) != len(p[1].Steps) {
			return nil, fmt.Sprintf("the same serial order, run twice, had %d steps and then %d", len(p[0].Steps), len(p[1].Steps))
		}
		for i, a := range p[0].Steps {
			b := p[1].Steps[i]
			if a.Actor != b.Actor || a.Kind != b.Kind || a.Name != b.Name || len(a.Queued) != len(b.Queued) {
				return nil, fmt.Sprintf("the same serial order, run twice, had another step %d: %s, then %s", a.N, a.Summary(), b.Summary())
			}
			c.timed = c.timed || a.Kind == StepClock
			theirs := b.sent()
			for k, args := range a.sent() {
				c.learn(a.Actor, args, theirs[k])
			}
		}
	}
	return c, ""
}

// sent are the commands of a step: its own, and those of its transaction.
func (s *Step) sent() [][]string {
	if s.Kind != StepOperation && s.Kind != StepArrive {
		return nil
	}
	return append([][]string{s.Command}, s.Queued...)
}

func (c *canon) learn(actor string, a, b []string) {
	for n := range min(len(a), len(b)) {
		x, y := words(a[n]), words(b[n])
		at := argument{actor, a[0], n}
		if a[n] == b[n] {
			for _, w := range x {
				c.fixed[w] = true
			}
			continue
		}
		s := shape{any: len(x) != len(y)}
		if !s.any {
			s.words = slices.Clone(x)
			for i := range x {
				if x[i] != y[i] {
					s.words[i] = ""
				} else {
					c.fixed[x[i]] = true
				}
			}
		}
		if !slices.ContainsFunc(c.shapes[at], func(o shape) bool { return o.any == s.any && slices.Equal(o.words, s.words) }) {
			c.shapes[at] = append(c.shapes[at], s)
		}
	}
}

// words cuts a text into words and what separates them, in turn.
func words(s string) []string {
	var out []string
	start, in := 0, true
	for i, r := range s {
		is := r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r > 0x7f
		if is != in {
			out = append(out, s[start:i])
			start, in = i, is
		}
	}
	return append(out, s[start:])
}

// drawn are the words of an argument that its actor has drawn.
func (c *canon) drawn(at argument, text string) []string {
	shapes := c.shapes[at]
	if len(shapes) == 0 {
		return nil
	}
	var out []string
	have := words(text)
	for _, s := range shapes {
		if !s.any && !s.fits(have) {
			continue
		}
		for i, w := range have {
			if i%2 == 0 && (s.any || s.words[i] == "") && len(w) >= shortestDrawn && !c.fixed[w] {
				out = append(out, w)
			}
		}
	}
	return out
}

func (s shape) fits(have []string) bool {
	if len(have) != len(s.words) {
		return false
	}
	for i, w := range s.words {
		// An empty word may also be one that was empty in both.
		if w != "" && w != have[i] {
			return false
		}
	}
	return true
}

// outcome is what a trace came to.
func (c *canon) outcome(t *Trace) *outcome {
	n := &namer{canon: c, names: map[string]string{}, count: map[string]int{}, end: 24 * time.Hour}
	if s := t.last(); s != nil {
		n.end += s.At
	}
	for _, s := range t.Steps {
		for _, args := range s.sent() {
			for i, arg := range args {
				for _, w := range c.drawn(argument{s.Actor, args[0], i}, arg) {
					n.name(s.Actor, w)
				}
			}
		}
	}
	o := &outcome{state: map[string]string{}, told: map[string][]string{}}
	for _, k := range t.After {
		o.state[n.text(k.Key)] = n.entry(k.Value)
	}
	begun := map[string]int{} // actor -> replies before its last WATCH
	for _, s := range t.Steps {
		if s.Actor == "" || s.Kind == StepPoint {
			continue
		}
		told := o.told[s.Actor]
		if s.Name == "WATCH" {
			begun[s.Actor] = len(told)
		}
		if at, ok := begun[s.Actor]; ok && s.Name == "EXEC" {
			delete(begun, s.Actor)
			if s.Reply == "nil" {
				o.told[s.Actor] = told[:at] // what it read is thrown away with the transaction
				continue
			}
		}
		line := n.text(s.Reply)
		if s.Kind != StepDeliver {
			line = s.Name + " → " + line
		}
		o.told[s.Actor] = append(told, line)
	}
	for _, note := range t.Notes {
		o.told[note.Actor] = append(o.told[note.Actor], "that "+n.text(note.Key)+": "+n.text(note.Value))
	}
	for _, l := range t.lives {
		if l.err != "" {
			o.told[l.actor] = append(o.told[l.actor], "the error "+n.text(l.err))
		}
	}
	return o
}

// namer names the drawn words of one trace.
type namer struct {
	*canon
	names map[string]string
	count map[string]int
	end   time.Duration // times up to here, since the world began, are times
}

func (n *namer) name(actor, word string) {
	if n.names[word] == "" {
		n.count[actor]++
		n.names[word] = actor + "#" + strconv.Itoa(n.count[actor])
	}
}

// text is a text with its drawn words named.
func (n *namer) text(s string) string {
	if len(n.names) == 0 && !n.timed {
		return s
	}
	list := words(s)
	for i := 0; i < len(list); i += 2 {
		if name := n.names[list[i]]; name != "" {
			list[i] = name
		} else if n.timed && n.isTime(list[i]) {
			list[i] = "(time)"
		}
	}
	return strings.Join(list, "")
}

// isTime reports whether a word is an instant of the world in seconds, milli-, micro- or nanoseconds since 1970.
func (n *namer) isTime(word string) bool {
	const epoch = 946_684_800 // 2000-01-01, where worlds begin
	x, err := strconv.ParseInt(word, 10, 64)
	if err != nil {
		return false
	}
	for unit := int64(1); unit <= int64(time.Second); unit *= 1000 {
		if begin := epoch * unit; x >= begin && x <= begin+int64(n.end/(time.Second/time.Duration(unit))) {
			return true
		}
	}
	return false
}

// entry is a value as text, in an order that does not depend on what is drawn.
func (n *namer) entry(e *Entry) string {
	named := *e
	named.Items = make([]string, len(e.Items))
	for i, item := range e.Items {
		named.Items[i] = n.text(item)
	}
	switch e.Type {
	case "set":
		slices.Sort(named.Items)
	case "hash":
		sortPairs(named.Items)
	case "zset": // members of equal score are sorted by member, in runs
		for i := 0; i+1 < len(named.Items); {
			j := i + 2
			for j+1 < len(named.Items) && named.Items[j+1] == named.Items[i+1] {
				j += 2
			}
			sortPairs(named.Items[i:j])
			i = j
		}
	}
	text := named.String()
	switch {
	case e.Expires < 0:
	case n.timed:
		text += " until some time"
	default:
		text += e.expiry()
	}
	return text
}
