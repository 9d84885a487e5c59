package interleave

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// This file tells a violating order as a short proof. It knows nothing of any subject: every clause is a fact of the
// trace. Told are the steps on keys that more than one actor has to do with, what an actor makes on the way, faults, moves
// of the clock, and the step after which the invariant is violated; other steps are independent and left out.

// maxBlocks bounds the sentences about steps, maxClauses the clauses of one of them.
const maxBlocks, maxClauses = 5, 4

// teller tells one order.
type teller struct {
	steps  []*Step
	marked []int           // numbers of the steps that decide
	told   map[int]bool    // numbers of the steps to tell
	shared map[string]bool // keys that more than one actor has to do with
	wrote  map[string]string
	knows  map[string]map[string]knowledge // by actor and key
	read   map[string]knowledge            // by key, what was read last
	it     string                          // the key that was spoken of last
}

// knowledge is what somebody has read of a key.
type knowledge struct {
	step  int
	reply string
	stale bool // another has written it since
	by    string
}

// tell is the story of an order that violates the target after step at.
func tell(res *Result, t target, d *Decision) string {
	at, _ := t.in(res)
	w := &teller{steps: res.Trace.Steps, told: map[int]bool{}, shared: map[string]bool{}, wrote: map[string]string{}, knows: map[string]map[string]knowledge{}, read: map[string]knowledge{}}
	if d != nil {
		w.marked = d.Steps
	}
	w.choose(at, t.what+" "+conclusion(res, t))
	sentences := w.sentences()
	sentences = append(sentences, conclusion(res, t))
	if c := contrast(res, d); c != "" {
		sentences = append(sentences, c)
	}
	return strings.Join(sentences, " ")
}

// choose says which steps are told. about is the text of the violation.
func (w *teller) choose(violated int, about string) {
	end := violated
	for _, n := range w.marked {
		end = max(end, n)
	}
	end = min(end, len(w.steps))
	who := map[string]string{}
	wrote := map[string]bool{}
	actors := map[string]bool{}
	for i, s := range w.steps[:end] {
		if absentStep(w.steps, i) || s.Actor == "" {
			continue
		}
		actors[s.Actor] = true
		for _, k := range slices.Concat(s.looksAt(), s.puts()) {
			if by, ok := who[k]; ok && by != s.Actor {
				w.shared[k] = true
			}
			who[k] = s.Actor
		}
		for _, k := range s.puts() {
			wrote[k] = true
		}
	}
	conflict := false
	for k := range w.shared { // any order: whether there is one
		conflict = conflict || wrote[k]
	}
	words := strings.FieldsFunc(about, apart)
	for i, s := range w.steps[:end] {
		if absentStep(w.steps, i) {
			continue
		}
		switch {
		case slices.Contains(w.marked, s.N), s.N == violated, s.Fault != "", s.Kind == StepArrive, s.Kind == StepServer, s.Kind == StepClock && s.forced:
			w.told[s.N] = true
		case s.Name == "EXPIRE" || s.Name == "PEXPIRE" || s.Actor == "":
		case len(actors) == 1:
			w.told[s.N] = true
		case slices.ContainsFunc(slices.Concat(s.looksAt(), s.puts()), func(k string) bool { return w.shared[k] && (wrote[k] || !conflict) }):
			w.told[s.N] = true
		case slices.ContainsFunc(s.Changes, func(c Change) bool { return (c.Before == nil || c.After == nil) && mentioned(c.Key, words) }):
			w.told[s.N] = true
		}
	}
}

