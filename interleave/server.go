package interleave

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/racebench/racebench/interleave/backend"
	"github.com/racebench/racebench/interleave/schedule"
	"github.com/racebench/racebench/interleave/wire"
)

// server is one of the Redis servers of a world: its data, connections, scripts and faults are its own, the clock is the
// world's. Every world has one without a name; World.Servers adds others.
type server struct {
	backend.Server
	eng   *engine
	name  string // empty for the one that every world has
	used  bool   // somebody has connected to it
	clock time.Time
	sides map[sideKey]backend.Conn

	scripted bool          // a script has run, which may have changed keys that it did not declare
	history  *journal      // not nil when a schedule may say !failover
	direct   *redis.Client // of World.Redis and World.RedisOn
}

// sideKey names one of the scheduler's own connections to a server.
type sideKey struct{ proto, db int }

func (e *engine) newServer(name string, s backend.Server) *server {
	v := &server{Server: s, eng: e, name: name, clock: e.start, sides: map[sideKey]backend.Conn{}}
	if e.journals {
		v.history = &journal{}
	}
	return v
}

// server is the server of that name, or nil.
func (e *engine) server(name string) *server {
	if name == "" {
		return e.servers[0]
	}
	for _, v := range e.servers[1:] {
		if v.name == name {
			return v
		}
	}
	return nil
}

// addServer gives the world one more server. The one without a name stays first, the others are in order of name.
func (e *engine) addServer(name string) error {
	if err := schedule.CheckServer(name); err != nil {
		return fmt.Errorf("interleave: %w", err)
	}
	if e.server(name) != nil {
		return fmt.Errorf("interleave: two servers are named %s", name)
	}
	s, err := e.another(len(e.servers) - 1)
	if err != nil {
		return err
	}
	if err := s.Reset(e.start); err != nil {
		return err
	}
	e.servers = append(e.servers, e.newServer(name, s))
	slices.SortStableFunc(e.servers, func(a, b *server) int { return cmp.Compare(a.name, b.name) })
	return nil
}

// inPlay are the servers that a step can concern, in the fixed order: not the one without a name when nobody uses it
// beside others.
func (e *engine) inPlay() []*server {
	if len(e.servers) > 1 && !e.servers[0].used {
		return e.servers[1:]
	}
	return e.servers
}

// serverNames are the names of servers, for messages.
func serverNames(list []*server) string {
	var names []string
	for _, v := range list {
		names = append(names, cmp.Or(v.name, "the one without a name"))
	}
	return strings.Join(names, ", ")
}

// side is a connection of the scheduler's own, on the given protocol and database.
func (v *server) side(proto, db int) (backend.Conn, error) {
	k := sideKey{proto, db}
	if c := v.sides[k]; c != nil {
		return c, nil
	}
	c, err := v.Open()
	if err != nil {
		return nil, err
	}
	var setup [][]string
	if proto == 3 {
		setup = append(setup, []string{"HELLO", "3"})
	}
	if db != 0 {
		setup = append(setup, []string{"SELECT", strconv.Itoa(db)})
	}
	for _, args := range setup {
		raw, err := c.Do(args)
		if err != nil {
			return nil, err
		}
		if raw[0] == '-' {
			return nil, fmt.Errorf("interleave: the server refuses %s: %s", strings.Join(args, " "), raw)
		}
	}
	v.sides[k] = c
	return c, nil
}

// databases are the numbers of the databases that somebody has selected.
func (v *server) databases() []int {
	dbs := []int{0}
	for k := range v.sides { // any order: sorted below
		dbs = append(dbs, k.db)
	}
	for _, s := range v.eng.sessions {
		if s.on == v {
			dbs = append(dbs, s.db)
		}
	}
	for k := range v.eng.image { // any order: sorted below
		if k.server == v.name {
			dbs = append(dbs, k.db)
		}
	}
	slices.Sort(dbs)
	return slices.Compact(dbs)
}

// syncClock gives the server the world's time.
func (v *server) syncClock() error {
	if now := time.Now(); !now.Equal(v.clock) {
		v.clock = now
		return v.SetClock(now)
	}
	return nil
}

// ask executes a command on a connection of the scheduler's own and returns the reply as RESP2.
func (v *server) ask(db int, args ...string) (wire.Value, error) {
	if err := v.syncClock(); err != nil {
		return wire.Value{}, err
	}
	c, err := v.side(2, db)
	if err != nil {
		return wire.Value{}, err
	}
	raw, err := c.Do(args)
	if err != nil {
		return wire.Value{}, err
	}
	value, _, err := wire.Parse(raw)
	return value, err
}

// askAll is ask for several commands that only read, in one round trip where the backend can.
func (v *server) askAll(db int, cmds [][]string) ([]wire.Value, error) {
	values := make([]wire.Value, len(cmds))
	c, err := v.side(2, db)
	if err != nil {
		return nil, err
	}
	if b, ok := c.(backend.Batcher); ok && len(cmds) > 1 {
		if err := v.syncClock(); err != nil {
			return nil, err
		}
		raw, ok, err := b.DoAll(cmds)
		if err != nil {
			return nil, err
		}
		if ok {
			for i := range raw {
				if values[i], _, err = wire.Parse(raw[i]); err != nil {
					return nil, err
				}
			}
			return values, nil
		}
	}
	for i, args := range cmds {
		if values[i], err = v.ask(db, args...); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// must executes a command of the scheduler's own that has no reason to fail.
func (v *server) must(db int, args ...string) error {
	reply, err := v.ask(db, args...)
	if err == nil && reply.IsErr() {
		err = fmt.Errorf("interleave: the server refuses %s: %s", strings.Join(args, " "), reply)
	}
	return err
}

// directly is a client that does not pass the gate.
func (v *server) directly() *redis.Client {
	if v.direct == nil {
		v.direct = redis.NewClient(clientOptions(v.name, func(context.Context, string, string) (net.Conn, error) {
			return newDirectConn(v), nil
		}))
	}
	return v.direct
}

// close ends what the scheduler has opened to the server.
func (v *server) close() {
	if v.direct != nil {
		v.direct.Close()
	}
	for _, c := range v.sides { // any order: each is closed
		c.Close()
	}
}
