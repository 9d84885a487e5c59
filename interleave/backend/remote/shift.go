package remote

import (
	"bytes"
	"math"
	"sort"
	"strconv"
	"time"

	"github.com/racebench/racebench/interleave/wire"
)

// shift gives virtual time to a server that keeps its own clock.
//
// Every deadline is written parked: a thousand years later than it is. So no key goes by the server's clock, nothing
// has to be touched when the virtual clock moves (which would abort transactions that watch the key), and a parked
// deadline says exactly which virtual one it stands for. Keys that are due are deleted when the clock has moved.
//
// Commands are rewritten on their way: relative times become absolute, absolute ones parked; answers that hold a time
// are translated back. Scripts that have to do with time get a preamble that does the same inside (see preamble.lua).
type shift struct {
	s *Server
	// earliest is a lower bound of all virtual deadlines, in ms; never where there is none.
	earliest int64
	sources  map[string]source // of scripts seen, by digest
	rewrote  map[string]string // digest of the rewritten script, by digest
	function bool              // a library that reads the clock was loaded
}

// parked is how much later than it is a deadline is written, in ms.
const parked = 1000 * 365 * 24 * 3600 * 1000

const never = math.MaxInt64

func newShift(s *Server) *shift {
	return &shift{s: s, earliest: never, sources: map[string]source{}, rewrote: map[string]string{}}
}

func (sh *shift) reset() { sh.earliest, sh.function = never, false }

// nowMs is the virtual time as a server's clock would give it.
func (sh *shift) nowMs() int64 { return sh.s.now.UnixMilli() }

// expect notes a deadline that a command may set.
func (sh *shift) expect(deadline int64) { sh.earliest = min(sh.earliest, deadline) }

// due reports whether a key may be due. A key lives through the millisecond of its deadline.
func (sh *shift) due() bool { return sh.nowMs() > sh.earliest }

// shiftConn is a connection whose commands are translated.
type shiftConn struct {
	*conn
	sh   *shift
	post []func([]byte) []byte // what to do with each reply of the open transaction; nil for nothing
	at   time.Time             // when a command that depends on the time was queued; zero if none was
}

// Do implements backend.Conn.
func (c *shiftConn) Do(args []string) ([]byte, error) {
	if len(args) == 0 || c.conn.s.err != nil {
		return c.conn.Do(args)
	}
	if err := c.conn.s.guard(args); err != nil {
		return nil, err
	}
	if s := c.conn.s; s.moved {
		// Before the command is translated, which may note a deadline that the sweep would forget.
		if err := s.sweep(); err != nil {
			return nil, err
		}
	}
	name := string(upper(make([]byte, len(args[0])), args[0]))
	if c.multi {
		switch name {
		case "EXEC", "DISCARD", "RESET":
			return c.end(name, args)
		}
	}
	t := c.sh.translate(name, args)
	if t.refuse != "" {
		return nil, c.conn.s.refuse(args, t.refuse)
	}
	if !c.multi {
		return c.once(args, t)
	}
	raw, err := c.conn.Do(t.args)
	if err == nil && bytes.HasPrefix(raw, []byte("+QUEUED")) {
		c.post = append(c.post, t.post)
		if t.timed && c.at.IsZero() {
			c.at = c.sh.s.now
		}
	}
	return raw, err
}

// once executes a command outside of transactions.
func (c *shiftConn) once(args []string, t translation) ([]byte, error) {
	raw, err := c.conn.Do(t.args)
	if err != nil {
		return nil, err
	}
	if t.behind != nil && raw[0] == '-' && bytes.Contains(raw, []byte("equal or smaller")) {
		if raw, err = c.behind(t, raw); err != nil {
			return nil, err
		}
	}
	if t.post != nil {
		raw = t.post(raw)
	}
	return raw, nil
}

// behind adds to a stream whose last entry is later than the clock, as XADD with * does: one after the last.
func (c *shiftConn) behind(t translation, refused []byte) ([]byte, error) {
	info, err := c.conn.Do([]string{"XINFO", "STREAM", t.args[1]})
	if err != nil {
		return nil, err
	}
	v, _, err := wire.Parse(info)
	if err != nil {
		return nil, c.conn.s.gone(err)
	}
	for i := 0; i+1 < len(v.Elems); i += 2 {
		if v.Elems[i].Str == "last-generated-id" {
			ms, _, _ := bytes.Cut([]byte(v.Elems[i+1].Str), []byte("-"))
			return c.conn.Do(t.behind(string(ms) + "-*"))
		}
	}
	return refused, nil
}

// end executes EXEC, DISCARD or RESET.
func (c *shiftConn) end(name string, args []string) ([]byte, error) {
	post, at := c.post, c.at
	if name == "EXEC" && !at.IsZero() && !at.Equal(c.sh.s.now) {
		return nil, c.conn.s.refuse(args, "the clock moved after a command that depends on it was queued, and this server has its own clock")
	}
	raw, err := c.conn.Do(args)
	if err != nil {
		return nil, err
	}
	if !at.IsZero() {
		c.sh.expect(0) // a sweep may have passed between the commands and their execution
	}
	if !c.multi || name == "RESET" {
		c.post, c.at = nil, time.Time{}
	}
	if name != "EXEC" || raw[0] != '*' {
		return raw, nil
	}
	return mapElems(raw, post), nil
}

// mapElems applies post to the elements of an array.
func mapElems(raw []byte, post []func([]byte) []byte) []byte {
	head := bytes.IndexByte(raw, '\n') + 1
	out := append([]byte(nil), raw[:head]...)
	for i, rest := 0, raw[head:]; len(rest) > 0; i++ {
		n, err := wire.FrameLen(rest)
		if err != nil || n == 0 {
			return append(out, rest...)
		}
		elem := rest[:n]
		if i < len(post) && post[i] != nil {
			elem = post[i](elem)
		}
		out = append(out, elem...)
		rest = rest[n:]
	}
	return out
}

// sweep deletes the keys that are due, and finds the next deadline.
func (sh *shift) sweep() error {
	s := sh.s
	if !sh.due() {
		return nil
	}
	sh.earliest = never
	if s.opts.Keys != nil {
		return sh.sweepKeys(s.opts.DB, s.opts.Keys())
	}
	raw, err := s.control("INFO", "keyspace")
	if err != nil {
		return err
	}
	for _, db := range volatile(raw) {
		var keys []string
		if err := s.scanDB(db, func(k string) { keys = append(keys, k) }); err != nil {
			return err
		}
		if err := sh.sweepKeys(db, keys); err != nil {
			return err
		}
	}
	return nil
}

// dead is a key to delete.
type dead struct {
	key      string
	deadline int64
}

func (sh *shift) sweepKeys(db int, keys []string) error {
	s := sh.s
	if err := s.useDB(db); err != nil {
		return err
	}
	var due []dead
	for _, k := range keys {
		raw, err := s.control("PEXPIRETIME", k)
		if err != nil {
			return err
		}
		p, err := strconv.ParseInt(string(bytes.TrimSpace(raw[1:])), 10, 64)
		if err != nil || p < parked {
			continue // it has none, or it is the server's own business
		}
		if d := p - parked; d < sh.nowMs() {
			due = append(due, dead{k, d})
		} else {
			sh.expect(d)
		}
	}
	sort.Slice(due, func(i, j int) bool {
		a, b := due[i], due[j]
		return a.deadline < b.deadline || a.deadline == b.deadline && a.key < b.key
	})
	for _, k := range due {
		if _, err := s.control("DEL", k.key); err != nil {
			return err
		}
	}
	return nil
}
