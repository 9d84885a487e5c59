// Package mariadb is the throwaway MariaDB or MySQL of a world: process, a mariadbd from PATH on a private socket and in a
// private data folder, and mysql://, a server that the user names, in a schema of our own that is dropped at the end.
// Importing it makes the option Database("process") and Database("mysql://…") work:
//
//	import _ "github.com/racebench/racebench/interleave/database/mariadb"
package mariadb

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"log"
	"slices"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/racebench/racebench/interleave/backend"
	"github.com/racebench/racebench/interleave/database"
)

// Server is a running server and one schema in it.
type Server struct {
	name    string
	schema  string
	version string
	connect driver.Connector // into the schema
	side    driver.Conn      // of the scheduler's own, in no schema
	end     func() error     // of what was started for it
	conns   []driver.Conn
	looked  time.Time // when the cached views were last read
}

// quiet is for a driver that logs what a lost connection means, which here is meant.
var quiet = log.New(io.Discard, "", 0)

// At uses a server that runs already: name is what it is called in results, cfg where it is, schema the name of a schema
// that is made anew, and end what Close calls after it has dropped it.
func At(name, schema string, cfg *mysql.Config, end func() error) (*Server, error) {
	s := &Server{name: name, schema: schema, end: end}
	err := s.open(cfg)
	if err != nil {
		return nil, errors.Join(&backend.UnavailableError{Backend: "SQL " + name, Err: err}, end())
	}
	return s, nil
}

func (s *Server) open(cfg *mysql.Config) error {
	cfg = cfg.Clone()
	cfg.Logger, cfg.DBName = quiet, ""
	outside, err := mysql.NewConnector(cfg)
	if err != nil {
		return err
	}
	cfg.DBName = s.schema
	// A statement waits for a lock as long as the one who holds it lives.
	cfg.Params = map[string]string{"innodb_lock_wait_timeout": "1000000", "lock_wait_timeout": "1000000"}
	if s.connect, err = mysql.NewConnector(cfg); err != nil {
		return err
	}
	if s.side, err = outside.Connect(context.Background()); err != nil {
		return err
	}
	rows, err := s.query("SELECT VERSION()")
	if err != nil {
		return err
	}
	s.version = rows[0][0]
	if s.name == urlName {
		if err := s.claim(); err != nil {
			return err
		}
	}
	return s.Reset()
}

// Name is the database's word: process, container or url.
func (s *Server) Name() string { return s.name }

// Version is what the server says.
func (s *Server) Version() string { return s.version }

// Dialect is that of MySQL.
func (s *Server) Dialect() database.Dialect { return database.MySQL }

// Connect makes a connection into the schema.
func (s *Server) Connect() (driver.Conn, error) {
	c, err := s.connect.Connect(context.Background())
	if err == nil {
		s.conns = append(s.conns, c)
	}
	return c, err
}

// Reset drops the schema and makes it anew, because a world function makes its tables itself and has to find none, and
// because rows that were deleted, and not yet purged, could still be locked; see docs/performance.md.
func (s *Server) Reset() error {
	for _, c := range s.conns {
		c.Close()
	}
	s.conns = s.conns[:0]
	for _, q := range []string{"DROP DATABASE IF EXISTS `" + s.schema + "`", "CREATE DATABASE `" + s.schema + "`"} {
		if err := s.exec(q); err != nil {
			return fmt.Errorf("interleave: SQL %s: %w", s.name, err)
		}
	}
	return nil
}

// Close drops the schema, and ends what was started.
func (s *Server) Close() error {
	for _, c := range s.conns {
		c.Close()
	}
	err := s.exec("DROP DATABASE IF EXISTS `" + s.schema + "`")
	return errors.Join(err, s.side.Close(), s.end())
}

// ID is the server's number of a connection.
func (s *Server) ID(c driver.Conn) int64 {
	rows, err := query(c, "SELECT CONNECTION_ID()")
	if err != nil {
		return 0
	}
	return number(rows[0][0])
}

// Kill ends a connection and waits until the server has rolled back what was open on it.
func (s *Server) Kill(id int64) error {
	const most = 10 * time.Second
	err := s.exec(fmt.Sprintf("KILL CONNECTION %d", id))
	var unknown *mysql.MySQLError
	if errors.As(err, &unknown) && unknown.Number == 1094 { // no such thread
		return nil
	}
	for waited := time.Duration(0); err == nil && waited < most; waited += time.Millisecond {
		rows, err := s.query(fmt.Sprintf("SELECT id FROM information_schema.processlist WHERE id = %d", id))
		if err != nil || len(rows) == 0 {
			return err
		}
		time.Sleep(time.Millisecond)
	}
	return err
}

// Waiting says whose statements wait for a lock. That they wait is what the monitor of InnoDB says of this moment, and the
// list of processes for locks of tables. Whom for is plain when there is only one other transaction; otherwise it is in a
// view that the server makes anew only when nobody has looked for 0.1 s.
func (s *Server) Waiting() (map[int64][]int64, error) {
	rows, err := s.query("SHOW ENGINE INNODB STATUS")
	if err != nil {
		return nil, err
	}
	waiting, active := monitor(rows[0][2])
	rows, err = s.query("SELECT id FROM information_schema.processlist WHERE state LIKE 'Waiting for % lock' OR state = 'User lock'")
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		if id := number(r[0]); !slices.Contains(waiting, id) {
			waiting = append(waiting, id)
		}
	}
	out := map[int64][]int64{}
	unsure := false
	for _, id := range waiting {
		out[id] = slices.DeleteFunc(slices.Clone(active), func(x int64) bool { return x == id })
		unsure = unsure || len(out[id]) > 1
	}
	if !unsure {
		return out, nil
	}
	return out, s.look(out)
}

// look replaces whom connections may wait for with whom they wait for.
func (s *Server) look(out map[int64][]int64) error {
	const stale = 110 * time.Millisecond
	time.Sleep(time.Until(s.looked.Add(stale)))
	from := "information_schema.innodb_lock_waits w JOIN information_schema.innodb_trx r ON r.trx_id = w.requesting_trx_id JOIN information_schema.innodb_trx b ON b.trx_id = w.blocking_trx_id"
	if !strings.Contains(s.version, "MariaDB") {
		from = "performance_schema.data_lock_waits w JOIN information_schema.innodb_trx r ON r.trx_id = w.requesting_engine_transaction_id JOIN information_schema.innodb_trx b ON b.trx_id = w.blocking_engine_transaction_id"
	}
	rows, err := s.query("SELECT DISTINCT r.trx_mysql_thread_id, b.trx_mysql_thread_id FROM " + from + " ORDER BY 1, 2")
	s.looked = time.Now()
	if err != nil {
		return err
	}
	known := map[int64][]int64{}
	for _, r := range rows {
		known[number(r[0])] = append(known[number(r[0])], number(r[1]))
	}
	for id := range out { // any order: each is replaced by itself
		if len(known[id]) > 0 {
			out[id] = known[id]
		}
	}
	return nil
}
