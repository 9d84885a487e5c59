package interleave

import (
	"fmt"
	"strings"
	"time"

	"github.com/racebench/racebench/interleave/schedule"
)

// forced follows a schedule token by token, and then lets rest decide.
type forced struct {
	tokens schedule.Schedule
	at     int // token that is being followed
	until  time.Time
	inRun  bool
	order  fair
	rest   strategy
}

// begin starts at the first token; what rest has left to run decides whether there is another execution.
func (f *forced) begin(execution int) bool {
	f.at, f.inRun = 0, false
	return f.rest.begin(execution)
}

func (f *forced) number(n int) int { return f.rest.number(n) }
func (f *forced) end(res *Result)  { f.rest.end(res) }

func newForced(s schedule.Schedule, rest strategy) *forced { return &forced{tokens: s, rest: rest} }

func (f *forced) next(v *view) (choice, error) {
	for f.at < len(f.tokens) {
		c, done, err := f.follow(v, f.tokens[f.at])
		if err != nil {
			return choice{}, err
		}
		if done {
			f.at++
		}
		if c != nil {
			c.forced = true
			return *c, nil
		}
	}
	return f.rest.next(v)
}

// follow returns the next step of a token, if it has one, and whether the token is done after it.
func (f *forced) follow(v *view, t schedule.Token) (c *choice, done bool, err error) {
	switch t.Kind {
	case schedule.Op:
		c, err = f.operation(v, t)
		return c, true, err
	case schedule.Until:
		return f.runUntil(v, t)
	case schedule.Drain:
		a, err := f.actor(v, t)
		if err != nil {
			return nil, false, err
		}
		if o := a.firstEnabled(); o != nil {
			return &choice{kind: chooseExec, actor: a.Actor, op: o}, false, nil
		}
		return nil, true, nil
	case schedule.Arrive:
		a, err := f.actor(v, t)
		if err != nil {
			return nil, false, err
		}
		if n := t.Match.Position(); n <= len(a.late) {
			return &choice{kind: chooseArrive, actor: a.Actor, op: a.late[n-1]}, true, nil
		}
		return nil, false, f.diverged(v, t, "a late command of "+t.Actor, fmt.Sprintf("%d on their way", len(a.late)))
	case schedule.Deliver:
		c, err = f.delivery(v, t)
		return c, true, err
	case schedule.Advance:
		return &choice{kind: chooseAdvance, d: t.Duration}, true, nil
	case schedule.Run:
		return f.runFor(v, t)
	case schedule.Restart:
		return f.fault(chooseRestart, t), true, nil
	case schedule.Failover:
		return f.fault(chooseFailover, t), true, nil
	case schedule.FlushScripts:
		return f.fault(chooseFlushScripts, t), true, nil
	case schedule.Evict:
		return f.fault(chooseEvict, t), true, nil
	}
	return nil, false, fmt.Errorf("interleave: token %s has no meaning", t)
}

// fault is a fault of a server, as a token asks for it.
func (f *forced) fault(kind choiceKind, t schedule.Token) *choice {
	return &choice{kind: kind, server: t.Server, n: max(t.N, 1), key: t.Key, token: &f.tokens[f.at], index: f.at + 1}
}

func (f *forced) actor(v *view, t schedule.Token) (*actorView, error) {
	if a := v.actor(t.Actor); a != nil {
		return a, nil
	}
	names := make([]string, len(v.actors))
	for i, a := range v.actors {
		names[i] = a.name
	}
	return nil, f.diverged(v, t, "an actor "+t.Actor, "only "+strings.Join(names, ", "))
}

