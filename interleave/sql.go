package interleave

import (
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/racebench/racebench/interleave/database"
)

// Database says which throwaway SQL database to use: sqlite (the default; import interleave/database/sqlite), process (a
// mariadbd from PATH) or a mysql:// URL (import interleave/database/mariadb for them), container (import
// interleave/database/container). It is started when a world first asks for it.
func Database(spec string) Option { return func(c *config) { c.database = spec } }

// DatabaseConfig sets the details of the throwaway SQL database.
func DatabaseConfig(cfg database.Config) Option { return func(c *config) { c.databaseConfig = cfg } }

// ErrReplyLost is the error of a statement whose connection was lost while its reply was outstanding (!lost): it may have
// been executed. Unlike driver.ErrBadConn it does not make database/sql send the statement again.
var ErrReplyLost = errors.New("interleave: the connection to the database was lost, and with it the reply")

// SQL returns the actor's own pool of connections to the world's SQL database, always the same one. Each statement, BEGIN,
// COMMIT and ROLLBACK waits at the gate like a Redis command, in schedules as A.UPDATE, A.UPDATE(tasks), A.COMMIT. All
// actors share the database; option Database says which it is. The rows of a query are read at once. The clock of the
// database is the real one: pass times as arguments.
func (a *Actor) SQL() *sql.DB {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.sql.db == nil {
		a.sql.db = openPool(&sqlConnector{actor: a, on: a.world.eng.database()})
	}
	return a.sql.db
}

// WrapSQL returns a pool of connections that c makes, whose statements wait at the gate, for a database of the program's
// own. Nothing resets that database between worlds: the world function has to. A statement that waits for a lock in it is a
// potential deadlock, because nobody tells; use a driver or a setting that answers at once.
func (a *Actor) WrapSQL(c driver.Connector) *sql.DB {
	on := &sqlDatabase{eng: a.world.eng, own: true}
	db := openPool(&sqlConnector{actor: a, on: on, connect: c})
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sql.wrapped = append(a.sql.wrapped, db)
	return db
}

// openPool is a pool that keeps what it has opened: to close a connection is nothing that an actor means to do.
func openPool(c driver.Connector) *sql.DB {
	db := sql.OpenDB(c)
	db.SetMaxIdleConns(64)
	return db
}

// SQL returns the world's SQL database without the gate, for what is there before the first step. Actors must not use it.
func (w *World) SQL() *sql.DB { return w.eng.database().directly() }

// SQL returns the world's SQL database without the gate. It must only read. What a transaction has not committed it does
// not see. A state of NewState has none: nil.
func (s *State) SQL() *sql.DB {
	if s.made != nil {
		return nil
	}
	return s.eng.database().directly()
}

// actorSQL is what an actor has of SQL.
type actorSQL struct {
	db      *sql.DB
	wrapped []*sql.DB
	conns   []*sqlConn // that are open, in the order of being opened
	opened  int
}

// sqlDatabase is the SQL database of a world, or one that the program has brought along.
type sqlDatabase struct {
	eng    *engine
	server database.Server // nil for one that the program has brought along
	own    bool
	err    error // it could not be had
	direct *sql.DB
	flying []*op // statements that wait in the server, in the order of being sent

	looked bool // obscure is of the present schema
	hidden bool // the schema has triggers, views or foreign keys
}

// database is the SQL database of the world, which it begins to use.
func (e *engine) database() *sqlDatabase {
	e.world.mu.Lock()
	defer e.world.mu.Unlock()
	if e.sql == nil {
		e.sql = &sqlDatabase{eng: e}
		e.sql.server, e.sql.err = e.openDatabase()
		if e.sql.err != nil && e.world.err == nil {
			e.world.err = e.sql.err
		}
	}
	return e.sql
}

// sqlHost is a Runner's throwaway SQL database, which its worlds use one after the other.
type sqlHost struct {
	*outside
	mu     sync.Mutex      // opening and closing of connections, outside: actors do it at the same time
	server database.Server // nil until a world asks
}

// Database names the SQL database that worlds have used: its word and its version, both empty when none has.
func (r *Runner) Database() (name, version string) {
	if r.sql != nil && r.sql.server != nil {
		name, version = r.sql.server.Name(), r.sql.server.Version()
	}
	return name, version
}

