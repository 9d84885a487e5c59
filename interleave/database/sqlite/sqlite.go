// Package sqlite is the throwaway SQLite of a world, in this process, without cgo. Importing it makes Actor.SQL work:
//
//	import _ "github.com/racebench/racebench/interleave/database/sqlite"
//
// The database is a file in the private folder of this process, with its rollback journal in memory and never synced, so
// that nothing waits for a disk. It is a file because a database of mode=memory lets nobody read while a transaction
// writes, and then no invariant could be judged in between.
package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	sqlite "modernc.org/sqlite"

	"github.com/racebench/racebench/interleave/backend"
	"github.com/racebench/racebench/interleave/database"
	"github.com/racebench/racebench/internal/rundir"
)

func init() {
	database.Register("sqlite", func(string, database.Config) (database.Server, error) { return Open() })
}

// server is the file of the present world.
type server struct {
	driver  sqlite.Driver
	folder  *rundir.Folder
	base    string // of the names of its files
	version string
	world   int
	conns   []driver.Conn
}

// Open makes an empty database. Close removes it.
func Open() (database.Server, error) {
	folder, err := rundir.Open()
	if err != nil {
		return nil, &backend.UnavailableError{Backend: "SQL sqlite", Err: err, Hint: "set TMPDIR to a folder that can be written"}
	}
	s := &server{folder: folder, base: folder.Next()}
	if s.version, err = s.ask("SELECT sqlite_version()"); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *server) Name() string              { return "sqlite" }
func (s *server) Version() string           { return s.version }
func (s *server) Dialect() database.Dialect { return database.SQLite }

// path is the file of the present world. Each world has a new one.
func (s *server) path() string {
	return filepath.Join(s.folder.Path, s.base+"-"+strconv.Itoa(s.world)+".db")
}

// Connect opens the file once more. A lock that is held is answered at once: the scheduler knows who waits.
func (s *server) Connect() (driver.Conn, error) {
	c, err := s.driver.Open("file:" + s.path() + "?_pragma=busy_timeout(0)&_pragma=journal_mode(MEMORY)&_pragma=synchronous(OFF)&_pragma=cache_spill(OFF)")
	if err != nil {
		return nil, fmt.Errorf("interleave: SQLite: %w", err)
	}
	s.conns = append(s.conns, c)
	return c, nil
}

func (s *server) ask(query string) (string, error) {
	c, err := s.Connect()
	if err != nil {
		return "", err
	}
	defer c.Close()
	q, ok := c.(driver.QueryerContext)
	if !ok {
		return "", errors.New("interleave: SQLite: a connection that can't query")
	}
	rows, err := q.QueryContext(context.Background(), query, nil)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	var dest [1]driver.Value
	if err := rows.Next(dest[:]); err != nil {
		return "", err
	}
	return fmt.Sprint(dest[0]), nil
}

// Reset begins a new file.
func (s *server) Reset() error {
	for _, c := range s.conns {
		c.Close() // a second time says nothing
	}
	s.conns = s.conns[:0]
	os.Remove(s.path())
	s.world++
	return nil
}

func (s *server) Close() error {
	err := s.Reset()
	return errors.Join(err, s.folder.Release())
}
