package interleave

import (
	"errors"
	"slices"
	"sort"
	"testing/synctest"

	"github.com/racebench/racebench/interleave/backend"
)

// settle waits until every actor waits, lets through what is no operation, and numbers the new operations.
func (e *engine) settle() error {
	for moved := true; moved; {
		e.pause(synctest.Wait)
		e.beats.Add(1)
		moved = false
		for _, a := range e.actors {
			m, err := e.collect(a)
			if err != nil {
				return err
			}
			moved = moved || m
		}
	}
	if e.sql != nil && len(e.sql.flying) > 0 { // somebody may have waited for what has ended
		if err := e.sql.await(nil, e.trace.last()); err != nil {
			return err
		}
	}
	for _, a := range e.actors {
		if err := e.look(a); err != nil {
			return err
		}
	}
	return e.number()
}

// collect takes what an actor has sent, and reports whether it answered anything.
func (e *engine) collect(a *Actor) (moved bool, err error) {
	conns, remarks, notes := a.takeFresh()
	for _, text := range remarks {
		e.addEvent(text)
	}
	e.addNotes(notes)
	a.said = a.said || len(notes) > 0
	sort.Slice(conns, func(i, j int) bool { return conns[i].id < conns[j].id })
	for _, c := range conns {
		s, err := c.on.newSession(a, c)
		if err != nil {
			return false, err
		}
		a.sessions = append(a.sessions, s)
	}
	if len(conns) > 0 {
		e.listSessions()
	}
	for _, s := range a.sessions {
		if s.closed || a.life.Load() == crashed {
			continue
		}
		closed, err := s.read()
		if err != nil {
			return false, err
		}
		for len(s.ops) > 0 && !s.closed && s.passes(s.ops[0].word(), s.ops[0].args) {
			o := s.ops[0]
			s.ops = s.ops[1:]
			if err := s.pass(o); err != nil {
				return false, err
			}
			if e.passed++; e.passed > e.cfg.maxSteps {
				return false, e.spinning(o)
			}
			moved = true
		}
		if closed && !s.closed && s.conn != nil {
			e.abandon(s)
		}
	}
	return moved, e.land(a)
}

// abandon handles a client that has closed its connection: what it sent is still on its way, except for a command that
// waits on the server, which the server drops with the connection.
func (e *engine) abandon(s *session) {
	for i, o := range s.ops {
		if o.block != nil || parseBlocking(o.args) != nil {
			s.ops = s.ops[:i]
			break
		}
	}
	if len(s.ops) == 0 {
		s.close()
		return
	}
	s.listening = false
	s.detach()
}

// detach takes a session out of the ones that have a client. Its mirror stays until the last command on its way has come.
func (s *session) detach() {
	a := s.actor
	a.sessions = slices.DeleteFunc(slices.Clone(a.sessions), func(x *session) bool { return x == s })
	a.gone = append(a.gone, s)
	s.eng.listSessions()
}

// land executes the commands on their way that are no operations, such as a MULTI, and lets go of a connection when its
// last has come.
func (e *engine) land(a *Actor) error {
	for _, s := range slices.Clone(a.gone) {
		for len(s.ops) > 0 && s.passes(s.ops[0].word(), s.ops[0].args) {
			o := s.ops[0]
			s.ops = s.ops[1:]
			if _, err := s.do(o.args); err != nil && !errors.Is(err, backend.ErrDropped) {
				return err
			}
		}
		if len(s.ops) == 0 {
			s.close()
			a.gone = slices.DeleteFunc(a.gone, func(x *session) bool { return x == s })
		}
	}
	return nil
}
