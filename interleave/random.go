package interleave

import (
	"math/rand/v2"
	"slices"
)

// This file holds the strategies that draw: each execution is one sample, and the seed of the exploration with the
// number of the execution is all that it depends on.

// sampler chooses among the steps that could be taken. One value serves a whole exploration, so that it can learn from
// one execution for the next.
type sampler interface {
	// begin starts an execution. Every draw of it comes from rng.
	begin(rng *rand.Rand)
	// pick returns the index of the step to take.
	pick(steps []candidate) int
	// end is told how many steps the execution had of which actor.
	end(steps map[string]int)
}

// candidate is a step that could be taken now.
type candidate struct {
	alternative
	foot footprint
}

// samplers are the strategies by name. Each call makes a new one.
var samplers = map[string]func() sampler{
	"random": func() sampler { return &uniform{} },
	"pct":    func() sampler { return &pct{length: 1} },
	"pos":    func() sampler { return &pos{} },
	"surw":   func() sampler { return &surw{} },
}

// Strategies are the names that the option Strategy takes.
func Strategies() []string {
	return []string{"exhaustive", "portfolio", "random", "pct", "pos", "surw", "dfs"}
}

// sampled draws orders without end, with each of its samplers in turn.
type sampled struct {
	seed  uint64
	all   []sampler
	s     sampler // of this execution
	rng   *rand.Rand
	feet  bool // s looks at footprints
	count map[string]int
	swarm swarm
}

func newSampled(seed uint64, b *budget, names ...string) *sampled {
	s := &sampled{seed: seed, swarm: swarm{budget: b}}
	for _, name := range names {
		s.all = append(s.all, samplers[name]())
	}
	return s
}

func (s *sampled) begin(execution int) bool {
	s.s = s.all[execution%len(s.all)]
	s.rng = rand.New(rand.NewPCG(s.seed, uint64(execution)))
	s.swarm.draw(s.number)
	s.s.begin(s.rng)
	_, blind := s.s.(*uniform)
	s.feet, s.count = !blind, map[string]int{}
	return true
}

func (s *sampled) number(n int) int { return s.rng.IntN(n) }

func (s *sampled) end(res *Result) {
	s.swarm.length = max(s.swarm.length, len(res.Trace.Steps))
	s.s.end(s.count)
}

func (s *sampled) next(v *view) (choice, error) {
	choices, alts := alternatives(v)
	if len(alts) == 0 {
		return choice{kind: chooseEnd}, nil
	}
	if i := s.swarm.pick(alts, s.number); i >= 0 {
		return choices[i], nil
	}
	alts = alts[:faultless(alts)]
	if choices[0].kind == chooseIdle {
		return choices[0], nil
	}
	steps := make([]candidate, len(alts))
	for k := range alts {
		steps[k] = candidate{alts[k], footprint{writes: []string{touchesMessages}}}
		if o := choices[k].op; o != nil && s.feet {
			steps[k].foot = o.footprint()
		}
	}
	i := s.s.pick(steps)
	s.count[alts[i].actor]++
	return choices[i], nil
}

// uniform is the random walk: each step is equally likely, which makes some orders far likelier than others.
type uniform struct{ rng *rand.Rand }

func (u *uniform) begin(rng *rand.Rand)       { u.rng = rng }
func (u *uniform) pick(steps []candidate) int { return u.rng.IntN(len(steps)) }
func (u *uniform) end(map[string]int)         {}

// pct is probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi and Nagarakatte, "A randomized scheduler with
// probabilistic guarantees of finding bugs", ASPLOS 2010): actors have priorities, the highest goes first, and at d-1
// steps drawn beforehand the one that would go loses its priority. d, the depth of the bug, is drawn from 1 to 5.
type pct struct {
	rng      *rand.Rand
	length   int // steps of the longest execution so far
	at       int
	priority map[string]float64
	changes  []int
}

const maxDepth = 5

func (p *pct) begin(rng *rand.Rand) {
	p.rng, p.at, p.priority, p.changes = rng, 0, map[string]float64{}, nil
	for range rng.IntN(maxDepth) {
		p.changes = append(p.changes, rng.IntN(p.length))
	}
}

func (p *pct) pick(steps []candidate) int {
	best := p.highest(steps)
	if slices.Contains(p.changes, p.at) {
		p.priority[steps[best].actor] = -float64(p.at) - 1 // below all that were drawn, and below earlier losers
		best = p.highest(steps)
	}
	p.at++
	return best
}

