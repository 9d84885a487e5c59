package interleave

import (
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
	if d := time.Since(begin); d > 0 {
		return e.clockStep(d, c.forced)
	}
	return nil
}

// clockStep records that the clock has moved, and what expired.
func (e *engine) clockStep(d time.Duration, forced bool) error {
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
		if e.history != nil {
			e.history.record(e)
		}
	}
	last := e.trace.last()
	if last != nil && last.Kind == StepClock && !last.forced && !forced && len(last.Events) == 0 && len(last.Changes) == 0 {
		// Timers that did not lead to the gate cut one move of the clock into several.
		last.Advance += d
		last.At = time.Since(e.start)
		last.Changes = changes
	} else {
		e.step(Step{Kind: StepClock, Advance: d, Changes: changes, forced: forced, foot: footprint{all: true}})
	}
	return e.poll(true)
}

// deadlock says who waits for what. No timer is pending: the clock has just moved past all of them.
func (e *engine) deadlock() error {
	err := &DeadlockError{}
	v, verr := e.view()
	if verr != nil {
		return verr
	}
	for _, a := range v.actors {
		if a.ended() || a.daemon {
			continue
		}
		w := Waiting{Actor: a.name}
		for _, o := range a.ops {
			w.Operations = append(w.Operations, o.String())
		}
		for _, s := range a.sessions {
			if s.listening && !s.closed {
				w.Messages = true
			}
		}
		err.Waiting = append(err.Waiting, w)
	}
	err.Stacks = stacksOf(e.world.id)
	return err
}
