package interleave

import (
	"context"
	"database/sql/driver"
	"errors"
	"slices"
	"sync/atomic"

	"github.com/racebench/racebench/interleave/database"
)

// This file is the wrapping driver: what database/sql of an actor talks to. It brings each statement to the gate and has it
// run on the real connection outside of the bubble. A middleware for drivers would run it on the goroutine that asks.

// sqlConnector makes connections for an actor, or for nobody: those do not pass the gate.
type sqlConnector struct {
	actor   *Actor
	on      *sqlDatabase
	connect driver.Connector // of the program's own database; nil for the world's
}

// Connect opens a connection. It is no step.
func (c *sqlConnector) Connect(ctx context.Context) (driver.Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if c.on.err != nil {
		return nil, c.on.err
	}
	if c.actor != nil && c.actor.life.Load() != alive {
		return nil, c.actor.contact()
	}
	conn := &sqlConn{actor: c.actor, on: c.on}
	var err error
	h := c.on.eng.sqlHost
	h.do(func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if c.connect != nil {
			conn.real, err = c.connect.Connect(context.WithoutCancel(ctx))
			return
		}
		if conn.real, err = c.on.server.Connect(); err != nil {
			return
		}
		if l, ok := c.on.server.(database.LockViewer); ok {
			conn.serverID = l.ID(conn.real)
		}
	})
	if err != nil {
		return nil, err
	}
	if a := c.actor; a != nil {
		a.mu.Lock()
		a.sql.opened++
		conn.id = a.sql.opened
		a.sql.conns = append(slices.Clip(a.sql.conns), conn)
		a.mu.Unlock()
	}
	return conn, nil
}

// Driver is asked for by database/sql alone.
func (c *sqlConnector) Driver() driver.Driver { return sqlDriver{c} }

type sqlDriver struct{ c *sqlConnector }

func (d sqlDriver) Open(string) (driver.Conn, error) { return d.c.Connect(context.Background()) }

// sqlConn is one connection of an actor's pool.
type sqlConn struct {
	actor    *Actor
	on       *sqlDatabase
	real     driver.Conn
	id       int   // of the actor's connections, from 1
	serverID int64 // what a LockViewer calls it
	broken   atomic.Bool
	dropped  atomic.Bool

	realTx driver.Tx // of BeginTx

	// What the scheduler knows of its open transaction.
	tx       bool
	looked   bool // it has read
	reserved bool // it has written, or has said that it will
	alone    bool // it has said that nobody may read
	touched  footprint
}

// sent is a statement on its way: what to run and what came of it.
type sent struct {
	*sqlText
	conn   *sqlConn
	args   []driver.NamedValue
	run    func() // outside, on the real connection
	gone   atomic.Bool
	flight flight // it is in the server
	behind string // who holds what it waits for there, for a reader

	err    error
	result driver.Result
	rows   *sqlResult
}

// say brings a statement to the gate and waits until it has been performed.
func (c *sqlConn) say(ctx context.Context, q *sqlText, args []driver.NamedValue, run func(s *sent)) (*sent, error) {
	if c.broken.Load() {
		return nil, driver.ErrBadConn
	}
	s := &sent{sqlText: q, conn: c, args: args}
	s.run = func() { run(s) }
	if c.actor == nil {
		c.on.eng.sqlHost.do(s.run)
		return s, s.err
	}
	a := c.actor
	o := &op{kind: sqlStatement{}, actor: a, sql: s, name: q.verb, args: append([]string{q.text}, argTexts(args)...), names: q.tables(), caller: callerSite()}
	if o.names == nil {
		o.names = []string{}
	}
	o.wake = make(chan struct{})
	a.mu.Lock()
	if a.life.Load() == alive {
		a.called = append(a.called, o)
	} else {
		close(o.wake)
	}
	a.mu.Unlock()
	a.world.ring()
	// What the server is still at may write its result later: without the wake, nothing of s is to be touched.
	var err error
	select {
	case <-o.wake:
	case <-ctx.Done():
		s.gone.Store(true) // what a driver does then is to close the connection
		c.broken.Store(true)
		err = ctx.Err()
	}
	if a.life.Load() != alive {
		if err := a.contact(); err != nil {
			return nil, driver.ErrBadConn
		}
	}
	if err != nil {
		return nil, err
	}
	return s, s.err
}

// drop closes the real connection; an open transaction on it is rolled back. It may be called twice.
func (c *sqlConn) drop() {
	c.broken.Store(true)
	if !c.dropped.CompareAndSwap(false, true) {
		return
	}
	if a := c.actor; a != nil {
		a.mu.Lock()
		a.sql.conns = slices.DeleteFunc(slices.Clone(a.sql.conns), func(x *sqlConn) bool { return x == c })
		a.mu.Unlock()
	}
	h := c.on.eng.sqlHost
	busy := slices.IndexFunc(c.on.flying, func(o *op) bool { return o.sql.conn == c })
	h.do(func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if l, ok := c.on.server.(database.LockViewer); ok && busy >= 0 {
			_ = l.Kill(c.serverID) // if it is gone already, so much the better
			<-c.on.flying[busy].sql.flight
		}
		c.real.Close()
	})
}

// Close is what database/sql calls for a connection that it does not keep.
func (c *sqlConn) Close() error {
	c.drop()
	if c.actor != nil {
		c.actor.world.ring() // somebody may have waited for it
	}
	return nil
}

// IsValid lets the pool throw away a connection that was lost.
func (c *sqlConn) IsValid() bool { return !c.broken.Load() }