// operation finds the operation that a token means and turns its fault into a choice.
func (f *forced) operation(v *view, t schedule.Token) (*choice, error) {
	a, err := f.actor(v, t)
	if err != nil {
		return nil, err
	}
	if t.Fault == schedule.CrashBefore {
		if a.ended() {
			return nil, f.diverged(v, t, t.Actor+" alive", t.Actor+" has ended")
		}
		return &choice{kind: chooseCrash, actor: a.Actor}, nil
	}
	n := 0
	for i, o := range a.ops {
		if !o.is(t.Match) {
			continue
		}
		if n++; n < t.Match.Position() {
			continue
		}
		kind := map[schedule.Fault]choiceKind{
			schedule.NoFault: chooseExec, schedule.CrashAfter: chooseExecCrash, schedule.Lost: chooseExecLost,
			schedule.Unsent: chooseUnsent, schedule.Late: chooseLate,
		}[t.Fault]
		if kind == chooseLate && o.sql != nil {
			return nil, &LateSQLError{f.diverged(v, t, "an operation that can be late", a.Actor.name+" waiting in "+o.String()).(*DivergedError)}
		}
		if !o.can(kind) {
			return nil, f.diverged(v, t, fmt.Sprintf("an operation of %s that can be %s", t.Actor, t.Fault), a.Actor.name+" waiting in "+o.String())
		}
		if !a.enabled[i] && kind != chooseUnsent {
			return nil, f.diverged(v, t, wants(t), a.Actor.name+" "+a.why[i]+" in "+o.String())
		}
		return &choice{kind: kind, actor: a.Actor, op: o}, nil
	}
	return nil, f.diverged(v, t, wants(t), a.state())
}

// wants says in words which operation a token needs.
func wants(t schedule.Token) string {
	s := t.Actor
	if t.Match.Command != "" {
		s += " " + t.Match.Command
	} else {
		s += " with an operation"
	}
	if t.Match.Server != "" {
		s += " on " + t.Match.Server
	}
	if len(t.Match.Keys) > 0 {
		s += " " + strings.Join(t.Match.Keys, " ")
	}
	if n := t.Match.Position(); n > 1 {
		s += fmt.Sprintf(" (number %d)", n)
	}
	return s
}

// state says what an actor is doing.
func (a *actorView) state() string {
	switch {
	case a.life.Load() == crashed:
		return a.name + " has crashed"
	case a.done.Load():
		return a.name + " has ended"
	case len(a.ops) == 0 && len(a.pushes) > 0:
		return a.name + " with a message to receive (" + a.name + ".deliver)"
	case len(a.ops) == 0:
		return a.name + " not at the gate (it waits for a timer, a message or another goroutine)"
	}
	parts := make([]string, len(a.ops))
	for i, o := range a.ops {
		parts[i] = o.String()
		if !a.enabled[i] {
			parts[i] += ", " + a.why[i]
		}
	}
	return a.name + " waiting with " + strings.Join(parts, " and ")
}

// runUntil lets an actor run until an operation that matches waits at the gate.
func (f *forced) runUntil(v *view, t schedule.Token) (*choice, bool, error) {
	a, err := f.actor(v, t)
	if err != nil {
		return nil, false, err
	}
	for _, o := range a.ops {
		if o.is(t.Match) {
			return nil, true, nil
		}
	}
	if o := a.firstEnabled(); o != nil {
		return &choice{kind: chooseExec, actor: a.Actor, op: o}, false, nil
	}
	return nil, false, f.diverged(v, t, wants(t)+" to come", a.state())
}

func (f *forced) delivery(v *view, t schedule.Token) (*choice, error) {
	a, err := f.actor(v, t)
	if err != nil {
		return nil, err
	}
	n := 0
	for _, s := range a.pushes {
		if t.Key != "" && s.pushes[0].channel() != t.Key {
			continue
		}
		if n++; n == t.Match.Position() {
			kind := chooseDeliver
			if t.Fault == schedule.Drop {
				kind = chooseDrop
			}
			return &choice{kind: kind, actor: a.Actor, push: s}, nil
		}
	}
	return nil, f.diverged(v, t, "a message for "+t.Actor, "none has been published to it")
}

// runFor lets everybody run fairly until the clock has moved by the token's duration.
func (f *forced) runFor(v *view, t schedule.Token) (*choice, bool, error) {
	if !f.inRun {
		f.inRun, f.until = true, v.now.Add(t.Duration)
	}
	if c, ok := f.order.pick(v); ok {
		return &c, false, nil
	}
	if left := f.until.Sub(v.now); left > 0 {
		return &choice{kind: chooseIdle, d: left}, false, nil
	}
	f.inRun = false
	return nil, true, nil
}

func (f *forced) diverged(v *view, t schedule.Token, expected, found string) error {
	e := &DivergedError{Step: v.step, Token: &t, Index: f.at + 1, Expected: expected, Found: found}
	for _, a := range v.actors {
		if a.name != t.Actor && len(a.ops) > 0 {
			e.Waiting = append(e.Waiting, a.state())
		}
	}
	return e
}
