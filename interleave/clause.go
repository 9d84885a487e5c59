package interleave

import (
	"fmt"
	"strings"
	"time"

	"github.com/racebench/racebench/interleave/wire"
)

// This file says in words what one step did, for the stories of story.go.

// clause says what a step did, in the third person.
func (w *teller) clause(s *Step) string {
	switch {
	case s.Kind == StepCrash:
		if s.Name != "" {
			return "dies before its " + s.Name
		}
		return "dies"
	case s.Kind == StepDeliver && s.Fault == "drop":
		return "never gets the message " + clip(s.Reply, 60)
	case s.Kind == StepDeliver:
		return "receives " + clip(s.Reply, 60)
	case s.Kind == StepPoint && s.Fault == "crash":
		return "dies at its point " + wire.Quote(s.Command[1])
	case s.Kind == StepPoint:
		return "passes its point " + wire.Quote(s.Command[1])
	case s.Fault == "unsent":
		return "loses its connection before " + s.Name + " is sent"
	case s.Fault == "late":
		return "gives up waiting for its " + s.Name + ", which is still on its way"
	}
	text := w.effect(s)
	if s.Kind == StepArrive {
		text = "sees nothing of it when its late " + s.Name + " arrives, which " + text
	}
	return text
}

// ending says what became of an actor whose command was executed.
func ending(s *Step) string {
	switch {
	case s.Kind == StepOperation && s.Fault == "lost":
		return "never gets the reply"
	case s.Kind == StepOperation && s.Fault == "crash":
		return "dies before the reply"
	}
	return ""
}

// effect says what a command did.
func (w *teller) effect(s *Step) string {
	script := strings.HasPrefix(s.Name, "EVAL") || strings.HasPrefix(s.Name, "FCALL")
	var parts []string
	for _, c := range s.Changes {
		parts = append(parts, w.changed(s, c))
	}
	switch {
	case script && len(parts) == 0:
		return "runs a script on " + keysOf(s) + ", which changes nothing and answers " + clip(s.Reply, 40)
	case script:
		return "runs a script that " + joined(parts)
	case len(parts) > 0:
		return joined(parts)
	}
	if s.SQL {
		return "runs " + clip(s.wording(), 60) + " (" + clip(s.Reply, 60) + ")"
	}
	if reads := s.looksAt(); len(reads) > 0 && !s.Wrote {
		return w.looks(s, reads[0])
	}
	switch {
	case s.IsErr:
		return "is refused its " + s.Name + " (" + clip(s.Reply, 60) + ")"
	case s.Wrote && s.Name == "SET" && s.Reply == "OK" && len(s.Command) > 2:
		w.it = s.Keys[0]
		return "sets " + named(s.Keys[0]) + " to " + value(s.Command[2]) + ", which it is already"
	case s.Wrote:
		return "calls " + s.Name + " on " + keysOf(s) + ", which changes nothing"
	}
	text := clip(s.wording(), 60)
	return "calls " + text + " (" + clip(s.Reply, 40) + ")"
}

// looks says what a reading step saw.
func (w *teller) looks(s *Step, key string) string {
	what := named(key)
	if (s.Name == "HGET" || s.Name == "ZSCORE") && len(s.Command) > 2 {
		what = s.Command[2] + " of " + what
	}
	before, again := w.read[key]
	pronoun := w.it == key
	w.it = key
	switch {
	case again && before.by != s.Actor && before.reply == s.Reply && pronoun:
		return "reads it too"
	case again && before.by != s.Actor && before.reply == s.Reply:
		return "reads " + what + " too, which still " + seen(s.Reply)
	case pronoun && what == named(key) && again:
		return "reads it, which " + seen(s.Reply)
	}
	return "reads " + what + ", which " + seen(s.Reply)
}

