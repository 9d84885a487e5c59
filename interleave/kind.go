package interleave

import (
	"os"
	"strings"

	"github.com/racebench/racebench/interleave/schedule"
)

// kind is what an operation is: a command to Redis, a point. The scheduler treats all operations alike; what differs from
// one kind to another is here and nowhere else.
type kind interface {
	// came fixes what depends on the moment when o has come to the gate. It is called once, when o gets its number.
	came(e *engine, o *op) error
	// ready reports whether o can be executed now, and if not, why: "is blocked on the server".
	ready(e *engine, o *op) (ok bool, why string, err error)
	// faults are the ways to go wrong that are worth a try when o is chosen. A crash after it is always possible.
	faults() []choiceKind
	// perform executes o, or what a fault leaves of it, adds the step, and lets whoever waits for o go on.
	perform(e *engine, c choice) error
	// describe says in s what o is.
	describe(o *op, s *Step)
	// match is the most general pattern of a schedule that means o; its position is left out.
	match(o *op) schedule.Match
	// text names o for messages: "SET@r1 lock a".
	text(o *op) string
	// footprint is what o will touch.
	footprint(o *op) footprint
}

// can reports whether a fault of an operation can happen to o.
func (o *op) can(fault choiceKind) bool {
	if fault == chooseExec || fault == chooseExecCrash {
		return true
	}
	for _, f := range o.kind.faults() {
		if f == fault {
			return true
		}
	}
	return false
}

// heads calls yield with each operation of a that waits at the gate, until it returns false: the first of each connection,
// and every call.
func (a *Actor) heads(yield func(*op) bool) {
	for _, s := range a.sessions {
		if !s.closed && len(s.ops) > 0 && !yield(s.ops[0]) {
			return
		}
	}
	for _, o := range a.calls {
		if !yield(o) {
			return
		}
	}
}

// redisCommand is the kind of what comes over a connection to Redis.
type redisCommand struct{}

func (redisCommand) came(e *engine, o *op) error {
	if !o.s.multi {
		o.block = parseBlocking(o.args)
	}
	if o.block == nil {
		return nil
	}
	return e.settleBlocking(o)
}

func (redisCommand) ready(e *engine, o *op) (bool, string, error) {
	ok, err := e.enabled(o)
	return ok, "is blocked on the server", err
}

func (redisCommand) faults() []choiceKind { return networkFaults }

var networkFaults = []choiceKind{chooseExecCrash, chooseExecLost, chooseUnsent, chooseLate}

func (redisCommand) perform(e *engine, c choice) error {
	switch c.kind {
	case chooseUnsent:
		e.operationStep(c, c.op, "unsent").notExecuted(c.actor)
		e.breakConn(c.op.s, errEOF)
		c.op.s.close()
		return nil
	case chooseLate:
		e.operationStep(c, c.op, "late").notExecuted(c.actor)
		s := c.op.s
		e.breakConn(s, os.ErrDeadlineExceeded)
		e.abandon(s)
		return nil
	}
	return e.execute(c)
}

func (redisCommand) describe(o *op, s *Step) {
	s.Server, s.Name, s.Command, s.Keys, s.names = o.s.on.name, o.traceName(), o.display(), o.fullNames(), o.keyNames()
	if o.name == "EXEC" {
		for _, q := range o.s.queued {
			s.Queued = append(s.Queued, displayed(q))
		}
	}
}

func (redisCommand) match(o *op) schedule.Match {
	word, _, _ := strings.Cut(o.traceName(), " ")
	return schedule.Match{Command: word, Server: o.s.on.name}
}

func (redisCommand) text(o *op) string { return onServerText(o.s.on.name, o.display()) }

func (redisCommand) footprint(o *op) footprint {
	var f footprint
	db := o.s.db
	for _, args := range o.commands() {
		f.add(o.s.on.name, db, args)
		db = selected(args, db)
	}
	if o.name == "EXEC" {
		// Whether it aborts depends on writes to what is watched.
		f.reads = append(f.reads, o.s.watched...)
	}
	return f
}
