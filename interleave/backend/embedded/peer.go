package embedded

import (
	"bufio"
	"bytes"
	"strconv"

	"github.com/alicebob/miniredis/v2/server"

	"github.com/racebench/racebench/interleave/wire"
)

// peer is how commands are given to miniredis: one for each database, so that nothing has to SELECT, and one for each
// call of a script. It always speaks RESP2; replies are turned into RESP3 here.
type peer struct {
	srv *server.Server
	p   *server.Peer
	buf bytes.Buffer
}

func newPeer(srv *server.Server, db int) *peer {
	p := &peer{srv: srv}
	p.p = server.NewPeer(bufio.NewWriter(&p.buf))
	if db != 0 {
		p.do("SELECT", strconv.Itoa(db))
	}
	return p
}

// nestedPeer speaks for a script: with its context, miniredis knows that it holds its own lock already.
func nestedPeer(srv *server.Server, of *server.Peer) *peer {
	p := &peer{srv: srv}
	p.p = server.NewPeer(bufio.NewWriter(&p.buf))
	p.p.Ctx = of.Ctx
	return p
}

// do executes one command and returns the raw reply, which is good until the next call.
func (p *peer) do(args ...string) []byte {
	p.buf.Reset()
	p.srv.Dispatch(p.p, args)
	p.p.Flush()
	return p.buf.Bytes()
}

// value is do with the reply parsed.
func (x *call) value(args ...string) wire.Value {
	v, _, err := wire.Parse(x.do(args...))
	if err != nil {
		x.refuse("miniredis answers nonsense: %v", err)
	}
	return v
}

// do gives a command to miniredis on behalf of the command that is being executed.
func (x *call) do(args ...string) []byte {
	x.s.passing = true
	out := x.peer.do(args...)
	x.s.passing = false
	return out
}

// kind is the type of a key, "" when there is none.
func (x *call) kind(key string) string {
	if k := x.value("TYPE", key).Str; k != "none" {
		return k
	}
	return ""
}

// deadline is the virtual millisecond at which a key expires.
func (x *call) deadline(key string) (ms int64, ok bool) {
	left := x.value("PTTL", key).Int
	return x.s.nowMs + left, left >= 0
}

// expireAt sets it; miniredis itself removes a key for which it is too late.
func (x *call) expireAt(key string, ms int64) {
	x.do("PEXPIRE", key, strconv.FormatInt(min(ms-x.s.nowMs, maxTTL), 10))
}

// maxTTL is the longest time to live, in milliseconds, that a time.Duration holds.
const maxTTL = (1<<63 - 1) / 1_000_000
