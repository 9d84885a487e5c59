package interleave

import (
	"container/heap"
	"slices"

	"github.com/racebench/racebench/interleave/schedule"
)

// This file looks for an order with fewer switches between actors, in the manner of iterative context bounding (Musuvathi
// and Qadeer, "Iterative context bounding for systematic testing of multithreaded programs", PLDI 2007): orders are run by
// the switches that they need at least, fewest first, so that the first to violate has the fewest. An actor is interrupted
// only before a step whose place matters: one that is not in conflict with anything that others do could as well be taken
// before the switch. Faults stay at the same operation of their actor; the moves of the clock and the faults of the server
// keep their order and may come anywhere.

// maxHunt bounds the worlds of a hunt.
const maxHunt = 160

// plan is what an order has beside the choice of who goes next.
type plan struct {
	absent []string
	faults map[string]map[int]schedule.Fault // by actor, and the number of its steps before
	around schedule.Schedule                 // clock moves and faults of the server
}

// planOf takes the plan out of an order.
func planOf(steps []*Step) *plan {
	p := &plan{absent: absentActors(steps), faults: map[string]map[int]schedule.Fault{}}
	own := map[string]int{}
	for _, s := range steps[len(p.absent):] {
		t := s.Token()
		switch {
		case s.Kind == StepClock && !s.forced:
		case s.Actor == "":
			p.around = append(p.around, t)
		case t.Fault != schedule.NoFault:
			if p.faults[s.Actor] == nil {
				p.faults[s.Actor] = map[int]schedule.Fault{}
			}
			p.faults[s.Actor][own[s.Actor]] = t.Fault
			own[s.Actor]++
		default:
			own[s.Actor]++
		}
	}
	return p
}

// turn is one step that could be taken at a point of a hunt.
type turn struct {
	key   string // names it; "" is the next of the plan's around
	actor string
	cost  int // switches of an order that takes it, at least
}

// lead is an order to run: a beginning, and whatever is calmest after it.
type lead struct {
	turns []string
	cost  int
	seq   int
}

// leads orders them: lowest cost first, then as they came.
type leads []lead

func (l leads) Len() int { return len(l) }
func (l leads) Less(i, j int) bool {
	if l[i].cost != l[j].cost {
		return l[i].cost < l[j].cost
	}
	return l[i].seq < l[j].seq
}
func (l leads) Swap(i, j int) { l[i], l[j] = l[j], l[i] }
func (l *leads) Push(x any)   { *l = append(*l, x.(lead)) }
func (l *leads) Pop() any {
	old := *l
	x := old[len(old)-1]
	*l = old[:len(old)-1]
	return x
}

// doubt is a lead that was not worth a run, because the step that would be put off touched nothing that others touch.
type doubt struct {
	lead
	actor string
	foot  footprint
}

// hunting is the search of one shrinking.
type hunting struct {
	s      *shrinker
	plan   *plan
	always bool // the target can be violated before the end
	open   leads
	doubts []doubt
	seq    int
	seen   map[string]footprint // by actor, what its steps have touched
}

// hunt looks for the violating order with the fewest switches.
func (s *shrinker) hunt() {
	h := &hunting{s: s, plan: planOf(s.best.Trace.Steps), seen: map[string]footprint{}}
	at, _ := s.target.in(s.best)
	h.always = slices.Contains(s.best.always, s.target.what)
	least := switches(s.best.Trace.Steps[:at])
	h.learn(s.best)
	heap.Push(&h.open, lead{})
	for worlds := 0; ; worlds++ {
		h.reconsider()
		if len(h.open) == 0 || h.open[0].cost >= least {
			s.minimal = true
			return
		}
		if worlds >= maxHunt || s.over() {
			return
		}
		l := heap.Pop(&h.open).(lead)
		w := &hunter{h: h, prefix: l.turns}
		res := s.run(w, needsJournal(h.plan.around))
		h.learn(res)
		at, bad := s.target.in(res)
		if n := switches(res.Trace.Steps[:at]); bad && n < least && s.keep(res) {
			least = n
		}
	}
}

// learn notes what the steps of an order touched.
func (h *hunting) learn(res *Result) {
	for _, x := range res.Trace.Steps {
		if x.Actor == "" {
			continue
		}
		f := h.seen[x.Actor]
		f.all = f.all || x.foot.all
		f.reads = union(f.reads, x.foot.reads)
		f.writes = union(f.writes, x.foot.writes)
		for _, c := range x.Changes {
			f.writes = union(f.writes, []string{c.Key})
		}
		h.seen[x.Actor] = f
	}
}

func union(a, b []string) []string {
	for _, x := range b {
		if !slices.Contains(a, x) {
			a = append(a, x)
		}
	}
	return a
}

// matters reports whether the place of a step of actor among those of others can matter.
func (h *hunting) matters(actor string, f footprint) bool {
	for name, other := range h.seen { // any order: whether one of them is in conflict
		if name != actor && f.dependent(other) {
			return true
		}
	}
	return false
}

// reconsider opens the leads that were not worth a run before it was known what others touch.
func (h *hunting) reconsider() {
	h.doubts = slices.DeleteFunc(h.doubts, func(d doubt) bool {
		if !h.matters(d.actor, d.foot) {
			return false
		}
		heap.Push(&h.open, d.lead)
		return true
	})
}

// hunter runs one lead.
type hunter struct {
	once
	h      *hunting
	prefix []string
	taken  []string // so far
	own    map[string]int
	at     int // in the plan's around
	last   string
	spent  int // switches so far
	seen   int // steps of the trace that are counted
}

