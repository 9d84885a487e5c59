package interleave

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"

	"github.com/racebench/racebench/interleave/schedule"
)

// This file cuts an exploration into units. Above the units every step that could be taken is taken, but for those that are
// asleep: without the reduction by races no unit has to know what another finds. Below a unit's state the search is the
// usual one. Sleep sets travel with the prefix, so that no order is run in two units (Godefroid, "Partial-order methods
// for the verification of concurrent systems", LNCS 1032, chapter 5).

const (
	unitsWanted = 64  // units to cut an exploration into, where it has as many
	unitDraws   = 256 // executions of a unit that draws
)

// Only tests set these.
var (
	unitTooLarge = 4_096 // executions of a unit after which it is cut again
	trialLength  = 500   // executions of a search that are run before anything is cut
)

// Split cuts the exploration of a world into units. What it does depends on the world and the options alone.
func (r *Runner) Split(ctx context.Context, world func(*World)) ([]Unit, error) {
	if r.cfg.whole() {
		return []Unit{{ID: "whole"}}, nil
	}
	if r.cfg.prefix != nil {
		return nil, errors.New("interleave: an exploration From a schedule is not cut into units")
	}
	switch r.cfg.strategy {
	case exhaustiveName:
		return r.splitAfterTrial(ctx, world)
	case portfolioName:
		first := min(portfolioFirst, r.cfg.maxOrders)
		return append([]Unit{{ID: "0"}}, r.draws(first, 1)...), nil
	}
	return r.draws(0, 0), nil
}

// exhaustiveName is the strategy whose units are subtrees, portfolioName the one whose first unit is a whole search.
const (
	exhaustiveName = "exhaustive"
	portfolioName  = "portfolio"
)

// whole reports whether an exploration can't be cut: in a search with a bound of preemptions subtrees depend on one another,
// and plain depth-first search is there to be compared with.
func (c *config) whole() bool { return c.preemptions != nil || c.strategy == depthFirstName }

// draws are units for the executions from the given one on.
func (r *Runner) draws(from, id int) []Unit {
	var units []Unit
	for rest := r.cfg.maxOrders - from; rest > 0; rest -= unitDraws {
		units = append(units, Unit{ID: strconv.Itoa(id + len(units)), Draws: min(unitDraws, rest), From: r.cfg.maxOrders - rest - from})
	}
	return units
}

// ExplorePart explores one unit, until it is done, the context ends, or a bound of the whole exploration is reached in it.
func (r *Runner) ExplorePart(ctx context.Context, world func(*World), u Unit) Part {
	if u.Trial > 0 {
		return r.trialPart(ctx, world, u)
	}
	return r.explorePart(ctx, world, u, 0)
}

// explorePart stops after most executions, if that is more than 0.
func (r *Runner) explorePart(ctx context.Context, world func(*World), u Unit, most int) Part {
	ctx, free := r.cfg.within(ctx)
	defer free()
	st, limit := r.unitStrategy(world, u)
	if most > 0 {
		limit = most
	}
	o := r.newObserver(ctx, world)
	e := &exploring{Exploration: &Exploration{}, r: r, ctx: ctx, world: world, each: o.order, limit: limit, brief: true}
	e.all(st)
	p := Part{Unit: u, Done: e.Complete}
	if s, ok := st.(*search); ok && e.Bound != "" && e.Bound == s.limit() {
		p.Done, p.Sum.Bound = true, e.Bound // as complete as its bound lets it be
	}
	if e.Bound == "" && e.Err == nil && !e.Complete && most == 0 {
		switch { // it has come to its limit
		case u.Draws > 0 || r.cfg.strategy == portfolioName:
			p.Done = true
		default:
			if units, err := r.split(ctx, world, u); err == nil && len(units) > 1 {
				return Part{Unit: u, Sum: Exploration{Executions: e.Executions, Repeated: e.Executions}, Done: true, Split: units}
			}
			e.limit = 0 // it has no smaller parts
			e.all(st)
			p.Done = e.Complete
		}
	}
	p.fill(e, o)
	return p
}

