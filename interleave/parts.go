package interleave

import (
	"cmp"
	"fmt"
	"slices"
)

// Unit is a piece of an exploration that can be explored by itself, in any process on any machine. The units of an
// exploration depend on nothing but the world and the options, so that everybody who splits it gets the same.
type Unit struct {
	// ID is its place among the others: "3", and "3.1" for what has taken the place of a unit that was too large.
	ID string `json:"id"`
	// Prefix leads to the state below which the unit explores everything, and Sleep are the steps that need not be taken
	// there because others explore what begins with them.
	Prefix []UnitStep `json:"prefix,omitempty"`
	Sleep  []UnitStep `json:"sleep,omitempty"` // steps that others explore
	// Draws counts the executions of a unit that draws orders instead, From is the number of the first.
	Draws int `json:"draws,omitempty"`
	From  int `json:"from,omitempty"` // number of the first that is drawn
	// Trial is the number, from 1, of an execution of the trial: the first few executions of the search, which every process
	// runs. When they are all, each is a unit; else the last stands for all of them.
	Trial int `json:"trial,omitempty"`
}

// UnitStep names a step that could be taken, and says what it touches.
type UnitStep struct {
	Actor  string   `json:"actor,omitempty"`  // whose; empty for the clock and the server
	Fault  int      `json:"fault,omitempty"`  // its kind
	Key    string   `json:"key"`              // the step by name, the same in every order
	All    bool     `json:"all,omitempty"`    // it may touch every key
	Reads  []string `json:"reads,omitempty"`  // keys
	Writes []string `json:"writes,omitempty"` // keys
}

// Part is what became of a unit.
type Part struct {
	Unit Unit `json:"unit"`
	// Sum is the exploration of the unit, without what was found.
	Sum Exploration `json:"sum"`
	// Findings has one entry for each way to go wrong, in the order of being found.
	Findings []PartFinding `json:"findings,omitempty"`
	// Done says that the unit has been explored to its end. A part that is not, because the context or a bound ended it, is
	// explored again when the exploration is taken up.
	Done bool `json:"done"`
	// Split are the units that take this one's place when it turned out to be too large; its orders are theirs then.
	Split []Unit `json:"split,omitempty"`
	// Error says why the exploration was given up.
	Error string `json:"error,omitempty"`
	// Cause is the backend that it was given up for, if that was why.
	Cause *PartCause `json:"cause,omitempty"`
}

// PartFinding is a Finding of a part.
type PartFinding struct {
	What     string `json:"what"`     // the invariant, or the kind of error
	Orders   int    `json:"orders"`   // that go wrong in this way
	Schedule string `json:"schedule"` // of the first order that goes wrong in this way
	Switches int    `json:"switches"` // how often the actor changes in it; 0 in a trial, which is kept
}

// Assembly hands out the units of an exploration and puts the parts together, in the order of the units whatever the
// order in which the parts come. It is for one goroutine.
type Assembly struct {
	cfg   *config
	slots []*slot
	at    int    // the first slot that is not added yet
	over  bool   // no part that comes can change anything
	parts []Part // done, in the order in which they came
	begun bool   // the exploration was stopped in its trial, whose executions may be no units of it the next time

	sum   *Exploration
	found []PartFinding // of sum, in the order of its Found
	// The unit in which the bound of MaxExecutions lies, and how many of its executions still count.
	cut      *Unit
	cutAfter int
}

type slot struct {
	unit  Unit
	given bool
	part  *Part
}

// NewAssembly begins with the units that Split has returned, with the bounds of the runner's options.
func (r *Runner) NewAssembly(units []Unit) *Assembly {
	a := &Assembly{cfg: r.cfg, sum: &Exploration{}, begun: r.trial != nil && r.trial.stopped}
	for _, u := range units {
		a.slots = append(a.slots, &slot{unit: u})
	}
	return a
}

// Next hands out a unit that nobody has been given. It is false when there is none, or none that could still count.
func (a *Assembly) Next() (Unit, bool) {
	if a.over {
		return Unit{}, false
	}
	for _, s := range a.slots[a.at:] {
		if !s.given {
			s.given = true
			return s.unit, true
		}
	}
	return Unit{}, false
}

// Return takes back a unit whose explorer has died, so that it is handed out again.
func (a *Assembly) Return(u Unit) {
	if i := a.slot(u.ID); i >= 0 {
		a.slots[i].given = false
	}
}

