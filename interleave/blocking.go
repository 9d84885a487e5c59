package interleave

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/racebench/racebench/interleave/wire"
)

// blocking is a command that would wait on the server. It is modelled: while there is nothing for it, its operation is
// not enabled; it becomes enabled when there is, in the order in which the commands came, or when its timeout has passed
// on the virtual clock.
type blocking struct {
	kind     blockKind
	keys     []string      // what it waits for
	timeout  time.Duration // 0: for ever
	now      []string      // the same command in a form that does not wait
	deadline time.Time     // zero: none; set when the operation reaches the head of its connection

	probed int    // version of the data that ready was found on; -1 before the first probe
	ready  bool   // there is something for it
	source string // the key it would pop from, when ready
}

type blockKind int

const (
	blockPop   blockKind = iota // lists and sorted sets: ready when a key exists
	blockRead                   // XREAD: ready when a read finds entries
	blockGroup                  // XREADGROUP with >: ready when the group has something new
	blockWait                   // WAIT, WAITAOF: a world has no replicas, so only the timeout ends it
)

// parseBlocking returns nil for a command that does not wait, and for one that the server will refuse anyway.
func parseBlocking(args []string) *blocking {
	n := len(args)
	name := strings.ToUpper(args[0])
	switch name {
	case "BLPOP", "BRPOP", "BZPOPMIN", "BZPOPMAX":
		if n < 3 {
			return nil
		}
		return popBlocking(args, args[1:n-1], args[n-1])
	case "BRPOPLPUSH":
		if n != 4 {
			return nil
		}
		return popBlocking(args, args[1:2], args[3])
	case "BLMOVE":
		if n != 6 {
			return nil
		}
		return popBlocking(args, args[1:2], args[5])
	case "BLMPOP", "BZMPOP":
		if n < 5 {
			return nil
		}
		keys, err := strconv.Atoi(args[2])
		if err != nil || keys < 1 || 3+keys > n {
			return nil
		}
		return popBlocking(args, args[3:3+keys], args[1])
	case "XREAD", "XREADGROUP":
		return readBlocking(name, args)
	case "WAIT", "WAITAOF":
		return waitBlocking(name, args)
	}
	return nil
}

// pops is the type of key that the command pops from; it goes on waiting beside another.
func (b *blocking) pops() string {
	if strings.HasPrefix(strings.ToUpper(b.now[0]), "BZ") {
		return "zset"
	}
	return "list"
}

func popBlocking(args, keys []string, timeout string) *blocking {
	seconds, err := strconv.ParseFloat(timeout, 64)
	if err != nil || seconds < 0 || seconds > math.MaxInt64/float64(time.Second) {
		return nil
	}
	return &blocking{probed: -1, kind: blockPop, keys: keys, timeout: time.Duration(seconds * float64(time.Second)), now: args}
}

func readBlocking(name string, args []string) *blocking {
	b := &blocking{probed: -1, kind: blockRead}
	streams, block := -1, false
	for i := 1; i < len(args); i++ {
		switch {
		case strings.EqualFold(args[i], "BLOCK") && i+1 < len(args):
			ms, err := strconv.ParseInt(args[i+1], 10, 64)
			if err != nil || ms < 0 || ms > math.MaxInt64/int64(time.Millisecond) {
				return nil
			}
			b.timeout, block = time.Duration(ms)*time.Millisecond, true
			b.now = append(append([]string(nil), args[:i]...), args[i+2:]...)
			i++
		case strings.EqualFold(args[i], "GROUP"):
			i += 2
		case strings.EqualFold(args[i], "STREAMS"):
			streams = i + 1
		}
		if streams > 0 {
			break
		}
	}
	if !block || streams < 0 || (len(args)-streams)%2 != 0 {
		return nil
	}
	half := (len(args) - streams) / 2
	b.keys = args[streams : streams+half]
	if name == "XREADGROUP" {
		b.kind = blockGroup
		for _, id := range args[streams+half:] {
			if id != ">" {
				return nil // a history read never waits
			}
		}
	}
	return b
}

func waitBlocking(name string, args []string) *blocking {
	want := map[string]int{"WAIT": 3, "WAITAOF": 4}[name]
	if len(args) != want {
		return nil
	}
	replicas, err1 := strconv.Atoi(args[want-2])
	ms, err2 := strconv.ParseInt(args[want-1], 10, 64)
	if err1 != nil || err2 != nil || replicas <= 0 || ms < 0 {
		return nil
	}
	return &blocking{kind: blockWait, timeout: time.Duration(ms) * time.Millisecond, now: args}
}

// settleBlocking fixes what depends on the moment of arrival: the deadline, and "$" of XREAD.
func (e *engine) settleBlocking(o *op) error {
	b := o.block
	if b.timeout > 0 {
		b.deadline = time.Now().Add(b.timeout)
	}
	if b.kind != blockRead {
		return nil
	}
	for i := range b.keys {
		at := len(b.now) - len(b.keys) + i
		if b.now[at] != "$" {
			continue
		}
		// The last entry that is there serves as well as the last that ever was: what comes later is after both.
		v, err := o.s.on.ask(o.s.db, "XREVRANGE", b.keys[i], "+", "-", "COUNT", "1")
		if err != nil {
			return err
		}
		b.now = append([]string(nil), b.now...)
		b.now[at] = "0-0"
		if v.Kind == wire.Array && len(v.Elems) == 1 {
			b.now[at] = v.Elems[0].Elems[0].Str
		}
	}
	return nil
}

