package interleave

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing/synctest"
	"time"

	"github.com/racebench/racebench/interleave/backend"
	"github.com/racebench/racebench/interleave/command"
	"github.com/racebench/racebench/interleave/wire"
)

// forever is how far the clock is moved when nobody says how far: past every timer of a program.
const forever = 100 * 365 * 24 * time.Hour

// perform makes one choice happen and adds it to the trace.
func (e *engine) perform(c choice) error {
	e.beats.Add(1)
	if c.fault != noFault {
		e.left[c.fault]--
	}
	if c.actor != nil {
		c.actor.said = false
	}
	switch c.kind {
	case chooseExec, chooseExecCrash, chooseExecLost, chooseUnsent, chooseLate:
		return c.op.kind.perform(e, c)
	case chooseArrive:
		return e.arrive(c)
	case chooseCrash:
		s := e.step(Step{Kind: StepCrash, Actor: c.actor.name, Fault: "crash", forced: c.forced})
		if o := c.actor.waiting(); o != nil {
			s.describe(o)
			s.Kind = StepCrash
		}
		s.notExecuted(c.actor)
		e.crash(c.actor)
		return nil
	case chooseDeliver, chooseDrop:
		e.deliver(c)
		return nil
	case chooseAdvance:
		e.pause(func() { time.Sleep(c.d) })
		return e.clockStep(c.d, c)
	case chooseIdle:
		return e.idle(c)
	default:
		return e.serverFault(c)
	}
}

// step adds a step to the trace and numbers it.
func (e *engine) step(s Step) *Step {
	if s.Kind != StepClock {
		e.passed = 0
	}
	s.N = len(e.trace.Steps) + 1
	s.At = time.Since(e.start)
	if len(e.block) == 0 {
		e.block = make([]Step, 32)
	}
	p := &e.block[0]
	e.block = e.block[1:]
	*p = s
	e.trace.Steps = append(e.trace.Steps, p)
	return p
}

func (e *engine) operationStep(c choice, o *op, fault string) *Step {
	s := e.step(Step{Kind: StepOperation, Actor: c.actor.name, Fault: fault, Since: o.since, forced: c.forced, nth: e.nth(o)})
	o.went = true
	s.describe(o)
	return s
}

// nth is the place of o among the waiting operations of its actor that its token would match.
func (e *engine) nth(o *op) int {
	m := o.kind.match(o)
	n := 1
	for other := range o.actor.heads {
		if other != o && other.seq < o.seq && other.is(m) {
			n++
		}
	}
	return n
}

func (s *Step) describe(o *op) {
	o.kind.describe(o, s)
	s.Caller = o.caller.text
	if o.actor.world.eng.reduces {
		s.foot = o.footprint()
	}
}

// notExecuted corrects the footprint of a step that its fault kept from being executed.
func (s *Step) notExecuted(a *Actor) { s.foot = footprint{writes: a.closing()} }

// traceName is the name of the command in the trace: a script's does not depend on what was cached.
func (o *op) traceName() string {
	if o.script() {
		return strings.Replace(o.name, "EVALSHA", "EVAL", 1)
	}
	return o.name
}

// execute runs an operation on the server and hands on the reply, unless a fault takes it away.
func (e *engine) execute(c choice) error {
	o := c.op
	step := e.operationStep(c, o, map[choiceKind]string{chooseExecCrash: "crash", chooseExecLost: "lost"}[c.kind])
	if c.kind != chooseExec {
		step.foot.writes = append(step.foot.writes, c.actor.closing()...)
	}
	raw, err := o.s.doTracked(o, step)
	if errors.Is(err, backend.ErrDropped) {
		return e.dropped(o, step)
	}
	if err != nil {
		return err
	}
	e.order.executed(o)
	answered := false
	if o.word() == "EVALSHA" && isNoScript(raw) && !e.cfg.splitScripts {
		next, err := e.fallback(o, raw)
		if err != nil {
			return err
		}
		if answered = next == nil; !answered {
			o = next
			step.describe(o)
			raw, err = o.s.doTracked(o, step)
			if errors.Is(err, backend.ErrDropped) {
				return e.dropped(o, step)
			}
			if err != nil {
				return err
			}
		}
	}
	if !answered {
		o.s.ops = o.s.ops[1:]
	}
	switch {
	case c.kind == chooseExecCrash:
		e.crash(c.actor)
	case c.kind == chooseExecLost:
		// What was pipelined behind it is on its way to the server already.
		e.breakConn(o.s, errEOF)
		e.abandon(o.s)
	case !answered:
		o.s.conn.answer(raw)
	}
	return e.poll(o.mayPublish())
}

// dropped ends the connection of an operation that the server has closed instead of answering.
func (e *engine) dropped(o *op, step *Step) error {
	step.Reply = "connection closed by the server"
	e.breakConn(o.s, errEOF)
	o.s.close()
	return nil
}

// fallback answers NOSCRIPT and returns the EVAL of the same script that the client sends then, or nil. Whether a script
// was cached is seldom what a schedule is about, so both commands are one step.
func (e *engine) fallback(o *op, raw []byte) (*op, error) {
	o.s.ops = o.s.ops[1:]
	o.s.conn.answer(raw)
	if err := e.settle(); err != nil {
		return nil, err
	}
	for _, s := range o.s.actor.sessions {
		if s.closed || len(s.ops) == 0 {
			continue
		}
		next := s.ops[0]
		if next.word() == "EVAL" && len(next.args) > 1 && digest(next.args[1]) == strings.ToLower(o.args[1]) && next.since == len(e.trace.Steps) {
			return next, nil
		}
	}
	return nil, nil
}

func isNoScript(raw []byte) bool { return strings.HasPrefix(string(raw), "-NOSCRIPT") }

