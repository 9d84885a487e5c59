package interleave

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/racebench/racebench/interleave/wire"
)

// journal keeps what a server held after each write, for !failover. It costs a copy of the image for each, so a world
// has one only when its schedule asks.
type journal struct{ images []image }

// record adds what the server holds now, if it keeps a journal.
func (v *server) record() {
	j := v.history
	if j == nil {
		return
	}
	now := v.eng.image.of(v.name)
	if n := len(j.images); n > 0 && same(j.images[n-1], now) {
		return
	}
	j.images = append(j.images, now)
}

// expire is for a change that is no write: what has expired does not come back with another server.
func (v *server) expire(now time.Duration) {
	if v.history == nil {
		return
	}
	for _, img := range v.history.images {
		maps.DeleteFunc(img, func(_ dbKey, v *Entry) bool { return v.Expires >= 0 && v.Expires < now })
	}
}

func same(a, b image) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a { // any order: all must be the same
		if !v.equal(b[k]) {
			return false
		}
	}
	return true
}

// serverFault makes a fault of a server happen.
func (e *engine) serverFault(c choice) error {
	diverged := func(expected, found string) error {
		return &DivergedError{Step: len(e.trace.Steps) + 1, Token: c.token, Index: c.index, Expected: expected, Found: found}
	}
	v := e.server(c.server)
	switch {
	case v == nil:
		return diverged("a server "+c.server, "only "+serverNames(e.inPlay()))
	case !slices.Contains(e.inPlay(), v):
		return diverged("a server without a name", fmt.Sprintf("only %s, to be named with @", serverNames(e.inPlay())))
	}
	s := Step{Kind: StepServer, Server: v.name, forced: c.forced, foot: footprint{all: true}}
	var err error
	switch c.kind {
	case chooseRestart:
		s.Fault = "restart"
		err = v.restart(image{})
		if err == nil {
			err = v.must(0, "SCRIPT", "FLUSH")
		}
	case chooseFailover:
		s.Fault = fmt.Sprintf("failover(%d)", c.n)
		have := len(v.history.images) - 1
		if have < c.n {
			return diverged(fmt.Sprintf("%d writes to lose", c.n), fmt.Sprintf("%d so far", have))
		}
		v.history.images = v.history.images[:have+1-c.n]
		err = v.restart(v.history.images[have-c.n])
	case chooseFlushScripts:
		s.Fault = "flushscripts"
		err = v.must(0, "SCRIPT", "FLUSH")
	case chooseEvict:
		k := dbKey{v.name, 0, c.key}
		s.Fault, s.Keys = "evict", []string{k.String()}
		if e.image[k] == nil {
			return diverged("a key "+wire.Quote(c.key)+" to evict", "no such key")
		}
		err = v.must(0, "DEL", c.key)
	}
	if err != nil {
		return err
	}
	e.version++
	changes, err := v.rescan()
	if err != nil {
		return err
	}
	s.Changes, s.Wrote = changes, true
	switch c.kind {
	case chooseRestart:
		if v.history != nil {
			v.history.images = nil // nothing that was before can come back
		}
		v.record()
	case chooseEvict:
		v.record()
	}
	e.step(s)
	return e.poll(true)
}

// restart brings the server to the given contents and drops every connection to it, as when a process that kept nothing,
// or a replica that lagged behind, takes over.
func (v *server) restart(to image) error {
	e := v.eng
	for _, a := range e.actors {
		a.gone = slices.DeleteFunc(a.gone, func(s *session) bool {
			if s.on == v {
				s.close()
			}
			return s.on == v
		})
		for _, s := range a.sessions {
			if s.on == v && !s.closed {
				e.breakConn(s, errEOF)
				s.close()
			}
		}
	}
	now := e.image.of(v.name)
	for _, k := range now.sorted() {
		if to[k].equal(now[k]) {
			continue
		}
		if err := v.must(k.db, "DEL", k.key); err != nil {
			return err
		}
	}
	for _, k := range to.sorted() {
		if to[k].equal(now[k]) {
			continue
		}
		if err := v.restore(k, to[k]); err != nil {
			return err
		}
	}
	return nil
}

// restore writes an entry back.
func (v *server) restore(k dbKey, entry *Entry) error {
	var cmds [][]string
	switch entry.Type {
	case "string":
		cmds = append(cmds, []string{"SET", k.key, entry.Text()})
	case "hash":
		cmds = append(cmds, append([]string{"HSET", k.key}, entry.Items...))
	case "list":
		cmds = append(cmds, append([]string{"RPUSH", k.key}, entry.Items...))
	case "set":
		cmds = append(cmds, append([]string{"SADD", k.key}, entry.Items...))
	case "zset":
		args := []string{"ZADD", k.key}
		for i := 0; i+1 < len(entry.Items); i += 2 {
			args = append(args, entry.Items[i+1], entry.Items[i])
		}
		cmds = append(cmds, args)
	default:
		return fmt.Errorf("interleave: !failover can't bring back %s: a %s may have consumer groups, which are not kept", k, entry.Type)
	}
	if entry.Expires >= 0 {
		at := v.eng.start.Add(entry.Expires).UnixMilli()
		cmds = append(cmds, []string{"PEXPIREAT", k.key, strconv.FormatInt(at, 10)})
	}
	for _, args := range cmds {
		if err := v.must(k.db, args...); err != nil {
			return err
		}
	}
	return nil
}