// ResetSession is called when the pool hands the connection out again.
func (c *sqlConn) ResetSession(context.Context) error {
	if c.broken.Load() {
		return driver.ErrBadConn
	}
	return nil
}

// Ping is no step, as PING of Redis is none.
func (c *sqlConn) Ping(ctx context.Context) error { return c.ResetSession(ctx) }

// CheckNamedValue converts an argument as the real driver does.
func (c *sqlConn) CheckNamedValue(v *driver.NamedValue) error {
	if k, ok := c.real.(driver.NamedValueChecker); ok {
		return k.CheckNamedValue(v)
	}
	return driver.ErrSkip
}

// Begin is BeginTx with nothing asked for.
func (c *sqlConn) Begin() (driver.Tx, error) {
	return c.BeginTx(context.Background(), driver.TxOptions{})
}

// BeginTx is a step: BEGIN.
func (c *sqlConn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	text := "BEGIN"
	if opts.ReadOnly {
		text += " READ ONLY"
	}
	_, err := c.say(ctx, &sqlText{text: text, verb: "BEGIN", known: true, lock: "DEFERRED"}, nil, func(s *sent) {
		if b, ok := c.real.(driver.ConnBeginTx); ok {
			c.realTx, s.err = b.BeginTx(context.WithoutCancel(ctx), opts)
		} else {
			//lint:ignore SA1019 of a driver that has no other
			c.realTx, s.err = c.real.Begin()
		}
	})
	if err != nil {
		return nil, err
	}
	return sqlTx{c}, nil
}

type sqlTx struct{ c *sqlConn }

// Commit is a step.
func (t sqlTx) Commit() error {
	_, err := t.c.say(context.Background(), &sqlText{text: "COMMIT", verb: "COMMIT", known: true}, nil, func(s *sent) { s.err = t.c.realTx.Commit() })
	return err
}

// Rollback is a step.
func (t sqlTx) Rollback() error {
	_, err := t.c.say(context.Background(), &sqlText{text: "ROLLBACK", verb: "ROLLBACK", known: true}, nil, func(s *sent) { s.err = t.c.realTx.Rollback() })
	return err
}

// ExecContext is a step.
func (c *sqlConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	s, err := c.say(ctx, parseSQL(query), args, func(s *sent) { s.result, s.err = realExec(context.WithoutCancel(ctx), c.real, query, args) })
	if err != nil {
		return nil, err
	}
	return s.result, nil
}

// QueryContext is a step, with all its rows.
func (c *sqlConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	s, err := c.say(ctx, parseSQL(query), args, func(s *sent) {
		s.rows = &sqlResult{}
		s.err = realQuery(context.WithoutCancel(ctx), c.real, query, args, s.rows.fill)
	})
	if err != nil {
		return nil, err
	}
	return &sqlRowsReader{of: s.rows}, nil
}

// Prepare is no step; what is prepared is one when it is executed.
func (c *sqlConn) Prepare(query string) (driver.Stmt, error) { return sqlStmt{c, query}, nil }

type sqlStmt struct {
	c     *sqlConn
	query string
}

func (st sqlStmt) Close() error  { return nil }
func (st sqlStmt) NumInput() int { return -1 }

func (st sqlStmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	return st.c.ExecContext(ctx, st.query, args)
}

func (st sqlStmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	return st.c.QueryContext(ctx, st.query, args)
}

func (st sqlStmt) Exec([]driver.Value) (driver.Result, error) {
	return nil, errors.New("interleave: Exec without a context")
}

func (st sqlStmt) Query([]driver.Value) (driver.Rows, error) {
	return nil, errors.New("interleave: Query without a context")
}

// realExec executes on a real connection, in whichever way its driver has.
func realExec(ctx context.Context, c driver.Conn, query string, args []driver.NamedValue) (driver.Result, error) {
	if x, ok := c.(driver.ExecerContext); ok {
		if res, err := x.ExecContext(ctx, query, args); !errors.Is(err, driver.ErrSkip) {
			return res, err
		}
	}
	st, err := realPrepare(ctx, c, query)
	if err != nil {
		return nil, err
	}
	defer st.Close()
	if x, ok := st.(driver.StmtExecContext); ok {
		return x.ExecContext(ctx, args)
	}
	//lint:ignore SA1019 of a driver that has no other
	return st.Exec(plainValues(args))
}

// realQuery queries on a real connection, and has all rows read.
func realQuery(ctx context.Context, c driver.Conn, query string, args []driver.NamedValue, read func(driver.Rows) error) error {
	if x, ok := c.(driver.QueryerContext); ok {
		if rows, err := x.QueryContext(ctx, query, args); err == nil {
			return read(rows)
		} else if !errors.Is(err, driver.ErrSkip) {
			return err
		}
	}
	st, err := realPrepare(ctx, c, query)
	if err != nil {
		return err
	}
	defer st.Close()
	var rows driver.Rows
	if x, ok := st.(driver.StmtQueryContext); ok {
		rows, err = x.QueryContext(ctx, args)
	} else {
		//lint:ignore SA1019 of a driver that has no other
		rows, err = st.Query(plainValues(args))
	}
	if err != nil {
		return err
	}
	return read(rows)
}

func realPrepare(ctx context.Context, c driver.Conn, query string) (driver.Stmt, error) {
	if x, ok := c.(driver.ConnPrepareContext); ok {
		return x.PrepareContext(ctx, query)
	}
	return c.Prepare(query)
}

func plainValues(args []driver.NamedValue) []driver.Value {
	out := make([]driver.Value, len(args))
	for i, a := range args {
		out[i] = a.Value
	}
	return out
}
