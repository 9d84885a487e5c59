package interleave

import (
	"crypto/sha256"
	"time"

	"github.com/racebench/racebench/interleave/schedule"
)

// strategy chooses the steps of one execution after the other. begin, then next for every step, then end.
type strategy interface {
	// begin prepares an execution, numbered from 0 in the order of being run. It is false when there is none left to run;
	// nothing has been begun then.
	begin(execution int) bool
	// next is asked when every actor waits, and its answer is executed before it is asked again.
	next(v *view) (choice, error)
	// number is a number from 0 to n-1 for what is chosen beside steps. A strategy that does not draw says 0, which has to
	// stand for the choice that leaves most open.
	number(n int) int
	// end is told what became of the execution that was begun last.
	end(res *Result)
}

// once is the part of a strategy that has one execution and chooses nothing beside its steps.
type once struct{}

func (once) begin(execution int) bool { return execution == 0 }
func (once) number(int) int           { return 0 }
func (once) end(*Result)              {}

// newStrategy is the strategy that the configuration names.
func (c *config) newStrategy() strategy {
	switch c.strategy {
	case "exhaustive":
		s := newSearch()
		if c.fingerprints {
			s.states = states{}
		}
		if c.preemptions != nil {
			s.bounds = &bounds{most: *c.preemptions, seen: map[[sha256.Size]byte]bool{}}
		}
		return s
	case depthFirstName:
		return &depthFirst{}
	case "portfolio":
		return newPortfolio(c.seed, c.budget)
	}
	return newSampled(c.seed, c.budget, c.strategy)
}

// view is what a strategy may look at: what could happen now, in a fixed order.
type view struct {
	now    time.Time
	step   int    // the number that the next step gets
	last   string // the actor of the last step, for strategies that take turns
	actors []*actorView
	trace  *Trace // so far
	always bool   // some invariant is judged after every step
	judged bool   // there are invariants

	turn []*actorView // memory of rotation

	eng     *engine
	left    budget           // faults that may still be chosen
	offered [faultKinds]bool // kinds that have been among the alternatives
	missed  bool             // a fault that could have come earlier can't come now, with what is left of the budget
	listed  bool             // choices and alts are filled in
	choices []choice         // what alternatives returns
	alts    []alternative    //
}

// actorView lists what could happen to one actor.
type actorView struct {
	*Actor
	ops     []*op      // at the gate, in the fixed order, blocked ones included
	enabled []bool     // for each of ops
	why     []string   // for each of ops, what it waits for when it is not enabled
	pushes  []*session // with a message to deliver, in order of connection
	late    []*op      // given up by their client and not yet arrived
}

// ended reports whether nothing more comes from this actor by itself.
func (a *actorView) ended() bool { return a.done.Load() || a.life.Load() != alive }

// firstEnabled is the first operation that could be executed now, or nil.
func (a *actorView) firstEnabled() *op {
	for i, o := range a.ops {
		if a.enabled[i] {
			return o
		}
	}
	return nil
}

func (v *view) actor(name string) *actorView {
	for _, a := range v.actors {
		if a.name == name {
			return a
		}
	}
	return nil
}

// allEnded reports whether every actor that is not a daemon has ended.
func (v *view) allEnded() bool {
	for _, a := range v.actors {
		if !a.daemon && !a.ended() {
			return false
		}
	}
	return true
}

// choice is one thing that can happen next.
type choice struct {
	kind   choiceKind
	actor  *Actor
	op     *op
	push   *session
	d      time.Duration
	n      int
	key    string
	server string          // of a fault of a server; empty for the one without a name
	fault  fault           // what it takes from the budget
	token  *schedule.Token // what asked for a fault of the server; nil when nothing did
	index  int             // its place in the schedule, from 1
	forced bool            // a schedule asked for exactly this
}

type choiceKind int

const (
	chooseExec      choiceKind = iota // op is executed and its reply handed on
	chooseExecCrash                   // op is executed, then its actor dies
	chooseExecLost                    // op is executed, its reply is lost with the connection
	chooseUnsent                      // the connection is lost before op is executed
	chooseLate                        // the client of op gives up; op arrives later
	chooseCrash                       // actor dies where it stands
	chooseArrive                      // op, which is late, is executed now
	chooseDeliver                     // the next push of a connection reaches its client
	chooseDrop                        // that push is lost
	chooseAdvance                     // the clock moves by d, everything waits
	chooseIdle                        // the clock moves until something comes, at most by d if d > 0
	chooseRestart                     // the server loses its memory and its connections
	chooseFailover                    // the last n writes are lost, and the connections
	chooseFlushScripts
	chooseEvict // key is removed by the server
	chooseEnd   // nothing more can happen
)

// fair is the default order: round robin over the actors by name, each by its first step that is enabled, messages
// before operations. When nothing is enabled the clock moves on.
type fair struct{ once }

func (f fair) next(v *view) (choice, error) {
	if c, ok := f.pick(v); ok {
		return c, nil
	}
	if v.allEnded() {
		return choice{kind: chooseEnd}, nil
	}
	return choice{kind: chooseIdle}, nil
}

// pick returns the next step that is enabled now, if there is any. Late commands come last: that is as late as can be
// at this instant.
func (f fair) pick(v *view) (choice, bool) {
	for _, a := range v.rotation() {
		if len(a.pushes) > 0 && a.life.Load() == alive {
			return choice{kind: chooseDeliver, actor: a.Actor, push: a.pushes[0]}, true
		}
		if o := a.firstEnabled(); o != nil {
			return choice{kind: chooseExec, actor: a.Actor, op: o}, true
		}
	}
	for _, a := range v.actors {
		if len(a.late) > 0 {
			return choice{kind: chooseArrive, actor: a.Actor, op: a.late[0]}, true
		}
	}
	return choice{}, false
}

// rotation is the actors from the one after the last that did something.
func (v *view) rotation() []*actorView {
	v.turn = v.turn[:0]
	for i, a := range v.actors {
		if a.name > v.last {
			v.turn = append(append(v.turn, v.actors[i:]...), v.actors[:i]...)
			return v.turn
		}
	}
	return v.actors
}
