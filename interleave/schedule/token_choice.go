package schedule

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// This file is how a choice is written in a [Compact].

// choiceModels are what is learnt from the choices of a token about those to come.
type choiceModels struct {
	gap, nth, number      *amount
	kind, fault, unit     *model
	actor                 []*model // by the actor of the choice before
	last                  int
	words, servers, named *vocabulary // commands, servers, keys
	fresh                 *model      // which of compactWords a new command is
	other                 *model      // fingerprints of steps that were no choice; nil when there are none
	choiceWidth           int
	byWord                map[string]*model
}

// usual are the weights of numbers that nothing is known of, by their lengths.
var usual = []int{16, 32, 32, 32, 64, 64, 32, 8, 4, 4}

// kinds is how many kinds of tokens there is room for. Kind 0 is spelled out.
const kinds = 32

func newChoiceModels(actors, choiceWidth, otherWidth int) *choiceModels {
	m := &choiceModels{
		gap: newAmount(100, 12, 8, 4), nth: newAmount(3000, 60, 20), number: newAmount(usual...),
		kind: newModel(kinds, 64, 1, 2000, 1, 1, 16, 64, 64), fault: newModel(16, 32, 1000), unit: newModel(len(units), 2),
		actor: make([]*model, actors+1), words: newVocabulary(nil), servers: newVocabulary([]int{1, 100}, ""), named: newVocabulary([]int{1, 100}, noKey),
		choiceWidth: choiceWidth, byWord: map[string]*model{},
	}
	weights := make([]int, commonWords)
	for i := range weights {
		weights[i] = 12
	}
	m.fresh = newModel(len(compactWords)+1, 0, weights...)
	if otherWidth > 0 {
		m.other = newModel(1<<otherWidth+1, 1)
	}
	return m
}

// prints is the model of the fingerprints of a command's keys.
func (m *choiceModels) prints(command string) *model {
	if m.choiceWidth == 0 {
		return nil
	}
	p := m.byWord[command]
	if p == nil {
		p = newModel(1<<m.choiceWidth+1, 3)
		m.byWord[command] = p
	}
	return p
}

// print codes a fingerprint. The last symbol of a model stands for none.
func (m *choiceModels) print(w *coder, p *Print, values *model) {
	if values == nil {
		*p = AnyPrint
		return
	}
	v, none := int(*p), len(values.freq)-1
	if *p == AnyPrint {
		v = none
	}
	if w.code(&v, values); v == none {
		*p = AnyPrint
	} else {
		*p = Print(v)
	}
}

// choice codes a choice, its step and fingerprint left out.
func (m *choiceModels) choice(w *coder, x *Choice) {
	t := &x.Token
	kind := int(t.Kind)
	if !w.reading && !plain(*t) {
		kind = 0
	}
	w.code(&kind, m.kind)
	if kind == 0 {
		m.spelled(w, t)
	}
	if m.actor[m.last] == nil {
		m.actor[m.last] = newModel(len(m.actor), 2)
	}
	w.code(&x.Actor, m.actor[m.last])
	m.last = x.Actor
	if kind == 0 {
		return
	}
	t.Kind = Kind(kind)
	switch t.Kind {
	case Op:
		fault := int(t.Fault)
		w.code(&fault, m.fault)
		t.Fault = Fault(fault)
		if t.Fault != CrashBefore {
			m.command(w, &t.Match.Command)
		}
		m.server(w, &t.Match.Server)
		m.keys(w, &t.Match.Keys)
		m.position(w, t)
	case Arrive:
		m.position(w, t)
	case Deliver:
		drop := 0
		if t.Fault == Drop {
			drop = 1
		}
		if w.uniform(&drop, 2); drop == 1 {
			t.Fault = Drop
		}
		m.key(w, &t.Key)
		m.position(w, t)
	case Advance:
		m.duration(w, &t.Duration)
	case Failover:
		m.server(w, &t.Server)
		w.int(&t.N, m.number, MaxN)
	case Restart, FlushScripts:
		m.server(w, &t.Server)
	case Evict:
		m.server(w, &t.Server)
		m.key(w, &t.Key)
	default:
		w.fail(errRange)
	}
	if w.reading {
		named := *t
		if Op <= t.Kind && t.Kind <= Deliver {
			named.Actor = "A" // only the place of the real one is known
		}
		if err := named.Validate(); err != nil {
			w.fail(err)
		}
	}
}

