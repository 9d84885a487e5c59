// Package database holds what the scheduler needs of a throwaway SQL database, and the registry of the ways to get one.
//
// A database registers itself when its package is imported: sqlite of interleave/database/sqlite, process and mysql:// of
// interleave/database/mariadb. They are packages of their own because a driver is a large thing to link for those who
// have no SQL.
//
// All calls come from goroutines outside of any synctest bubble, from one at a time except for the connections
// themselves: a statement that waits for a lock keeps its own connection busy.
package database

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/racebench/racebench/interleave/backend"
)

// Dialect says how a database locks, which the scheduler has to know.
type Dialect int

const (
	// Unknown is a database of which nothing is assumed: a statement of it must not wait for a lock.
	Unknown Dialect = iota
	// SQLite has one writer, which waits for every transaction that has read; it answers SQLITE_BUSY instead of waiting.
	SQLite
	// MySQL and MariaDB lock rows, find deadlocks, and show who waits: Server is a LockViewer.
	MySQL
)

// Server is one throwaway database, used by one world at a time and reset between worlds.
type Server interface {
	// Name is the database's word: sqlite, process, container or url.
	Name() string
	// Version is the version of the server or of the library.
	Version() string
	// Dialect says how it locks.
	Dialect() Dialect
	// Connect makes a connection. Closing it rolls back its open transaction, and that has happened when Close returns.
	Connect() (driver.Conn, error)
	// Reset empties the database and drops every connection opened since the last Reset.
	Reset() error
	// Close ends the database and removes all that it left: process, folder, container, schema.
	Close() error
}

// LockViewer is a Server whose statements wait for locks inside it.
type LockViewer interface {
	Server
	// ID is the server's number of a connection that Connect has made.
	ID(driver.Conn) int64
	// Waiting are the connections whose statements wait, each with those that it waits for, sorted. What waits for
	// something that the server does not tell, waits for nobody.
	Waiting() (map[int64][]int64, error)
	// Kill ends a connection although a statement of it may wait, and rolls back its transaction.
	Kill(id int64) error
}

// Config says how to open a database. The zero value is good for each.
type Config struct {
	// Image is the container image; empty means mysql:8.
	Image string
	// Binary is the mariadbd to start; empty means the one found on PATH.
	Binary string
}

// Opener starts a database. The spec is the text of the option Database: a name or a URL.
type Opener func(spec string, cfg Config) (Server, error)

var openers = map[string]Opener{}

// Register makes a database known by name ("sqlite") or by URL scheme ("mysql://"). It is meant for init functions.
func Register(name string, open Opener) {
	if _, twice := openers[name]; twice {
		panic("database: " + name + " is registered twice")
	}
	openers[name] = open
}

// Names lists the registered databases in order.
func Names() []string {
	names := make([]string, 0, len(openers))
	for n := range openers { // any order: sorted below
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// home is the package that registers a name.
var home = map[string]string{
	"sqlite": "sqlite", "process": "mariadb", "mysql://": "mariadb", "container": "container",
}

// ErrUnknown is what Open returns, wrapped, for a spec that names no database that there is.
var ErrUnknown = errors.New("unknown SQL database")

// Open starts the database that spec names; an empty spec is sqlite.
func Open(spec string, cfg Config) (Server, error) {
	name := spec
	if name == "" {
		name = "sqlite"
	}
	if i := strings.Index(spec, "://"); i >= 0 {
		name = spec[:i+3]
	}
	if open, ok := openers[name]; ok {
		return open(spec, cfg)
	}
	if at, ok := home[name]; ok {
		return nil, &backend.UnavailableError{Backend: "SQL " + name, Err: errors.New("its package is not imported"),
			Hint: fmt.Sprintf("import _ %q", "github.com/racebench/racebench/interleave/database/"+at)}
	}
	return nil, fmt.Errorf("%w %q (allowed: container, mysql://…, process, sqlite; have %s)", ErrUnknown, spec, strings.Join(Names(), ", "))
}
