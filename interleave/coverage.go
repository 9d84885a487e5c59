package interleave

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
)

// Coverage says what an exploration has looked at: the answer to "why no bug?".
type Coverage struct {
	Actors []ActorCoverage `json:"actors"` // by name
	Keys   []KeyCoverage   `json:"keys"`   // by name
	// Pairs are the pairs of operations of two actors on one key of which at least one writes it.
	Pairs []PairCoverage `json:"pairs,omitempty"`
	// Everything are the operations that may touch every key, such as FLUSHALL, or a script that changed a key that it did not
	// declare: nothing about them is known by key.
	Everything []string `json:"everything,omitempty"`
	// Unnamed are the keys that have changed without an operation that named them.
	Unnamed []string `json:"unnamed,omitempty"`
}

// ActorCoverage is what an actor did in all orders together.
type ActorCoverage struct {
	Name       string         `json:"name"`                 // of the actor
	Operations map[string]int `json:"operations,omitempty"` // command -> how often it was executed
	Orders     int            `json:"orders"`               // that were looked at
	Silent     int            `json:"silent"`               // orders in which nothing of it came to the gate
	Alone      int            `json:"alone"`                // orders in which no other was under way beside it
	Client     bool           `json:"client"`               // it asked for its client, or dialled
}

// KeyCoverage is who touched a key.
type KeyCoverage struct {
	Key     string   `json:"key"`               // its name
	Actors  []string `json:"actors"`            // that touched it
	Readers []string `json:"readers,omitempty"` // operations that only read it: A.GET
	Writers []string `json:"writers,omitempty"` // operations that may write it
	Orders  int      `json:"orders"`            // different orders of the accesses of several actors; reads among themselves have none
	Seen    []uint64 `json:"seen,omitempty"`    // fingerprints of these orders
}

// PairCoverage says in which orders two operations on a key were seen. The second and later of an actor's alike are numbered:
// A.GET#2.
type PairCoverage struct {
	Key string `json:"key"` // that both are about
	A   string `json:"a"`   // one operation: A.GET
	B   string `json:"b"`   // another actor's
	AB  bool   `json:"ab"`  // A came before B in some order
	BA  bool   `json:"ba"`  // B came before A in some order
}

// WhyNoBug makes an exploration collect its coverage. Explore does so by itself with go test -v, and logs it when all held.
func WhyNoBug() Option { return func(c *config) { c.why = true } }

// accesses of one order that are looked at on one key: pairs of them are many.
const maxAccesses = 100

// access is one step on one key.
type access struct {
	actor, label string
	write        bool
}

// look adds one order.
func (c *Coverage) look(t *Trace) {
	byKey := map[string][]access{}
	for _, l := range t.lives {
		a := c.actor(l.actor)
		a.Orders++
		a.Client = a.Client || l.client || l.dialled > 0
		if l.arrived == never {
			a.Silent++
		}
		if !slices.ContainsFunc(t.lives, func(o life) bool {
			return o.actor != l.actor && o.arrived != never && stretch{l.arrived, l.ended}.meets(stretch{o.arrived, o.ended})
		}) {
			a.Alone++
		}
	}
	for _, s := range t.Steps {
		if s.Actor == "" || !s.executed() {
			continue
		}
		a := c.actor(s.Actor)
		a.Operations[s.Name]++
		label := s.Actor + "." + s.Name
		if s.foot.all {
			add(&c.Everything, label)
		}
		for _, k := range s.foot.writes {
			byKey[k] = append(byKey[k], access{s.Actor, label, true})
		}
		for _, k := range s.foot.reads {
			if !slices.Contains(s.foot.writes, k) {
				byKey[k] = append(byKey[k], access{s.Actor, label, false})
			}
		}
	}
	for _, ch := range t.Undeclared {
		add(&c.Unnamed, ch.Key)
	}
	for _, k := range slices.Sorted(maps.Keys(byKey)) {
		switch {
		case k == touchesMessages:
			c.key("(messages)", byKey[k])
		case !strings.HasPrefix(k, "\x00"):
			c.key(k, byKey[k])
		}
	}
}