// enabled reports whether o can be executed now.
func (e *engine) enabled(o *op) (bool, error) {
	b := o.block
	if b == nil {
		later, err := e.afterWaiters(o)
		return !later && err == nil, err
	}
	if !b.deadline.IsZero() && !time.Now().Before(b.deadline) {
		return true, nil
	}
	if b.kind == blockWait {
		return false, nil
	}
	if b.probed != e.version {
		b.probed = e.version
		var err error
		if b.ready, err = e.probe(o); err != nil {
			return false, err
		}
	}
	return b.ready && !e.overtakes(o), nil
}

// probe finds, without taking anything, whether there is something for o.
func (e *engine) probe(o *op) (bool, error) {
	b := o.block
	switch b.kind {
	case blockPop:
		for _, k := range b.keys {
			v, err := o.s.on.ask(o.s.db, "TYPE", k)
			if err != nil {
				return false, err
			}
			if v.Str == b.pops() || v.Str != "none" && o.at.Equal(time.Now()) { // a command just come is refused for a wrong type
				b.source = k
				return true, nil
			}
		}
		return false, nil
	case blockRead:
		v, err := o.s.on.ask(o.s.db, b.now...)
		return v.Kind != wire.Null, err
	}
	return e.probeGroup(o)
}

func (e *engine) probeGroup(o *op) (bool, error) {
	group := ""
	for i, a := range o.args {
		if strings.EqualFold(a, "GROUP") && i+1 < len(o.args) {
			group = o.args[i+1]
			break
		}
	}
	for _, k := range o.block.keys {
		v, err := o.s.on.ask(o.s.db, "XINFO", "GROUPS", k)
		if err != nil {
			return false, err
		}
		last := ""
		for _, g := range v.Elems {
			f := fields(g)
			if f["name"].Text() == group {
				last = f["last-delivered-id"].Text()
			}
		}
		if last == "" {
			return true, nil // no such stream or group: the server says so
		}
		v, err = o.s.on.ask(o.s.db, "XRANGE", k, "("+last, "+", "COUNT", "1")
		if err != nil {
			return false, err
		}
		if len(v.Elems) > 0 {
			return true, nil
		}
	}
	return false, nil
}

// fields reads a flat array of names and values as a map.
func fields(v wire.Value) map[string]wire.Value {
	m := make(map[string]wire.Value, len(v.Elems)/2)
	for i := 0; i+1 < len(v.Elems); i += 2 {
		m[v.Elems[i].Text()] = v.Elems[i+1]
	}
	return m
}

// overtakes reports whether an earlier command waits for the key that o would pop from. Those that came at the same
// instant may have reached the server in any order; but what came before the clock last moved has been waiting there, and
// the server serves first come, first served.
func (e *engine) overtakes(o *op) bool {
	return slices.ContainsFunc(e.due, func(w *op) bool { return w.at.Before(o.at) && w.waitsFor(dbKey{o.s.on.name, o.s.db, o.block.source}) })
}

// dueWaiters are the waiting pops that came before the clock last moved.
func (e *engine) dueWaiters() []*op {
	var due []*op
	for _, s := range e.sessions {
		if !s.closed && len(s.ops) > 0 && s.ops[0].block != nil && s.ops[0].block.kind == blockPop && s.ops[0].at.Before(time.Now()) {
			due = append(due, s.ops[0])
		}
	}
	return due
}

func (o *op) waitsFor(k dbKey) bool {
	return o.s.db == k.db && o.s.on.name == k.server && slices.Contains(o.block.keys, k.key)
}

// afterWaiters reports whether o has to wait because the server serves a waiting command first.
func (e *engine) afterWaiters(o *op) (bool, error) {
	for _, w := range e.due {
		if w.s == o.s {
			continue
		}
		for _, t := range first(o.touches()) {
			if !w.waitsFor(t.dbKey) {
				continue
			}
			if ready, err := e.enabled(w); ready || err != nil {
				return ready, err
			}
		}
	}
	return false, nil
}

func first(list []touch, _ bool) []touch { return list }

// doBlocking executes the form of a blocking command that does not wait. Redis itself does not wait inside a
// transaction, which keeps every other property of the command.
func (s *session) doBlocking(b *blocking) ([]byte, error) {
	switch b.kind {
	case blockRead, blockGroup:
		return s.mirror.Do(b.now)
	case blockWait:
		if strings.EqualFold(b.now[0], "WAITAOF") {
			return wire.AppendInt(wire.AppendInt(wire.AppendArrayLen(nil, 2), 0), 0), nil
		}
		return wire.AppendInt(nil, 0), nil
	}
	side, err := s.on.side(s.proto, s.db)
	if err != nil {
		return nil, err
	}
	if raw, err := side.Do([]string{"MULTI"}); err != nil || raw[0] == '-' {
		return raw, err
	}
	if raw, err := side.Do(b.now); err != nil || raw[0] == '-' {
		if err == nil {
			_, err = side.Do([]string{"DISCARD"})
		}
		return raw, err
	}
	raw, err := side.Do([]string{"EXEC"})
	if err != nil || raw[0] != '*' {
		return raw, err
	}
	for i, c := range raw {
		if c == '\n' {
			return raw[i+1:], nil
		}
	}
	return raw, nil
}