func (w *hunter) next(v *view) (choice, error) {
	if c, ok := bury(v, w.h.plan.absent); ok {
		return c, nil
	}
	w.count(v.trace)
	if w.h.always && w.violated(v) {
		return calm{}.next(v)
	}
	choices, turns, feet := w.turns(v)
	switch {
	case len(turns) > 0:
	case v.allEnded():
		return choice{kind: chooseEnd}, nil
	default:
		return choice{kind: chooseIdle}, nil
	}
	i := 0
	if depth := len(w.taken); depth < len(w.prefix) {
		i = slices.IndexFunc(turns, func(t turn) bool { return t.key == w.prefix[depth] })
		if i < 0 {
			return choice{}, errPruned
		}
	} else {
		w.branch(turns, feet)
	}
	w.taken = append(w.taken, turns[i].key)
	if t := turns[i]; t.actor != "" {
		if w.last != "" && t.actor != w.last {
			w.spent++
		}
		w.last = t.actor
	} else {
		w.at++
	}
	return choices[i], nil
}

// count counts the steps of each actor.
func (w *hunter) count(t *Trace) {
	if w.own == nil {
		w.own = map[string]int{}
		w.seen = len(w.h.plan.absent)
	}
	for ; w.seen < len(t.Steps); w.seen++ {
		w.own[t.Steps[w.seen].Actor]++
	}
}

func (w *hunter) violated(v *view) bool {
	for _, j := range v.actors[0].world.eng.judged {
		if j.inv.Name == w.h.s.target.what && j.verdict.Outcome == Violated {
			return true
		}
	}
	return false
}

// turns lists what could come now: what is calmest first.
func (w *hunter) turns(v *view) (choices []choice, turns []turn, feet []footprint) {
	all, alts := moves(v)
	waiting := 0 // actors that have a step to take
	for _, a := range v.actors {
		if w.canGo(a) {
			waiting++
		}
	}
	add := func(c choice, key, actor string, f footprint) {
		t := turn{key: key, actor: actor, cost: w.spent}
		if actor != "" && w.last != "" && actor != w.last {
			t.cost++
		}
		if !w.h.always {
			// Everybody who has something to do must have a turn.
			others := waiting
			if at := v.actor(actor); at != nil && w.canGo(at) {
				others--
			} else if last := v.actor(w.last); actor == "" && last != nil && w.canGo(last) {
				others--
			}
			t.cost += others
		}
		choices, turns, feet = append(choices, c), append(turns, t), append(feet, f)
	}
	dying := map[string]bool{}
	for i, alt := range alts {
		c, fault := all[i], w.h.plan.faults[alt.actor][w.own[alt.actor]]
		f := footprint{writes: []string{touchesMessages}}
		if c.op != nil {
			f = c.op.footprint()
			if w.h.always && c.op.mayWrite() {
				f.all = true // what can be seen in between matters too
			}
		}
		if fault == schedule.CrashBefore {
			if dying[alt.actor] {
				continue
			}
			dying[alt.actor] = true
			c, f = choice{kind: chooseCrash, actor: c.actor}, footprint{all: true}
		} else if fault != schedule.NoFault {
			if kind, ok := faulty(c.kind, fault); ok {
				c.kind, f.all = kind, true
			}
		}
		add(c, alt.key, alt.actor, f)
	}
	if w.at < len(w.h.plan.around) {
		add(w.around(v), "", "", footprint{all: true})
	}
	// The default comes first: the actor of the last step, then the others by name, then the world.
	for i := range turns {
		if turns[i].actor == w.last && w.last != "" {
			choices[0], choices[i] = choices[i], choices[0]
			turns[0], turns[i] = turns[i], turns[0]
			feet[0], feet[i] = feet[i], feet[0]
			break
		}
	}
	return choices, turns, feet
}

// canGo reports whether an actor has a step that it will take for sure.
func (w *hunter) canGo(a *actorView) bool {
	if a.ended() || a.daemon {
		return false
	}
	for i, o := range a.ops {
		if a.enabled[i] && o.block == nil {
			return true
		}
	}
	return false
}

// faulty is the kind of a choice with a fault.
func faulty(kind choiceKind, f schedule.Fault) (choiceKind, bool) {
	if kind == chooseDeliver && f == schedule.Drop {
		return chooseDrop, true
	}
	if kind != chooseExec {
		return kind, false
	}
	kinds := map[schedule.Fault]choiceKind{schedule.CrashAfter: chooseExecCrash, schedule.Lost: chooseExecLost, schedule.Unsent: chooseUnsent, schedule.Late: chooseLate}
	k, ok := kinds[f]
	return k, ok
}

// around is the next step of the plan that is nobody's.
func (w *hunter) around(v *view) choice {
	f := &forced{tokens: w.h.plan.around, at: w.at}
	c, _, _ := f.follow(v, w.h.plan.around[w.at]) // the tokens of a trace that are nobody's are one step each, and always fit
	c.forced = true
	return *c
}

// branch makes leads of the turns that are not taken. An actor that could go on is put off only where that matters.
func (w *hunter) branch(turns []turn, feet []footprint) {
	h := w.h
	goesOn := turns[0].actor == w.last && w.last != ""
	for _, t := range turns[1:] {
		h.seq++
		l := lead{turns: append(slices.Clone(w.taken), t.key), cost: t.cost, seq: h.seq}
		if goesOn && t.actor != w.last && w.at >= len(h.plan.around) && !h.matters(w.last, feet[0]) {
			h.doubts = append(h.doubts, doubt{l, w.last, feet[0]})
			continue
		}
		heap.Push(&h.open, l)
	}
}