func (c *Coverage) actor(name string) *ActorCoverage {
	i, ok := slices.BinarySearchFunc(c.Actors, name, func(a ActorCoverage, n string) int { return strings.Compare(a.Name, n) })
	if !ok {
		c.Actors = slices.Insert(c.Actors, i, ActorCoverage{Name: name, Operations: map[string]int{}})
	}
	return &c.Actors[i]
}

func (c *Coverage) entry(name string) *KeyCoverage {
	i, ok := slices.BinarySearchFunc(c.Keys, name, func(k KeyCoverage, n string) int { return strings.Compare(k.Key, n) })
	if !ok {
		c.Keys = slices.Insert(c.Keys, i, KeyCoverage{Key: name})
	}
	return &c.Keys[i]
}

// key adds the accesses of one order to a key.
func (c *Coverage) key(name string, list []access) {
	k := c.entry(name)
	several := false
	for _, a := range list {
		add(&k.Actors, a.actor)
		several = several || a.actor != list[0].actor
		if a.write {
			add(&k.Writers, a.label)
		} else {
			add(&k.Readers, a.label)
		}
	}
	if !several {
		return
	}
	list = numbered(list[:min(len(list), maxAccesses)])
	add(&k.Seen, fingerprint(list))
	k.Orders = len(k.Seen)
	for j, b := range list {
		for _, a := range list[:j] {
			if a.actor == b.actor || !a.write && !b.write {
				continue
			}
			if a.label < b.label {
				c.pair(name, a.label, b.label).AB = true
			} else {
				c.pair(name, b.label, a.label).BA = true
			}
		}
	}
}

// numbered tells the accesses of an actor that are alike from one another.
func numbered(list []access) []access {
	seen := map[string]int{}
	out := slices.Clone(list)
	for i := range out {
		if seen[out[i].label]++; seen[out[i].label] > 1 {
			out[i].label += fmt.Sprintf("#%d", seen[out[i].label])
		}
	}
	return out
}

// fingerprint is equal for orders that differ only in reads among themselves.
func fingerprint(list []access) uint64 {
	h := fnv.New64a()
	for i := 0; i < len(list); {
		j := i + 1
		for j < len(list) && !list[i].write && !list[j].write {
			j++
		}
		var labels []string
		for _, a := range list[i:j] {
			labels = append(labels, a.label)
		}
		slices.Sort(labels)
		fmt.Fprintf(h, "%q", labels)
		i = j
	}
	return h.Sum64()
}

func (c *Coverage) pair(key, a, b string) *PairCoverage {
	want := PairCoverage{Key: key, A: a, B: b}
	i, ok := slices.BinarySearchFunc(c.Pairs, want, func(p, w PairCoverage) int {
		return strings.Compare(p.Key+"\x00"+p.A+"\x00"+p.B, w.Key+"\x00"+w.A+"\x00"+w.B)
	})
	if !ok {
		c.Pairs = slices.Insert(c.Pairs, i, want)
	}
	return &c.Pairs[i]
}

// add puts x into a sorted list, once.
func add[T interface{ ~string | ~uint64 }](list *[]T, x T) {
	if i, ok := slices.BinarySearch(*list, x); !ok {
		*list = slices.Insert(*list, i, x)
	}
}

// addCoverage adds the coverage of another part of an exploration.
func addCoverage(c, more *Coverage) *Coverage {
	if more == nil {
		return c
	}
	if c == nil {
		c = &Coverage{}
	}
	for _, m := range more.Actors {
		a := c.actor(m.Name)
		for command, n := range m.Operations { // any order: sums of their own
			a.Operations[command] += n
		}
		a.Orders, a.Silent, a.Alone, a.Client = a.Orders+m.Orders, a.Silent+m.Silent, a.Alone+m.Alone, a.Client || m.Client
	}
	for _, m := range more.Keys {
		k := c.entry(m.Key)
		for _, x := range m.Actors {
			add(&k.Actors, x)
		}
		for _, x := range m.Readers {
			add(&k.Readers, x)
		}
		for _, x := range m.Writers {
			add(&k.Writers, x)
		}
		for _, x := range m.Seen {
			add(&k.Seen, x)
		}
		k.Orders = len(k.Seen)
	}
	for _, m := range more.Pairs {
		p := c.pair(m.Key, m.A, m.B)
		p.AB, p.BA = p.AB || m.AB, p.BA || m.BA
	}
	for _, x := range more.Everything {
		add(&c.Everything, x)
	}
	for _, x := range more.Unnamed {
		add(&c.Unnamed, x)
	}
	return c
}