// changed says what a step did to a key.
func (w *teller) changed(s *Step, c Change) string {
	k := named(c.Key)
	w.it = c.Key
	by, owned := w.wrote[c.Key]
	whose := ""
	switch {
	case owned && by != s.Actor && by != "":
		whose = " of " + by
	}
	switch {
	case c.After == nil:
		if c.Before.Type != "string" {
			return "deletes " + k
		}
		if whose != "" {
			return "deletes " + k + ", which is " + value(c.Before.Text()) + whose
		}
		return "deletes " + k + ", which is " + value(c.Before.Text())
	case c.Before == nil && c.After.Type == "string":
		return "sets " + k + " to " + value(c.After.Text())
	case c.Before == nil:
		return "makes " + k
	case c.Before.sameValue(c.After):
		return "gives " + k + " another time to live"
	case c.After.Type == "string" && whose != "":
		return "sets " + k + " to " + value(c.After.Text()) + ", over the " + value(c.Before.Text()) + whose
	case c.After.Type == "string":
		return "sets " + k + " from " + value(c.Before.Text()) + " to " + value(c.After.Text())
	case c.After.Type == "hash" && c.Before.Type == "hash":
		var parts []string
		for i := 0; i+1 < len(c.After.Items); i += 2 {
			f, v := c.After.Items[i], c.After.Items[i+1]
			if was := c.Before.Field(f); was != v {
				part := f + " to " + value(v)
				if was != "" {
					part = f + " from " + value(was) + " to " + value(v)
				}
				parts = append(parts, part)
			}
		}
		if n := len(parts); n > 0 && n <= 2 {
			return "sets " + strings.Join(parts, " and ") + " in " + k
		}
	}
	return "changes " + k + " from " + clip(c.Before.String(), 40) + " to " + clip(c.After.String(), 40)
}

// nobody says what the clock or the server did.
func (w *teller) nobody(s *Step) string {
	var gone []string
	for _, c := range s.Changes {
		if c.After == nil {
			gone = append(gone, named(c.Key))
		}
	}
	switch {
	case s.Kind == StepClock && len(gone) > 0:
		return duration(s.Advance) + " pass, and " + listed(gone) + " expire" + plural(len(gone) == 1)
	case s.Kind == StepClock:
		return duration(s.Advance) + " pass"
	case s.Fault == "evict":
		return s.whichServer() + " evicts " + named(s.Keys[0])
	case s.Fault == "restart":
		return s.whichServer() + " restarts and has lost its memory"
	case s.Fault == "flushscripts":
		return s.whichServer() + " forgets its scripts"
	}
	return s.whichServer() + " fails over, and the last writes are lost"
}

// whichServer names the server that a fault has happened to.
func (s *Step) whichServer() string {
	if s.Server == "" {
		return "the server"
	}
	return "server " + s.Server
}

func plural(one bool) string {
	if one {
		return "s"
	}
	return ""
}

// infinitive turns the verb of a clause in the third person into the form that follows Let.
func infinitive(c string) string {
	verb, rest, _ := strings.Cut(c, " ")
	switch verb {
	case "is":
		verb = "be"
	case "loses", "receives", "dies", "gives", "makes", "deletes", "changes", "reads", "sets", "runs", "calls", "gets", "sees":
		verb = strings.TrimSuffix(verb, "s")
	case "passes":
		verb = "pass"
	case "never":
		verb, rest = "never", infinitive(rest)
	}
	return strings.TrimSpace(verb + " " + rest)
}

// joined joins clauses: "a, b and c", or "a, and b" where a has a comma of its own.
func joined(parts []string) string {
	n := len(parts)
	if n > 1 && strings.Contains(strings.Join(parts[:n-1], ""), ", ") {
		return strings.Join(parts[:n-1], ", ") + ", and " + parts[n-1]
	}
	return listed(parts)
}

func named(key string) string { return clip(wire.Quote(key), 60) }

func value(v string) string { return clip(wire.Quote(v), 40) }

// seen says what a reply tells about a key.
func seen(reply string) string {
	switch reply {
	case "nil", "[]", "{}":
		return "is empty"
	}
	return "is " + clip(reply, 60)
}

func keysOf(s *Step) string {
	if len(s.Keys) == 0 {
		return "no key"
	}
	var names []string
	for _, k := range s.Keys {
		names = append(names, named(k))
	}
	return listed(names)
}

// duration is a time in words where that is short: "ten minutes".
func duration(d time.Duration) string {
	small := []string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}
	for _, u := range []struct {
		d    time.Duration
		name string
	}{{time.Hour, "hour"}, {time.Minute, "minute"}, {time.Second, "second"}, {time.Millisecond, "millisecond"}} {
		if d < u.d || d%u.d != 0 {
			continue
		}
		n := int(d / u.d)
		if n > 120 {
			break
		}
		word := fmt.Sprint(n)
		if n < len(small) {
			word = small[n]
		}
		return word + " " + u.name + plural(n > 1)
	}
	return d.String()
}