// apart reports whether a character stands between words.
func apart(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_' }

// mentioned reports whether a part of a key's name, other than its hash tag, is one of the words.
func mentioned(key string, words []string) bool {
	return slices.ContainsFunc(strings.Split(key, ":"), func(part string) bool {
		return !strings.HasPrefix(part, "{") && slices.Contains(words, part)
	})
}

// block is what one actor, or nobody, does without another between.
type block struct {
	actor string
	steps []*Step
}

func (w *teller) blocks() []block {
	var out []block
	for _, s := range w.steps {
		if !w.told[s.N] {
			continue
		}
		if n := len(out); n > 0 && out[n-1].actor == s.Actor {
			out[n-1].steps = append(out[n-1].steps, s)
			continue
		}
		out = append(out, block{s.Actor, []*Step{s}})
	}
	return out
}

// sentences are one sentence for each block.
func (w *teller) sentences() []string {
	all := w.blocks()
	skip := map[int]bool{} // blocks in the middle that are too many
	for i := len(all) - 2; i > 0 && len(all)-len(skip) > maxBlocks; i-- {
		if !slices.ContainsFunc(all[i].steps, func(s *Step) bool { return slices.Contains(w.marked, s.N) || s.Fault != "" }) {
			skip[i] = true
		}
	}
	var out []string
	for i, b := range all {
		text := w.sentence(b, len(out) == 0)
		if !skip[i] {
			out = append(out, text)
		}
	}
	return out
}

// sentence tells a block. The first of all begins with Let.
func (w *teller) sentence(b block, first bool) string {
	if b.actor == "" {
		var parts []string
		for _, s := range b.steps {
			parts = append(parts, w.nobody(s))
			w.note(s)
		}
		return map[bool]string{true: "Let ", false: "Then "}[first] + strings.Join(parts, ", and ") + "."
	}
	stale, known := w.stale(b)
	verb := func(s string) string { return s }
	if first && !known {
		verb = infinitive
	}
	var clauses []string
	more := 0
	for _, s := range b.steps {
		c := w.clause(s)
		w.note(s)
		if c == "" {
			continue
		}
		if len(clauses) == maxClauses-1 && s != b.steps[len(b.steps)-1] && !slices.Contains(w.marked, s.N) {
			more++
			continue
		}
		clauses = append(clauses, verb(c))
		if end := ending(s); end != "" {
			clauses = append(clauses, verb(end))
		}
	}
	if more > 0 {
		clauses[len(clauses)-1] = fmt.Sprintf("after %d more steps ", more) + clauses[len(clauses)-1]
	}
	text := joined(clauses)
	switch {
	case known:
		return "However, " + b.actor + " still goes by what it has read, " + stale + ": it " + text + "."
	case first:
		return "Let " + b.actor + " " + text + "."
	}
	return "Then " + b.actor + " " + text + "."
}

// stale says what the actor of a block knows that is no longer so, if it writes in the block before it reads it again.
func (w *teller) stale(b block) (string, bool) {
	writes := slices.ContainsFunc(b.steps, func(s *Step) bool { return len(s.puts()) > 0 })
	keys := make([]string, 0, len(w.knows[b.actor]))
	for k, v := range w.knows[b.actor] { // any order: sorted below
		if v.stale {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	for _, k := range keys {
		if slices.ContainsFunc(b.steps, func(s *Step) bool { return slices.Contains(s.looksAt(), k) }) {
			continue
		}
		if v := w.knows[b.actor][k]; writes {
			return named(k) + " " + seen(v.reply), true
		}
	}
	return "", false
}

// note learns from a step.
func (w *teller) note(s *Step) {
	for _, k := range s.looksAt() {
		v := knowledge{step: s.N, reply: s.Reply, by: s.Actor}
		if w.knows[s.Actor] == nil {
			w.knows[s.Actor] = map[string]knowledge{}
		}
		w.knows[s.Actor][k], w.read[k] = v, v
	}
	for _, k := range s.puts() {
		delete(w.read, k)
		for actor, known := range w.knows { // any order: each is changed alone
			if v, ok := known[k]; ok && actor != s.Actor {
				v.stale = true
				known[k] = v
			} else if ok {
				delete(known, k)
			}
		}
		w.wrote[k] = s.Actor
	}
}

// conclusion is the sentence about the violation.
func conclusion(res *Result, t target) string {
	if v, ok := res.Violated(t.what); ok {
		line, _, _ := strings.Cut(v.Detail, "\n")
		return fmt.Sprintf("So %q is violated: %s.", t.what, strings.TrimSuffix(clip(printable(line), 200), "."))
	}
	var dead *DeadlockError
	if errors.As(res.Err, &dead) {
		var who []string
		for _, x := range dead.Waiting {
			who = append(who, x.Actor)
		}
		return "So " + listed(who) + " wait" + plural(len(who) == 1) + " for ever."
	}
	line, _, _ := strings.Cut(fmt.Sprint(res.Err), "\n")
	return "So the world fails: " + clip(printable(line), 200) + "."
}

// contrast says where the nearest order that holds parts from this one, and what comes of it.
func contrast(res *Result, d *Decision) string {
	if d == nil || d.Nearest == nil || len(d.Steps) == 0 {
		return ""
	}
	nearest := d.Nearest
	a, b := res.Trace.Schedule(), nearest.Trace.Schedule()
	part := 0
	for part < len(a) && part < len(b) && a[part].String() == b[part].String() {
		part++
	}
	first := res.Trace.Steps[d.Steps[0]-1]
	text := fmt.Sprintf("The nearest order that holds parts from this one at step %d: ", part+1)
	if len(d.Steps) == 1 {
		return text + "there " + first.without() + "."
	}
	second := res.Trace.Steps[d.Steps[1]-1]
	text += fmt.Sprintf("there %s comes before %s", second.short(), first.short())
	for _, s := range []*Step{first, second} {
		again := find(nearest.Trace.Steps, s, res.Trace.Steps)
		if again == nil || len(s.looksAt()) == 0 || again.Reply == s.Reply {
			continue
		}
		text += fmt.Sprintf(", %s sees %s instead of %s", s.Actor, clip(again.Reply, 40), clip(s.Reply, 40))
		here, there := written(res.Trace.Steps[s.N-1:], s.Actor), written(nearest.Trace.Steps[again.N-1:], s.Actor)
		var gone []string
		for _, x := range here {
			if !slices.ContainsFunc(there, func(y *Step) bool { return y.Name == x.Name && slices.Equal(y.Keys, x.Keys) }) {
				gone = append(gone, x.Name)
			}
		}
		switch {
		case len(gone) > 0:
			text += ", and does not go on to " + listed(slices.Compact(gone))
		case len(here) > 0 && len(there) > 0 && !slices.Equal(here[0].Command, there[0].Command):
			text += ", and goes on with " + clip(commandText(there[0].Command), 60)
		}
		break
	}
	return text + "."
}

// without says what happens where a fault or a move of the clock is left out.
func (s *Step) without() string {
	switch {
	case s.Kind == StepClock:
		return "no time passes"
	case s.Kind == StepServer:
		return s.whichServer() + " does not " + map[bool]string{true: "evict " + named(append(s.Keys, "")[0]), false: "lose anything"}[s.Fault == "evict"]
	case s.Fault == "crash":
		return s.Actor + " does not die"
	case s.Fault == "drop":
		return "the message reaches " + s.Actor
	}
	return s.Actor + " gets the reply to its " + s.Name
}