// doTracked executes o and records in step what it answered and what it changed.
func (s *session) doTracked(o *op, step *Step) ([]byte, error) {
	e := s.eng
	writes := o.mayWrite()
	keys, known := o.touches()
	script := slices.ContainsFunc(o.commands(), isScript)
	e.scripts = e.scripts || script
	if o.name == "EXEC" {
		o.exec = s.queued // the session forgets them with the transaction
	}
	if plan := s.planReads(o, keys, known && writes && (!script || o.script())); plan != nil {
		raw, ok, err := e.doReading(s, o, step, plan)
		if ok || err != nil {
			return raw, err
		}
	}
	raw, err := s.doOp(o)
	if err != nil {
		return nil, err
	}
	failed, err := step.answered(o, raw)
	if err != nil || !writes || failed && !script {
		return raw, err
	}
	changes, err := s.on.effects(s.db, keys, known, script)
	if err != nil {
		return nil, err
	}
	s.on.wrote(step, changes)
	return raw, nil
}

// answered records a reply in the step, and reports whether it is an error.
func (s *Step) answered(o *op, raw []byte) (failed bool, err error) {
	v, _, err := wire.Parse(raw)
	if err != nil {
		return false, err
	}
	s.Reply, s.IsErr = replyText(o, v), v.IsErr()
	return s.IsErr, nil
}

// wrote records that a command which may write has been executed.
func (v *server) wrote(step *Step, changes []Change) {
	v.eng.version++
	step.Changes, step.Wrote = changes, true
	v.record()
}

// effects reads again what a command may have changed.
func (v *server) effects(db int, keys []touch, known, script bool) ([]Change, error) {
	var written []dbKey
	for _, k := range keys {
		if k.access&command.Modify != 0 {
			written = append(written, k.dbKey)
		}
	}
	if !known || len(written) == 0 && !script {
		return v.rescan()
	}
	changes, err := v.eng.refresh(unique(written))
	if err != nil || !script {
		return changes, err
	}
	size, err := v.ask(db, "DBSIZE")
	if err != nil {
		return nil, err
	}
	return v.undeclared(db, int(size.Int), changes)
}

// undeclared finds the keys that a script made or removed without declaring them: they show in the number of keys. What
// it changed in others is found at the end of the world.
func (v *server) undeclared(db, size int, changes []Change) ([]Change, error) {
	v.scripted = true
	if size == v.eng.image.count(v.name, db) {
		return changes, nil
	}
	more, err := v.rescan()
	return append(changes, more...), err
}

func unique(keys []dbKey) []dbKey {
	out := keys[:0]
	seen := map[dbKey]bool{}
	for _, k := range keys {
		if !seen[k] {
			seen[k] = true
			out = append(out, k)
		}
	}
	return out
}

func (m image) count(server string, db int) int {
	n := 0
	for k := range m { // any order: they are counted
		if k.db == db && k.server == server {
			n++
		}
	}
	return n
}

// arrive executes a command whose client has given up. Nobody gets the reply.
func (e *engine) arrive(c choice) error {
	o := c.op
	step := e.step(Step{Kind: StepArrive, Actor: c.actor.name, forced: c.forced})
	step.describe(o)
	for i, s := range c.actor.gone {
		if s == o.s {
			step.nth = i + 1
		}
	}
	e.order.executed(o)
	_, err := o.s.doTracked(o, step)
	o.s.ops = o.s.ops[1:]
	if err != nil && !errors.Is(err, backend.ErrDropped) {
		return err
	}
	if err := e.land(c.actor); err != nil {
		return err
	}
	return e.poll(o.mayPublish())
}

// breakConn drops a connection from the server's side.
func (e *engine) breakConn(s *session, err error) {
	s.actor.faulted = true
	s.conn.fail(err)
}

// crash ends an actor at once: what it had not sent is never sent.
func (e *engine) crash(a *Actor) {
	e.pending = true
	a.kill(crashed)
	for _, s := range a.sessions {
		s.close()
	}
	a.dropSQL()
}

func (e *engine) deliver(c choice) {
	s := c.push
	p := s.pushes[0]
	s.pushes = s.pushes[1:]
	s.delivered++
	step := Step{Kind: StepDeliver, Actor: c.actor.name, Server: s.on.name, forced: c.forced, Reply: p.value.String(), nth: 1}
	step.foot.writes = []string{touchesMessages}
	if ch := p.channel(); ch != "" {
		step.Keys = []string{ch}
	}
	for _, x := range c.actor.sessions {
		if x == s {
			break
		}
		if !x.closed && len(x.pushes) > 0 {
			step.nth++
		}
	}
	if c.kind == chooseDrop {
		step.Fault = "drop"
	} else {
		s.conn.answer(p.raw)
	}
	e.step(step)
}

// poll fetches what the server has pushed, where anybody listens.
func (e *engine) poll(may bool) error {
	if !may {
		return nil
	}
	waited := false
	for _, s := range e.sessions {
		if !s.listening || s.closed {
			continue
		}
		if !waited {
			// The embedded server hands messages on through goroutines of its own.
			e.pause(synctest.Wait)
			waited = true
		}
		raw, err := s.mirror.Pushes()
		if err != nil {
			return err
		}
		for len(raw) > 0 {
			v, n, err := wire.Parse(raw)
			if err != nil || n == 0 {
				return fmt.Errorf("interleave: pushes of %s: %q: %v", s.actor, raw, err)
			}
			s.pushes = append(s.pushes, push{raw[:n:n], v})
			raw = raw[n:]
		}
	}
	return nil
}

// waiting is the first operation of a that waits at the gate, or nil.
func (a *Actor) waiting() *op {
	var first *op
	for o := range a.heads {
		if first == nil || o.seq < first.seq {
			first = o
		}
	}
	return first
}
