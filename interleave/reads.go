package interleave

import (
	"github.com/racebench/racebench/interleave/backend"
	"github.com/racebench/racebench/interleave/command"
	"github.com/racebench/racebench/interleave/wire"
)

// read is a key that a command is about to write, with the type it is expected to have then; empty when nobody knows.
type read struct {
	key  dbKey
	kind string
}

func (r read) command() []string {
	if r.kind == "" {
		return []string{"TYPE", r.key.key}
	}
	return readCommand(r.kind, r.key.key)
}

// planReads says what to read in the same round trip as o, so that what it changed is known without another one. It is
// nil where that can't be done: on a backend for which a round trip costs nothing, inside a transaction, or for a
// command that waits, publishes or is not about keys.
func (s *session) planReads(o *op, keys []touch, possible bool) []read {
	if _, ok := s.mirror.(backend.Batcher); !ok || !possible || s.multi || s.listening || o.block != nil {
		return nil
	}
	var plan []read
	for _, k := range keys {
		if k.access&command.Modify == 0 {
			continue
		}
		key := k.dbKey
		kind := kindWritten(o.word())
		if before := s.eng.image[key]; before != nil && kind == "" {
			kind = before.Type
		}
		plan = append(plan, read{key, kind})
	}
	return plan
}

// kindWritten is the type of key that a command makes, or empty for one that does not tell. A wrong guess costs a round
// trip, nothing else.
func kindWritten(word string) string {
	switch word {
	case "SET", "SETEX", "PSETEX", "SETNX", "GETSET", "MSET", "MSETNX", "APPEND", "SETRANGE", "INCR", "INCRBY", "INCRBYFLOAT", "DECR", "DECRBY", "SETBIT", "GETDEL", "GETEX":
		return "string"
	case "HSET", "HSETNX", "HMSET", "HINCRBY", "HINCRBYFLOAT", "HDEL":
		return "hash"
	case "LPUSH", "RPUSH", "LPUSHX", "RPUSHX", "LPOP", "RPOP", "LREM", "LSET", "LTRIM", "LINSERT", "LMOVE", "RPOPLPUSH":
		return "list"
	case "SADD", "SREM", "SPOP", "SMOVE":
		return "set"
	case "ZADD", "ZREM", "ZINCRBY", "ZPOPMIN", "ZPOPMAX", "ZREMRANGEBYSCORE", "ZREMRANGEBYRANK", "ZREMRANGEBYLEX":
		return "zset"
	case "XADD", "XDEL", "XTRIM":
		return "stream"
	}
	return ""
}

// doReading executes o and reads what it wrote in one round trip. ok is false when nothing has been executed.
func (e *engine) doReading(s *session, o *op, step *Step, plan []read) (raw []byte, ok bool, err error) {
	if err := s.on.syncClock(); err != nil {
		return nil, false, err
	}
	cmds := [][]string{o.args}
	for _, r := range plan {
		cmds = append(cmds, r.command(), []string{"PTTL", r.key.key})
	}
	if o.script() {
		cmds = append(cmds, []string{"DBSIZE"})
	}
	replies, ok, err := s.mirror.(backend.Batcher).DoAll(cmds)
	if !ok || err != nil {
		return nil, ok, err
	}
	raw = replies[0]
	s.follow(o.word(), o.args, raw)
	if failed, err := step.answered(o, raw); failed && !o.script() || err != nil {
		return raw, true, err
	}
	var changes []Change
	for i, r := range plan {
		v, _, err := wire.Parse(replies[1+2*i])
		if err != nil {
			return nil, true, err
		}
		ttl, _, err := wire.Parse(replies[2+2*i])
		if err != nil {
			return nil, true, err
		}
		var after *Entry
		switch {
		case r.kind == "" && v.Str != "none":
			after, err = e.entry(r.key, &Entry{Type: v.Str})
		case v.IsErr():
			after, err = e.entry(r.key, nil)
		default:
			after = e.newEntry(r.kind, v, ttl)
		}
		if err != nil {
			return nil, true, err
		}
		changes = e.replace(changes, r.key, after)
	}
	if o.script() {
		size, _, err := wire.Parse(replies[len(replies)-1])
		if err != nil {
			return nil, true, err
		}
		if changes, err = s.on.undeclared(s.db, int(size.Int), changes); err != nil {
			return nil, true, err
		}
	}
	s.on.wrote(step, changes)
	return raw, true, nil
}
