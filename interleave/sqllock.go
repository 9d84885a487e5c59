package interleave

import (
	"slices"

	"github.com/racebench/racebench/interleave/database"
)

// Things of a SQL database that are no tables but are read and written like tables.
const (
	touchesSQLLock  = "\x00sqllock"   // SQLite: what transactions lock, which is the whole database
	touchesSnapshot = "\x00snapshot " // MySQL, by actor: what the first read of a transaction sees of its commits
)

// locksToWrite reports whether SQLite takes the lock of the one writer for a statement.
func (q *sqlText) locksToWrite() bool {
	switch q.verb {
	case "INSERT", "REPLACE", "UPDATE", "DELETE", "CREATE", "DROP", "ALTER", "REINDEX", "VACUUM", "ANALYZE":
		return true
	}
	return false
}

// holders are the actors whose transactions a statement to SQLite waits for, in order.
//
// A transaction that has read holds a shared lock to its end, one that has written is the only writer. A statement of its
// own, and COMMIT, writes when nobody else has read. A transaction that has read and comes second to write does not wait:
// SQLite sees that this can't end well, and answers SQLITE_BUSY at once. https://sqlite.org/lockingv3.html, section 3.
func (s *sent) holders() (who []string) {
	if s.conn.on.dialect() != database.SQLite {
		return nil
	}
	c := s.conn
	var reserve, alone bool
	switch {
	case s.verb == "BEGIN":
		reserve, alone = s.lock == "IMMEDIATE", s.lock == "EXCLUSIVE"
	case s.verb == "COMMIT":
		alone = c.reserved
	case s.verb == "ROLLBACK" || s.part:
		return nil
	case s.locksToWrite():
		alone = !c.tx
		reserve = c.tx && !c.looked
	}
	for _, a := range c.on.eng.actors {
		for _, x := range a.openSQL() {
			held := x.alone || reserve && x.reserved || alone && (x.reserved || x.looked)
			if x != c && held && !slices.Contains(who, a.name) {
				who = append(who, a.name)
			}
		}
	}
	return who
}

// footprint of a statement is its tables. A statement of a transaction also depends on whatever can make it wait, and the
// end of a transaction on all that the transaction has touched.
func (sqlStatement) footprint(o *op) footprint {
	s, c := o.sql, o.sql.conn
	var f footprint
	switch {
	case s.verb == "BEGIN" && s.lock == "DEFERRED", s.part && s.verb != "ROLLBACK":
		return f // it locks nothing and sees nothing
	case s.verb == "BEGIN":
	case s.verb == "COMMIT" || s.verb == "ROLLBACK":
		f = footprint{c.touched.all, slices.Clone(c.touched.reads), slices.Clone(c.touched.writes)}
		if !c.looked && !c.reserved && !f.all {
			return f
		}
	case !s.known || c.on.obscure():
		return footprint{all: true}
	default:
		f.reads, f.writes = tableKeys(s.reads), tableKeys(s.writes)
	}
	if f.all {
		return f
	}
	if c.on.dialect() == database.MySQL {
		if c.tx && !c.looked && len(f.reads)+len(f.writes) > 0 {
			for _, a := range c.on.eng.actors {
				f.reads = append(f.reads, touchesSnapshot+a.name)
			}
		}
		// A statement that waits may be the last of a ring: then a transaction is rolled back with all that it has touched.
		if c.tx && len(s.writes) > 0 {
			if c.touched.all {
				return footprint{all: true}
			}
			f.reads, f.writes = append(f.reads, c.touched.reads...), append(f.writes, c.touched.writes...)
		}
		if len(f.writes) > 0 && (!c.tx || s.verb == "COMMIT") {
			f.writes = append(f.writes, touchesSnapshot+o.actor.name)
		}
		return f
	}
	if c.tx || s.verb == "BEGIN" {
		f.writes = append(f.writes, touchesSQLLock)
	} else {
		f.reads = append(f.reads, touchesSQLLock)
	}
	return f
}

func tableKeys(tables []string) []string {
	out := make([]string, len(tables))
	for i, t := range tables {
		out[i] = tableKey(t)
	}
	return out
}

// closingSQL is what others can notice of the end of an actor's connections to its database: what was open is rolled back.
func (a *Actor) closingSQL() (touched []string) {
	for _, c := range a.openSQL() {
		if !c.tx || !c.looked && !c.reserved {
			continue
		}
		touched = append(append(append(touched, c.touched.reads...), c.touched.writes...), touchesSQLLock)
	}
	return touched
}
