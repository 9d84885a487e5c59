package interleave

import (
	"slices"
	"strings"
	"time"
)

// ring tells the scheduler, if it waits for the clock, that something has come.
func (w *World) ring() {
	select {
	case w.arrival <- struct{}{}:
	default:
	}
}

// idle lets the clock run until something reaches the gate, a command that waits on the server is due, or the limit of
// the choice has passed.
func (e *engine) idle(c choice) error {
	select {
	case <-e.world.arrival: // of before: the scheduler has seen it
	default:
	}
	begin := time.Now()
	wait := forever
	if c.d > 0 {
		wait = c.d
	}
	for _, s := range e.sessions {
		if len(s.ops) == 0 || s.ops[0].block == nil || s.ops[0].block.deadline.IsZero() {
			continue
		}
		wait = min(wait, s.ops[0].block.deadline.Sub(begin))
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	arrived := true
	e.pause(func() {
		select {
		case <-e.world.arrival:
		case <-timer.C:
			arrived = false
		}
	})
	if !arrived && wait == forever {
		return e.deadlock()
	}
	if !arrived && c.fault == faultTimer && wait == c.d {
		return errPruned // there was no timer to move to
	}
	if d := time.Since(begin); d > 0 {
		return e.clockStep(d, c)
	}
	return nil
}

// clockStep records that the clock has moved, and what expired.
func (e *engine) clockStep(d time.Duration, c choice) error {
	idle := c.kind == chooseIdle && c.d == 0 && !c.apart()
	var due []dbKey
	now := e.serverNow()
	for _, k := range e.image.sorted() {
		if x := e.image[k].Expires; x >= 0 && x < now {
			due = append(due, k)
		}
	}
	changes, err := e.refresh(due)
	if err != nil {
		return err
	}
	if len(changes) > 0 {
		e.version++
		for _, v := range e.servers {
			v.expire(now)
		}
	}
	last := e.trace.last()
	// Timers that did not lead to the gate cut one move of the clock into several. What came to the gate and waits there came
	// at its own time, and would not in one move.
	silent := e.calm == e.seq
	e.calm = e.seq
	if last != nil && last.Kind == StepClock && silent && !last.apart && !c.apart() && len(last.Events) == 0 && len(last.Changes) == 0 {
		last.Advance += d
		last.At = time.Since(e.start)
		last.Changes = changes
		last.idle = last.idle && idle
	} else {
		e.step(Step{Kind: StepClock, Advance: d, Changes: changes, forced: c.forced, idle: idle, apart: c.apart(), foot: footprint{all: true}})
	}
	return e.poll(true)
}

// apart reports whether a move of the clock is one that was asked for as it is.
func (c choice) apart() bool { return c.forced || c.fault != noFault }

// waiting lists the actors that have not ended, with what they wait for.
func (e *engine) waiting() ([]Waiting, error) {
	v, err := e.view()
	if err != nil {
		return nil, err
	}
	var list []Waiting
	for _, a := range v.actors {
		if a.ended() || a.daemon {
			continue
		}
		w := Waiting{Actor: a.name}
		for i, o := range a.ops {
			text := o.String()
			if strings.HasPrefix(a.why[i], "waits for ") {
				text += ", which " + a.why[i]
			}
			w.Operations = append(w.Operations, text)
			w.held = w.held || e.order.holds(o) != nil
		}
		for _, s := range a.sessions {
			w.Messages = w.Messages || s.listening && !s.closed
		}
		list = append(list, w)
	}
	return list, nil
}

// spinning is the error for a world in which nothing happens any more but commands that concern their own connection.
func (e *engine) spinning(o *op) error {
	list, err := e.waiting()
	if err != nil {
		return err
	}
	return &SpinError{Passed: e.passed, Command: o.String(), Actor: o.actor.name, Step: len(e.trace.Steps), At: time.Since(e.start), Waiting: list}
}

// deadlock says who waits for what. No timer is pending: the clock has just moved past all of them.
func (e *engine) deadlock() error {
	list, err := e.waiting()
	if err != nil {
		return err
	}
	if slices.ContainsFunc(list, func(w Waiting) bool { return w.held }) {
		return &DivergedError{Step: len(e.trace.Steps) + 1, Expected: "the operations that have to come first", Found: "nothing else can happen", Waiting: texts(list)}
	}
	return &DeadlockError{Waiting: list, Stacks: stacksOf(e.world.id)}
}

func texts(list []Waiting) []string {
	var out []string
	for _, w := range list {
		out = append(out, w.String())
	}
	return out
}