// Shared are the keys that more than one actor touched.
func (c *Coverage) Shared() []KeyCoverage {
	var out []KeyCoverage
	for _, k := range c.Keys {
		if len(k.Actors) > 1 {
			out = append(out, k)
		}
	}
	return out
}

// OneWay are the pairs that were seen in one order only. Where all orders were run, the program itself orders them.
func (c *Coverage) OneWay() []string {
	var out []string
	for _, p := range c.Pairs {
		switch {
		case p.AB && !p.BA:
			out = append(out, fmt.Sprintf("%s before %s on %s", p.A, p.B, p.Key))
		case p.BA && !p.AB:
			out = append(out, fmt.Sprintf("%s before %s on %s", p.B, p.A, p.Key))
		}
	}
	return out
}

// Unseen says what never passed the gate, as far as it can be told.
func (c *Coverage) Unseen() []string {
	var out []string
	for _, a := range c.Actors {
		switch {
		case a.Silent == a.Orders && a.Client:
			out = append(out, a.Name+" has a client, and sent no operation in any order")
		case a.Silent == a.Orders:
			out = append(out, a.Name+" never asked for its client: what it does does not pass the gate")
		case a.Alone == a.Orders && len(c.Actors) > 1:
			out = append(out, a.Name+" was under way beside nobody in any order")
		}
	}
	for _, k := range c.Unnamed {
		out = append(out, k+" has changed without an operation that named it")
	}
	return out
}

// Verdict is the answer in one sentence.
func (c *Coverage) Verdict() string {
	shared := c.Shared()
	written := slices.ContainsFunc(shared, func(k KeyCoverage) bool { return len(k.Writers) > 0 })
	switch {
	case len(c.Everything) > 0:
		return "some operations may touch every key, and were ordered with all others"
	case len(shared) == 0:
		return "no key is shared by two actors: there is nothing to explore"
	case !written:
		return "keys are shared, and nobody writes one: no order can matter"
	case len(c.OneWay()) > 0:
		return fmt.Sprintf("%d pairs of operations were seen in one order only", len(c.OneWay()))
	}
	return "every pair of operations that depend on one another was seen in both orders"
}

// String is the coverage for a reader, in some lines.
func (c *Coverage) String() string {
	const most = 20 // lines of a kind
	var b strings.Builder
	fmt.Fprintf(&b, "why no bug? %s\n", c.Verdict())
	for _, a := range c.Actors {
		var ops []string
		for _, name := range slices.Sorted(maps.Keys(a.Operations)) {
			ops = append(ops, fmt.Sprintf("%s %d", name, a.Operations[name]))
		}
		if len(ops) == 0 {
			ops = []string{"nothing"}
		}
		fmt.Fprintf(&b, "  %s sent, in %d orders: %s\n", a.Name, a.Orders, strings.Join(ops, ", "))
	}
	lines := func(what string, list []string) {
		for i, line := range list {
			if i == most {
				fmt.Fprintf(&b, "  … and %d more\n", len(list)-most)
				return
			}
			fmt.Fprintf(&b, "  %s%s\n", what, line)
		}
	}
	var shared, own []string
	for _, k := range c.Keys {
		if len(k.Actors) < 2 {
			own = append(own, k.Key+", by "+k.Actors[0])
			continue
		}
		line := k.Key
		if len(k.Readers) > 0 {
			line += ", read by " + strings.Join(k.Readers, " ")
		}
		if len(k.Writers) > 0 {
			line += ", written by " + strings.Join(k.Writers, " ")
		}
		shared = append(shared, fmt.Sprintf("%s: %d orders", line, k.Orders))
	}
	lines("shared: ", shared)
	lines("touched by one actor only: ", own)
	lines("never the other way round: ", c.OneWay())
	lines("may touch everything: ", c.Everything)
	lines("never passed the gate: ", c.Unseen())
	return strings.TrimSuffix(b.String(), "\n")
}