func (m *choiceModels) position(w *coder, t *Token) {
	n := max(t.Match.Nth, 1) - 1
	w.int(&n, m.nth, MaxN-1)
	t.Match.Nth = n + 1
}

// plain reports whether a token has a form of its own; if not it is spelled out.
func plain(t Token) bool {
	t.Actor = "" // it has a place of its own
	same := Token{Kind: t.Kind}
	switch t.Kind {
	case Op:
		same.Fault, same.Match = t.Fault, t.Match
		if len(t.Match.Keys) > 1 || t.Fault == CrashBefore && t.Match.Command != "" || t.Fault != CrashBefore && t.Match.Command == "" {
			return false
		}
	case Arrive:
		same.Match.Nth = t.Match.Nth
	case Deliver:
		same.Match.Nth, same.Key, same.Fault = t.Match.Nth, t.Key, t.Fault
	case Advance:
		same.Duration = t.Duration
	case Failover:
		same.Server, same.N = t.Server, t.N
	case Evict:
		same.Server, same.Key = t.Server, t.Key
	case Restart, FlushScripts:
		same.Server = t.Server
	default:
		return false
	}
	return same.Equal(t)
}

// spelled codes a token as its text, with its actor.
func (m *choiceModels) spelled(w *coder, t *Token) {
	text := t.String()
	w.text(&text, maxLiteral)
	if !w.reading || w.err != nil {
		return
	}
	s, err := Parse(text)
	if err != nil || len(s) != 1 {
		w.fail(fmt.Errorf("%q is no token of a schedule", text))
		return
	}
	*t = s[0]
	t.Pos = Pos{}
}

// vocabulary is a set of texts that learns new ones.
type vocabulary struct {
	seen []string
	m    *model // which of seen, from 1; 0 for a new one
}

func newVocabulary(weights []int, seen ...string) *vocabulary {
	return &vocabulary{seen, newModel(len(seen)+1, 2, weights...)}
}

// text codes a text, and a new one by spell.
func (v *vocabulary) text(w *coder, s *string, spell func(*string)) {
	i := slices.Index(v.seen, *s) + 1
	if w.code(&i, v.m); i > 0 {
		*s = v.seen[i-1]
		return
	}
	spell(s)
	v.seen = append(v.seen, *s)
	v.m.freq = append(v.m.freq, 2)
	v.m.total += 2
}

// command codes the name of a command: one that was met before, one of compactWords, or a spelled one.
func (m *choiceModels) command(w *coder, name *string) {
	m.words.text(w, name, func(name *string) {
		i, known := wordIndex[*name]
		if !known {
			i = len(compactWords)
		}
		if w.code(&i, m.fresh); i < len(compactWords) {
			*name = compactWords[i]
		} else {
			w.text(name, maxLiteral)
		}
	})
}

func (m *choiceModels) server(w *coder, name *string) {
	m.servers.text(w, name, func(s *string) { w.text(s, maxLiteral) })
}

// keys codes no key or one.
func (m *choiceModels) keys(w *coder, keys *[]string) {
	s := noKey
	if len(*keys) == 1 {
		s = "=" + (*keys)[0]
	}
	m.key(w, &s)
	if key, ok := strings.CutPrefix(s, "="); ok {
		*keys = []string{key}
	} else if s != noKey {
		w.fail(errRange)
	}
}

// noKey stands in a vocabulary of keys for none.
const noKey = ""

func (m *choiceModels) key(w *coder, key *string) {
	m.named.text(w, key, func(s *string) { w.text(s, maxLiteral) })
}

// units are those that durations are counted in, the largest that leaves no rest first.
var units = []time.Duration{time.Hour, time.Minute, time.Second, time.Millisecond, time.Microsecond, 1}

func (m *choiceModels) duration(w *coder, d *time.Duration) {
	u := slices.IndexFunc(units, func(u time.Duration) bool { return *d%u == 0 })
	w.code(&u, m.unit)
	n := int64(*d / units[u])
	w.count(&n, m.number, int64(MaxClock/units[u]))
	*d = time.Duration(n) * units[u]
}