// fill takes over what an exploration has come to.
func (p *Part) fill(e *exploring, o *observer) {
	o.report(e.Exploration)
	if e.Err != nil {
		p.gaveUp(e.Err)
	}
	for _, f := range e.Found {
		p.Findings = append(p.Findings, PartFinding{f.What, f.Orders, f.First.Trace.Schedule().String(), f.First.Trace.switches()})
	}
	bound := p.Sum.Bound
	p.Sum = *e.Exploration
	p.Sum.Found, p.Sum.Err, p.Sum.Bound = nil, nil, bound
}

// unitStrategy is the strategy for a unit, and the number of executions after which a search is taken to be too large.
func (r *Runner) unitStrategy(world func(*World), u Unit) (strategy, int) {
	if r.cfg.whole() {
		return r.cfg.newStrategy(), 0
	}
	if u.Draws == 0 {
		if r.cfg.strategy == portfolioName {
			return newSearch(), portfolioFirst
		}
		s := newSearchBelow(u)
		if r.cfg.fingerprints {
			s.states = states{}
		}
		return s, unitTooLarge
	}
	names := []string{r.cfg.strategy}
	if r.cfg.strategy == portfolioName {
		names = portfolioDraws
	}
	st := newSampled(r.cfg.seed, r.cfg.budget, names...)
	// Samplers learn from one execution for the next. A unit knows nothing of those before it, so each learns from the same
	// few, which count for nothing.
	for i := range 2 * len(names) {
		st.begin(warmUp + i)
		st.end(r.run(st, r.cfg.needs(), world))
	}
	return &from{st, u.From}, u.Draws
}

// warmUp numbers executions that no exploration has.
const warmUp = 1 << 40

// from numbers the executions of a strategy from another beginning.
type from struct {
	strategy
	first int
}

func (f *from) begin(execution int) bool { return f.strategy.begin(f.first + execution) }

// ExploreParts explores a world unit by unit, in this process. It comes to the same as any number of processes that share
// the units, and differs from Explore in what it runs first.
func (r *Runner) ExploreParts(ctx context.Context, world func(*World)) *Exploration {
	units, err := r.Split(ctx, world)
	if err != nil {
		return &Exploration{Err: err}
	}
	a := r.NewAssembly(units)
	for !a.Done() && ctx.Err() == nil {
		u, ok := a.Next()
		if !ok {
			break
		}
		if err := a.Add(r.ExplorePart(ctx, world, u)); err != nil {
			return &Exploration{Err: err}
		}
	}
	return r.Assemble(ctx, a, world)
}

// Assemble is the exploration that the parts of an assembly add up to. What is missing is put down to the end of the
// context. The first order of each finding is run again, to have its trace.
func (r *Runner) Assemble(ctx context.Context, a *Assembly, world func(*World)) *Exploration {
	if a.cut != nil {
		// A bound lies within a unit: what counts of it is explored again.
		p := r.explorePart(ctx, world, *a.cut, a.cutAfter)
		a.cut = nil
		a.count(&p)
	}
	x := a.sum
	search, free := r.cfg.within(ctx)
	defer free()
	switch {
	case a.over && (x.Complete || x.Bound != "" || x.Err != nil):
	case a.at == len(a.slots) && a.slots[a.at-1].part.Done && (r.cfg.strategy == exhaustiveName || r.cfg.whole()):
		x.Complete = x.Bound == ""
	case a.bounded():
	case search.Err() != nil:
		x.Bound = boundContext(search, x.Executions)
	default:
		x.Bound = "not all units have been explored"
	}
	for i, f := range a.found {
		x.Found[i].First = r.again(f.Schedule, world)
	}
	x.explain(ctx, r, world)
	x.Serial.show(r, world)
	return x
}

// newSearchBelow is a search of what begins with the prefix of a unit.
func newSearchBelow(u Unit) *search {
	s := newSearch()
	s.sleep = map[string]footprint{}
	for _, p := range u.Prefix {
		s.base = append(s.base, alternative{p.Actor, p.Key, fault(p.Fault)})
	}
	for _, p := range u.Sleep {
		s.sleep[p.Key] = footprint{all: p.All, reads: p.Reads, writes: p.Writes}
	}
	if len(s.base) == 0 {
		s.root.sleep = maps.Clone(s.sleep)
	}
	return s
}

