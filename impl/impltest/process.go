package impltest

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
)

// ErrDead is what a process gets from every call after its death.
var ErrDead = errors.New("the process is dead")

// Process is a simulated process: a client and a database of its own, which reach
// what all processes share and pass through Step before and after every command
// and statement. An error of Step comes back instead of the reply.
type Process struct {
	Redis *redis.Client
	DB    *sql.DB
	// Step is told what is sent: the command, or the first word of the statement.
	// After means that it was executed, and that nobody has seen the reply.
	Step func(what string, after bool) error
}

// Database is a SQLite database that many processes share.
type Database struct{ conn driver.Conn }

// OpenDatabase returns a new, empty database.
func OpenDatabase(t testing.TB) *Database {
	t.Helper()
	opener, err := sql.Open("sqlite", ":memory:")
	require.NoError(t, err)
	defer opener.Close()
	conn, err := opener.Driver().Open(":memory:")
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	return &Database{conn}
}

// NewProcess returns a process on the server of a client and on a database. It is
// not for use by several goroutines at a time.
func NewProcess(t testing.TB, server *redis.Client, db *Database) *Process {
	t.Helper()
	p := &Process{Step: func(string, bool) error { return nil }}
	from := server.Options()
	p.Redis = newClient(t, &redis.Options{Network: from.Network, Addr: from.Addr, Dialer: from.Dialer, ReadTimeout: from.ReadTimeout, MaxRetries: -1})
	p.Redis.AddHook(stepHook{p})
	p.DB = sql.OpenDB(connector{p, db})
	t.Cleanup(func() { p.DB.Close() })
	return p
}

// DieAt makes the process die at its nth step from now, before or after the
// command of that step. It reports whether it is dead by then.
func (p *Process) DieAt(n int) (dead func() bool) {
	step := 0
	p.Step = func(string, bool) error {
		if step++; step >= n {
			return ErrDead
		}
		return nil
	}
	return func() bool { return step >= n }
}

// Record notes what is sent from now on.
func (p *Process) Record() (sent func() []string) {
	var list []string
	p.Step = func(what string, after bool) error {
		if !after {
			list = append(list, what)
		}
		return nil
	}
	return func() []string {
		out := list
		list = nil
		return out
	}
}

type stepHook struct{ p *Process }

func (h stepHook) DialHook(next redis.DialHook) redis.DialHook { return next }
func (h stepHook) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}
func (h stepHook) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		name := strings.ToUpper(cmd.Name())
		if name == "HELLO" || name == "CLIENT" { // the handshake of a new connection
			return next(ctx, cmd)
		}
		err := h.p.Step(name, false)
		if err == nil {
			if err = next(ctx, cmd); err != nil {
				return err
			}
			err = h.p.Step(name, true)
		}
		if err != nil {
			cmd.SetErr(err)
		}
		return err
	}
}

type connector struct {
	p  *Process
	db *Database
}

func (c connector) Connect(context.Context) (driver.Conn, error) { return stepConn{c}, nil }
func (c connector) Driver() driver.Driver                        { return nil }

// stepConn is one more use of the one connection, which is the database.
type stepConn struct{ connector }

func (c stepConn) Close() error              { return nil }
func (c stepConn) Begin() (driver.Tx, error) { return nil, errors.New("no transactions here") }
func (c stepConn) Prepare(query string) (driver.Stmt, error) {
	return nil, errors.New("no prepared statements here")
}

func (c stepConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (result driver.Result, err error) {
	err = c.stepped(query, func() error {
		result, err = c.db.conn.(driver.ExecerContext).ExecContext(ctx, query, args)
		return err
	})
	return result, err
}

func (c stepConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (rows driver.Rows, err error) {
	err = c.stepped(query, func() error {
		rows, err = c.db.conn.(driver.QueryerContext).QueryContext(ctx, query, args)
		return err
	})
	return rows, err
}

func (c stepConn) stepped(query string, execute func() error) error {
	what := strings.Fields(query)[0]
	if err := c.p.Step(what, false); err != nil {
		return err
	}
	if err := execute(); err != nil {
		return err
	}
	return c.p.Step(what, true)
}
