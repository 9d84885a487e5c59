package interleave

import (
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/racebench/racebench/interleave/wire"
)

// journal keeps what the server held after each write, for !failover. It costs a copy of the image for each, so a world
// has one only when its schedule asks.
type journal struct{ images []image }

func (j *journal) record(e *engine) {
	if n := len(j.images); n > 0 && same(j.images[n-1], e.image) {
		return
	}
	j.images = append(j.images, merge(e.image, nil))
}

// expire is for a change that is no write: what has expired does not come back with another server.
func (j *journal) expire(now time.Duration) {
	for _, img := range j.images {
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

// serverFault makes a fault of the server happen.
func (e *engine) serverFault(c choice) error {
	s := Step{Kind: StepServer, forced: c.forced, foot: footprint{all: true}}
	var err error
	switch c.kind {
	case chooseRestart:
		s.Fault = "restart"
		err = e.restart(image{})
		if err == nil {
			err = e.must(0, "SCRIPT", "FLUSH")
		}
	case chooseFailover:
		s.Fault = fmt.Sprintf("failover(%d)", c.n)
		have := len(e.history.images) - 1
		if have < c.n {
			return &DivergedError{Step: len(e.trace.Steps) + 1, Token: c.token, Index: c.index, Expected: fmt.Sprintf("%d writes to lose", c.n), Found: fmt.Sprintf("%d so far", have)}
		}
		e.history.images = e.history.images[:have+1-c.n]
		err = e.restart(e.history.images[have-c.n])
	case chooseFlushScripts:
		s.Fault = "flushscripts"
		err = e.must(0, "SCRIPT", "FLUSH")
	case chooseEvict:
		s.Fault, s.Keys = "evict", []string{c.key}
		if e.image[dbKey{0, c.key}] == nil {
			return &DivergedError{Step: len(e.trace.Steps) + 1, Token: c.token, Index: c.index, Expected: "a key " + wire.Quote(c.key) + " to evict", Found: "no such key"}
		}
		err = e.must(0, "DEL", c.key)
	}
	if err != nil {
		return err
	}
	e.version++
	changes, err := e.rescan()
	if err != nil {
		return err
	}
	s.Changes, s.Wrote = changes, true
	if e.history != nil {
		switch c.kind {
		case chooseRestart:
			e.history.images = nil // nothing that was before can come back
			e.history.record(e)
		case chooseEvict:
			e.history.record(e)
		}
	}
	e.step(s)
	return e.poll(true)
}

// restart brings the server to the given contents and drops every connection, as when a process that kept nothing, or
// a replica that lagged behind, takes over.
func (e *engine) restart(to image) error {
	for _, a := range e.actors {
		for _, s := range a.gone {
			s.close()
		}
		a.gone = nil
		for _, s := range a.sessions {
			if !s.closed {
				e.breakConn(s, errEOF)
				s.close()
			}
		}
	}
	for _, k := range e.image.sorted() {
		if to[k].equal(e.image[k]) {
			continue
		}
		if err := e.must(k.db, "DEL", k.key); err != nil {
			return err
		}
	}
	for _, k := range to.sorted() {
		if to[k].equal(e.image[k]) {
			continue
		}
		if err := e.restore(k, to[k]); err != nil {
			return err
		}
	}
	return nil
}

// restore writes an entry back.
func (e *engine) restore(k dbKey, v *Entry) error {
	var cmds [][]string
	switch v.Type {
	case "string":
		cmds = append(cmds, []string{"SET", k.key, v.Text()})
	case "hash":
		cmds = append(cmds, append([]string{"HSET", k.key}, v.Items...))
	case "list":
		cmds = append(cmds, append([]string{"RPUSH", k.key}, v.Items...))
	case "set":
		cmds = append(cmds, append([]string{"SADD", k.key}, v.Items...))
	case "zset":
		args := []string{"ZADD", k.key}
		for i := 0; i+1 < len(v.Items); i += 2 {
			args = append(args, v.Items[i+1], v.Items[i])
		}
		cmds = append(cmds, args)
	default:
		return fmt.Errorf("interleave: !failover can't bring back %s: a %s may have consumer groups, which are not kept", k, v.Type)
	}
	if v.Expires >= 0 {
		at := e.start.Add(v.Expires).UnixMilli()
		cmds = append(cmds, []string{"PEXPIREAT", k.key, strconv.FormatInt(at, 10)})
	}
	for _, args := range cmds {
		if err := e.must(k.db, args...); err != nil {
			return err
		}
	}
	return nil
}

// must executes a command of the scheduler's own that has no reason to fail.
func (e *engine) must(db int, args ...string) error {
	v, err := e.ask(db, args...)
	if err == nil && v.IsErr() {
		err = fmt.Errorf("interleave: the server refuses %s: %s", strings.Join(args, " "), v)
	}
	return err
}