func (a *Assembly) slot(id string) int {
	return slices.IndexFunc(a.slots, func(s *slot) bool { return s.unit.ID == id })
}

// Add takes a part. The error is one of a part that does not belong here.
func (a *Assembly) Add(p Part) error {
	i := a.slot(p.Unit.ID)
	if i < 0 {
		return fmt.Errorf("interleave: a part %s that is no unit of this exploration", p.Unit.ID)
	}
	if a.slots[i].part != nil {
		return fmt.Errorf("interleave: two parts %s", p.Unit.ID)
	}
	a.slots[i].part, a.slots[i].given = &p, true
	if p.Done && !a.begun {
		a.parts = append(a.parts, p)
	}
	if len(p.Split) > 0 {
		var in []*slot
		for _, u := range p.Split {
			in = append(in, &slot{unit: u})
		}
		a.slots = slices.Insert(a.slots, i+1, in...)
	}
	for !a.over && a.at < len(a.slots) && a.slots[a.at].part != nil {
		a.count(a.slots[a.at].part)
		a.at++
	}
	return nil
}

// Parts are the parts that are done, in the order in which they came: what a checkpoint keeps. Adding them in this order to a
// new Assembly of the same units takes the exploration up again. There are none of an exploration that was stopped in its trial,
// which takes a moment and is run again.
func (a *Assembly) Parts() []Part { return a.parts }

// Done reports whether nothing more can change the exploration.
func (a *Assembly) Done() bool { return a.over || a.at == len(a.slots) }

// Progress is what has been counted so far, and how many units of all known ones.
func (a *Assembly) Progress() (x Exploration, done, units int) { return *a.sum, a.at, len(a.slots) }

// count adds a part to the sum.
func (a *Assembly) count(p *Part) {
	x := a.sum
	if rest := a.cfg.maxOrders - x.Executions; p.Sum.Executions > rest {
		a.cut, a.cutAfter, a.over = &p.Unit, rest, true
		return
	}
	before := x.Executions
	x.add(&p.Sum)
	if p.Sum.FirstAt > 0 && x.FirstAt == 0 {
		x.FirstAt = before + p.Sum.FirstAt
	}
	for _, f := range p.Findings {
		a.violated(f)
	}
	switch {
	case p.Error != "":
		x.Err, a.over = p.err(), true
	case a.cfg.strategy == portfolioName && p.Sum.Complete:
		x.Complete, a.over = true, true // nothing is left to draw
	case a.at+1 < len(a.slots) || !p.Done:
		a.over = a.bounded()
	}
}

// bounded reports whether a bound of the whole exploration has been reached, when there is more to run.
func (a *Assembly) bounded() bool {
	switch x := a.sum; {
	case a.cfg.firstOnly && x.FirstAt > 0:
		x.Bound = boundFirst
	case x.Executions >= a.cfg.maxOrders:
		x.Bound = boundExecutions(x.Executions)
	default:
		return false
	}
	return true
}

// violated adds a finding. Of the first orders of the parts, the one with the fewest switches is kept, the earliest of equals.
func (a *Assembly) violated(f PartFinding) {
	i := slices.IndexFunc(a.found, func(g PartFinding) bool { return g.What == f.What })
	if i < 0 {
		a.found = append(a.found, f)
		a.sum.Found = append(a.sum.Found, Finding{What: f.What, Orders: f.Orders})
		return
	}
	a.sum.Found[i].Orders += f.Orders
	if f.Switches < a.found[i].Switches {
		a.found[i] = f
	}
}

// add adds the counts of another part of an exploration.
func (x *Exploration) add(y *Exploration) {
	x.Steps = sameSteps(x, y)
	x.Steps = sameSteps(x, y)
	x.Executions += y.Executions
	x.Points += y.Points
	x.Orders += y.Orders
	x.Pruned += y.Pruned
	x.Met += y.Met
	x.States += y.States
	x.Undecided += y.Undecided
	x.Violating += y.Violating
	x.Repeated += y.Repeated
	x.Bound = cmp.Or(y.Bound, x.Bound)
	if y.Why != "" {
		x.Why = y.Why
	}
	if x.Differs == nil {
		x.Differs = y.Differs
	}
	x.Endings = addEndings(x.Endings, y.Endings)
	x.Windows = addWindows(x.Windows, y.Windows)
	x.Serial = addSerial(x.Serial, y.Serial)
	x.Coverage = addCoverage(x.Coverage, y.Coverage)
	x.Kept = addKept(x.Kept, y.Kept)
}
