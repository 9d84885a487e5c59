package interleave

import (
	"database/sql/driver"
	"slices"
	"strings"
	"time"

	"github.com/racebench/racebench/interleave/database"
	"github.com/racebench/racebench/interleave/schedule"
)

// sqlStatement is the kind of a statement to a SQL database.
type sqlStatement struct{}

func (sqlStatement) came(*engine, *op) error { return nil }

// ready is false for a statement that would have to wait for a lock, and for one that waits for it in the server.
func (sqlStatement) ready(_ *engine, o *op) (ok bool, why string, _ error) {
	s := o.sql
	if s.flight != nil {
		return s.flight.landed(), "waits for " + s.behind, nil
	}
	if who := s.holders(); len(who) > 0 {
		return false, "waits for " + strings.Join(who, " and "), nil
	}
	return true, "", nil
}

// faults are those of a connection. None can be late: a driver that gives up closes the connection, and a server that
// finds it closed does not execute what comes after.
func (sqlStatement) faults() []choiceKind {
	return []choiceKind{chooseExecCrash, chooseExecLost, chooseUnsent}
}

func (sqlStatement) describe(o *op, s *Step) {
	s.SQL, s.Name, s.Command, s.Keys, s.names = true, o.name, o.args, o.names, o.names
}

func (sqlStatement) match(o *op) schedule.Match { return schedule.Match{Command: o.name} }

func (sqlStatement) text(o *op) string { return sqlCommand(o.args) }

// sqlCommand is a statement with its arguments: UPDATE tasks SET status = ? ['RUNNING'].
func sqlCommand(args []string) string {
	if len(args) < 2 {
		return args[0]
	}
	return args[0] + " [" + strings.Join(args[1:], ", ") + "]"
}

// wording is the command of a step as a reader would write it.
func (s *Step) wording() string {
	if s.SQL {
		return sqlCommand(s.Command)
	}
	return onServerText(s.Server, s.Command)
}

func (sqlStatement) perform(e *engine, c choice) error {
	o, s := c.op, c.op.sql
	if c.kind == chooseUnsent {
		e.operationStep(c, o, "unsent").notExecuted(c.actor)
		e.loseSQL(o, driver.ErrBadConn) // nothing was sent, so database/sql may send it again, and does
		return nil
	}
	step := e.operationStep(c, o, map[choiceKind]string{chooseExecCrash: "crash", chooseExecLost: "lost"}[c.kind])
	if c.kind != chooseExec {
		step.foot.writes = append(step.foot.writes, c.actor.closing()...)
	}
	if s.flight == nil {
		s.flight = e.sqlHost.start(s.run)
		s.conn.on.flying = append(s.conn.on.flying, o)
		if err := s.conn.on.await(s.flight, step); err != nil {
			return err
		}
	}
	landed := s.flight.landed()
	if landed {
		e.order.executed(o)
		step.Reply, step.IsErr = s.reply(), s.err != nil
	} else {
		step.Reply = "waits for " + s.behind
	}
	switch {
	case c.kind == chooseExecCrash:
		e.crash(c.actor)
	case c.kind == chooseExecLost:
		e.loseSQL(o, ErrReplyLost)
	case landed:
		e.answerCall(o)
		return nil
	}
	return nil
}

// loseSQL drops the connection of a statement; what is open on it is rolled back.
func (e *engine) loseSQL(o *op, err error) {
	o.actor.faulted = true
	o.sql.conn.drop()
	o.sql.err = err
	e.answerCall(o)
}

// answerCall lets the goroutine that waits in a call go on.
func (e *engine) answerCall(o *op) {
	o.actor.calls = slices.DeleteFunc(o.actor.calls, func(x *op) bool { return x == o })
	close(o.wake)
}

// patience is how long, in real time, a statement may take before the server is asked whether it waits for a lock; pause
// is how long until it is asked again.
const patience, pause = 2 * time.Millisecond, 300 * time.Microsecond

// await waits until every statement that is in the server has been executed or waits there for a lock. What has been
// executed is added to the step. The first flight is the one that has just been sent, if any.
func (d *sqlDatabase) await(first flight, step *Step) error {
	viewer, _ := d.server.(database.LockViewer)
	for {
		d.flying = slices.DeleteFunc(d.flying, func(o *op) bool {
			if o.sql.conn.dropped.Load() {
				return true
			}
			if !o.sql.flight.landed() {
				return false
			}
			d.executed(o, step)
			return true
		})
		if len(d.flying) == 0 {
			return nil
		}
		if viewer == nil {
			<-d.flying[0].sql.flight
			continue
		}
		var waiting map[int64][]int64
		var err error
		d.eng.sqlHost.do(func() {
			if first != nil {
				timer := time.NewTimer(patience)
				defer timer.Stop()
				select {
				case <-first:
					first = nil
					return
				case <-timer.C:
					first = nil
				}
			} else {
				time.Sleep(pause)
			}
			waiting, err = viewer.Waiting()
		})
		if err != nil {
			return err
		}
		stable := waiting != nil
		for _, o := range d.flying {
			for_, is := waiting[o.sql.conn.serverID]
			stable = stable && is && !o.sql.flight.landed()
			o.sql.behind = d.names(for_)
		}
		if stable {
			return nil
		}
	}
}

// names are the actors of connections, in order.
func (d *sqlDatabase) names(ids []int64) string {
	var who []string
	for _, a := range d.eng.actors {
		for _, c := range a.openSQL() {
			if slices.Contains(ids, c.serverID) && c.serverID != 0 && !slices.Contains(who, a.name) {
				who = append(who, a.name)
			}
		}
	}
	if len(who) == 0 {
		return "a lock"
	}
	return strings.Join(who, " and ")
}

// executed notes what a statement has done, in the step in which it did it.
func (d *sqlDatabase) executed(o *op, step *Step) {
	s := o.sql
	if d.eng.reduces {
		f := o.footprint()
		step.foot.all = step.foot.all || f.all
		step.foot.reads, step.foot.writes = union(step.foot.reads, f.reads), union(step.foot.writes, f.writes)
	}
	if s.err == nil && (s.mayWrite() || s.verb == "COMMIT") || s.verb == "ROLLBACK" {
		step.Wrote = true
		d.eng.version++
	}
	if !s.known {
		d.looked = false
	}
	s.conn.follow(s)
}

// follow keeps track of the transaction that is open on the connection.
func (c *sqlConn) follow(s *sent) {
	switch {
	case s.verb == "BEGIN":
		if s.err == nil {
			c.tx, c.looked, c.touched = true, false, footprint{}
			c.reserved, c.alone = s.lock != "DEFERRED", s.lock == "EXCLUSIVE"
		}
	case (s.verb == "COMMIT" || s.verb == "ROLLBACK") && !s.part:
		if s.err == nil {
			c.tx, c.looked, c.reserved, c.alone, c.touched = false, false, false, false, footprint{}
		}
	case !c.tx:
	case s.known:
		c.looked = c.looked || len(s.tables()) > 0
		c.reserved = c.reserved || s.locksToWrite() && s.err == nil
		c.touched.reads, c.touched.writes = union(c.touched.reads, tableKeys(s.reads)), union(c.touched.writes, tableKeys(s.writes))
	default:
		c.looked, c.reserved, c.touched.all = true, c.reserved || s.locksToWrite() && s.err == nil, true
	}
}
