package interleave

import (
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/racebench/racebench/interleave/schedule"
)

// Point marks a place where the order of the actor's own goroutines matters, such as a timer callback against an unlock
// that share a flag. The calling goroutine waits at the gate, as with a command, until the scheduler picks it: a schedule
// says A.point(label), and Explore tries both orders of two goroutines of one actor that wait. It is about state inside the
// process, so it is independent of what other actors do.
//
// Two goroutines that wait at points of one label can't be told apart: where it matters which goes on, give each a label of
// its own. The label is not empty. Point panics when it is, and when the caller is not a goroutine of the world: one that the actor
// has started. A goroutine of an actor that has died ends in it.
func (a *Actor) Point(label string) {
	if label == "" {
		panic("interleave: Actor.Point needs a label")
	}
	if !inBubble() {
		panic(fmt.Sprintf("interleave: actor %s: Point(%q) was called from a goroutine that is not of this world, and would wait for ever", a.name, label))
	}
	a.call(&op{kind: point{}, actor: a, name: schedule.Point, args: []string{schedule.Point, label}, names: []string{label}, caller: callerSite()})
}

// inBubble reports whether the calling goroutine is in some synctest bubble. Times in a bubble have no monotonic reading,
// all others that time.Now gives have one, and Round takes it away.
func inBubble() bool {
	now := time.Now()
	return now == now.Round(0)
}

// call brings an operation that is no command on a connection to the gate, and waits until it has been performed.
func (a *Actor) call(o *op) {
	o.wake = make(chan struct{})
	a.mu.Lock()
	if a.life.Load() == alive {
		a.called = append(a.called, o)
	} else {
		close(o.wake)
	}
	a.mu.Unlock()
	a.world.ring()
	<-o.wake
	if a.life.Load() != alive {
		runtime.Goexit() // what is dead does not get past the gate
	}
}

// point is the kind of a schedule point.
type point struct{}

func (point) came(*engine, *op) error                           { return nil }
func (point) ready(*engine, *op) (ok bool, why string, _ error) { return true, "", nil }
func (point) footprint(*op) footprint                           { return footprint{} }

// faults are none: nothing of a point goes over a network, and a crash after it is as one before it.
func (point) faults() []choiceKind { return nil }

func (point) describe(o *op, s *Step) {
	s.Kind, s.Name, s.Command, s.names = StepPoint, o.name, o.args, o.names
}

func (point) match(o *op) schedule.Match { return schedule.Match{Command: o.name, Keys: o.names} }

func (point) text(o *op) string { return commandText(o.args) }

func (point) perform(e *engine, c choice) error {
	o := c.op
	if c.kind == chooseExecCrash {
		e.operationStep(c, o, "crash")
		e.crash(c.actor)
		return nil
	}
	e.operationStep(c, o, "")
	e.order.executed(o)
	c.actor.calls = slices.DeleteFunc(c.actor.calls, func(x *op) bool { return x == o })
	close(o.wake)
	return nil
}