// openDatabase empties the database for this world, and starts it for the first.
func (e *engine) openDatabase() (s database.Server, err error) {
	h := e.sqlHost
	h.do(func() {
		if h.server == nil {
			opened, failed := database.Open(e.cfg.database, e.cfg.databaseConfig)
			if err = failed; err != nil {
				return
			}
			h.server = opened
		}
		s, err = h.server, h.server.Reset()
	})
	return s, err
}

// close ends the database. A world that was given up may still ask for something to be run outside.
func (h *sqlHost) close(givenUp bool) error {
	if !givenUp {
		defer h.outside.close()
	}
	if h.server == nil {
		return nil
	}
	return h.server.Close()
}

// dialect says how the database locks.
func (d *sqlDatabase) dialect() database.Dialect {
	if d.server == nil {
		return database.Unknown
	}
	return d.server.Dialect()
}

// directly is a pool that does not pass the gate.
func (d *sqlDatabase) directly() *sql.DB {
	d.eng.world.mu.Lock()
	defer d.eng.world.mu.Unlock()
	if d.direct == nil {
		d.direct = openPool(&sqlConnector{on: d})
	}
	return d.direct
}

// tables reads the whole database.
func (d *sqlDatabase) tables() ([]KeyState, error) {
	query := "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
	if d.dialect() == database.MySQL {
		query = "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() AND table_type = 'BASE TABLE' ORDER BY table_name"
	}
	names, err := d.column(query)
	if err != nil {
		return nil, err
	}
	var list []KeyState
	for _, name := range names {
		quote := "`"
		rows, err := d.column("SELECT * FROM " + quote + strings.ReplaceAll(name, "`", "``") + quote)
		if err != nil {
			return nil, err
		}
		slices.Sort(rows)
		list = append(list, KeyState{"table:" + name, &Entry{Type: "table", Items: rows, Expires: -1}})
	}
	return list, nil
}

// column is the rows of a query, each as one text; of a single column the value alone.
func (d *sqlDatabase) column(query string) ([]string, error) {
	rows, err := d.directly().Query(query)
	if err != nil {
		return nil, fmt.Errorf("interleave: reading the database: %w", err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	var out []string
	for rows.Next() {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		if len(values) == 1 {
			out = append(out, plainValue(values[0]))
			continue
		}
		out = append(out, rowText(values))
	}
	return out, rows.Err()
}

// obscure reports whether a statement can touch tables that it does not name: a schema with triggers, views or foreign keys.
func (d *sqlDatabase) obscure() bool {
	if d.own {
		return true
	}
	if d.looked || d.err != nil {
		return d.hidden
	}
	query := "SELECT name FROM sqlite_master WHERE type IN ('trigger', 'view') OR sql LIKE '%REFERENCES%'"
	if d.dialect() == database.MySQL {
		query = "SELECT table_name FROM information_schema.views WHERE table_schema = DATABASE() UNION ALL SELECT trigger_name FROM information_schema.triggers WHERE trigger_schema = DATABASE()" +
			" UNION ALL SELECT constraint_name FROM information_schema.referential_constraints WHERE constraint_schema = DATABASE()"
	}
	names, err := d.column(query)
	d.looked, d.hidden = true, err != nil || len(names) > 0
	return d.hidden
}

// closePools ends the pools of an actor. What is in use is closed by whoever holds it, or with the actor's life.
func (a *Actor) closePools() {
	a.mu.Lock()
	pools := a.sql.wrapped
	if a.sql.db != nil {
		pools = append(pools, a.sql.db)
	}
	a.mu.Unlock()
	for _, db := range pools {
		db.Close()
	}
	a.dropSQL()
}

// dropSQL drops all connections of an actor, as the end of a process does; the server rolls back what is open on them.
func (a *Actor) dropSQL() {
	for _, c := range a.openSQL() {
		c.drop()
	}
}

// openSQL are the connections of an actor, in the order of being opened. The list is never changed in place.
func (a *Actor) openSQL() []*sqlConn {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.sql.conns
}