func (p *pct) highest(steps []candidate) int {
	best := 0
	for i, s := range steps {
		if _, ok := p.priority[s.actor]; !ok {
			p.priority[s.actor] = p.rng.Float64()
		}
		if p.priority[s.actor] > p.priority[steps[best].actor] {
			best = i
		}
	}
	return best
}

func (p *pct) end(steps map[string]int) {
	total := 0
	for _, n := range steps { // any order: they are summed
		total += n
	}
	p.length = max(p.length, total)
}

// pos is partial order sampling (Yuan, Yang and Gu, "Partial order aware concurrency sampling", CAV 2018): every step has a
// priority, the highest goes first, and those that race with it draw theirs anew.
type pos struct {
	rng      *rand.Rand
	priority map[string]float64
}

func (p *pos) begin(rng *rand.Rand) { p.rng, p.priority = rng, map[string]float64{} }

func (p *pos) pick(steps []candidate) int {
	best := 0
	for i, s := range steps {
		if _, ok := p.priority[s.key]; !ok {
			p.priority[s.key] = p.rng.Float64()
		}
		if p.priority[s.key] > p.priority[steps[best].key] {
			best = i
		}
	}
	for i, s := range steps {
		if i != best && s.actor != steps[best].actor && s.foot.dependent(steps[best].foot) {
			delete(p.priority, s.key)
		}
	}
	return best
}

func (p *pos) end(map[string]int) {}

// surw is the selectively uniform random walk (ASPLOS 2025): an actor is taken with the probability of the share that it
// has in the interesting steps that are still to come, which makes all orders of those equally likely. Interesting are
// steps on keys that more than one actor has touched. How many each actor has is estimated from the executions before.
type surw struct {
	rng      *rand.Rand
	touched  map[string]map[string]bool // key -> actors
	estimate map[string]int             // interesting steps of an actor
	left     map[string]int
	now      map[string]int
	intent   string // the actor whose interesting step comes next
}

func (s *surw) begin(rng *rand.Rand) {
	s.rng, s.now, s.left, s.intent = rng, map[string]int{}, map[string]int{}, ""
	if s.touched == nil {
		s.touched, s.estimate = map[string]map[string]bool{}, map[string]int{}
	}
	for a, n := range s.estimate { // any order: they go into a map
		s.left[a] = n
	}
}

func (s *surw) pick(steps []candidate) int {
	for _, c := range steps {
		s.touch(c)
	}
	if !slices.ContainsFunc(steps, func(c candidate) bool { return c.actor == s.intent }) {
		s.intent = s.draw(steps)
	}
	// What is not interesting commutes with everything: any actor may do it first. An interesting step is for the one
	// that is meant to come next.
	var free []int
	for i, c := range steps {
		if !s.interesting(c) {
			free = append(free, i)
		}
	}
	if len(free) > 0 {
		return free[s.rng.IntN(len(free))]
	}
	i := slices.IndexFunc(steps, func(c candidate) bool { return c.actor == s.intent })
	s.now[steps[i].actor]++
	s.left[steps[i].actor]--
	s.intent = s.draw(steps)
	return i
}

// draw chooses the actor of the next interesting step by what is left of each.
func (s *surw) draw(steps []candidate) string {
	var actors []string
	total := 0
	for _, c := range steps {
		if !slices.Contains(actors, c.actor) {
			actors = append(actors, c.actor)
			total += max(s.left[c.actor], 1)
		}
	}
	n := s.rng.IntN(total)
	for _, a := range actors {
		if n -= max(s.left[a], 1); n < 0 {
			return a
		}
	}
	return actors[0]
}

func (s *surw) touch(c candidate) {
	for _, k := range slices.Concat(c.foot.reads, c.foot.writes) {
		if s.touched[k] == nil {
			s.touched[k] = map[string]bool{}
		}
		s.touched[k][c.actor] = true
	}
}

func (s *surw) interesting(c candidate) bool {
	return c.foot.all || slices.ContainsFunc(slices.Concat(c.foot.reads, c.foot.writes), func(k string) bool { return len(s.touched[k]) > 1 })
}

func (s *surw) end(steps map[string]int) {
	for a := range steps { // any order: each is looked at alone
		s.estimate[a] = max(s.estimate[a], s.now[a])
	}
}