// scouting runs worlds up to a state and no further.
type scouting struct {
	*search
	r     *Runner
	ctx   context.Context
	world func(*World)
}

// visit returns the node that a prefix leads to. Its execution ends there.
func (s *scouting) visit(prefix []alternative) (*node, error) {
	if s.ctx.Err() != nil {
		return nil, context.Cause(s.ctx)
	}
	w := s.walk(nil)
	w.prefix = prefix
	s.now = w
	res := s.r.run(s, s.r.cfg.needs(), s.world)
	if w.pending != nil {
		w.arrived(res.Trace)
	}
	if err := fatalTo(res.Err); err != nil && !errors.Is(err, errPruned) {
		return nil, err
	}
	return w.at, nil
}

// split cuts what is below a unit.
func (r *Runner) split(ctx context.Context, world func(*World), u Unit) ([]Unit, error) {
	s := &scouting{newSearchBelow(u), r, ctx, world}
	s.scout = true
	root, err := s.visit(s.base)
	if err != nil {
		return nil, err
	}
	states := []*node{root} // in the order of a depth-first search
	for len(states) < unitsWanted {
		next := -1
		for i, n := range states {
			if len(n.open) > 0 && (next < 0 || n.depth < states[next].depth) {
				next = i
			}
		}
		if next < 0 {
			break
		}
		below, err := s.below(states[next])
		if err != nil {
			return nil, err
		}
		states = slices.Replace(states, next, next+1, below...)
	}
	slices.SortStableFunc(states, func(a, b *node) int { return a.preempt + a.faults - b.preempt - b.faults })
	var units []Unit
	for _, n := range states {
		id := strconv.Itoa(len(units))
		if u.ID != "" {
			id = u.ID + "." + id
		}
		units = append(units, n.unit(id))
	}
	return units, nil
}

// below visits the states after a node, in the order in which a search would take them, and forgets those from which
// everything is explored elsewhere.
func (s *scouting) below(n *node) ([]*node, error) {
	var list []*node
	steps := slices.Clone(n.open)
	slices.SortStableFunc(steps, func(a, b alternative) int { return s.rank(n, a) - s.rank(n, b) })
	for _, a := range steps {
		if _, asleep := n.sleep[a.key]; asleep {
			continue
		}
		c, err := s.visit(append(n.path(), a))
		if err != nil {
			return nil, err
		}
		blocked := len(c.open) > 0
		for _, next := range c.open {
			_, asleep := c.sleep[next.key]
			blocked = blocked && asleep
		}
		if !blocked {
			list = append(list, c)
		}
	}
	return list, nil
}

// rank puts what goes on without a preemption first, and faults last.
func (s *scouting) rank(n *node, a alternative) int {
	switch {
	case a.fault != noFault:
		return 2
	case a.actor == n.last:
		return 0
	}
	return 1
}

// path is the way to a node.
func (n *node) path() []alternative {
	var list []alternative
	for ; n.parent != nil; n = n.parent {
		list = append(list, n.via)
	}
	slices.Reverse(list)
	return list
}

// unit is the unit that explores what is below a node.
func (n *node) unit(id string) Unit {
	u := Unit{ID: id}
	for _, a := range n.path() {
		u.Prefix = append(u.Prefix, UnitStep{Actor: a.actor, Key: a.key, Fault: int(a.fault)})
	}
	for _, key := range slices.Sorted(maps.Keys(n.sleep)) {
		f := n.sleep[key]
		u.Sleep = append(u.Sleep, UnitStep{Key: key, All: f.all, Reads: f.reads, Writes: f.writes})
	}
	return u
}

// again runs the order of a finding again.
func (r *Runner) again(text string, world func(*World)) *Result {
	s, err := schedule.Parse(text)
	if err != nil {
		return &Result{Trace: &Trace{}, Err: err}
	}
	return r.RunSchedule(s, world)
}

// switches is how often the steps go over to another actor.
func (t *Trace) switches() int {
	n, last := 0, ""
	for _, s := range t.Steps {
		if s.Actor == "" {
			continue
		}
		if last != "" && s.Actor != last {
			n++
		}
		last = s.Actor
	}
	return n
}
