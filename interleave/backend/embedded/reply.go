package embedded

import (
	"math"
	"strconv"
	"strings"

	"github.com/racebench/racebench/interleave/wire"
)

// reply collects what a command answers, in the protocol version of the connection.
type reply struct {
	out   []byte
	proto int
}

func (r *reply) raw(b []byte)     { r.out = append(r.out, b...) }
func (r *reply) simple(s string)  { r.out = wire.AppendSimple(r.out, s) }
func (r *reply) ok()              { r.out = append(r.out, "+OK\r\n"...) }
func (r *reply) int(n int64)      { r.out = wire.AppendInt(r.out, n) }
func (r *reply) bulk(s string)    { r.out = wire.AppendBulk(r.out, s) }
func (r *reply) null()            { r.out = wire.AppendNull(r.out, r.proto, false) }
func (r *reply) nullArray()       { r.out = wire.AppendNull(r.out, r.proto, true) }
func (r *reply) arrayLen(n int)   { r.out = wire.AppendArrayLen(r.out, n) }
func (r *reply) setLen(n int)     { r.aggregate('~', n, n) }
func (r *reply) mapLen(pairs int) { r.aggregate('%', pairs, 2*pairs) }
func (r *reply) pushLen(n int)    { r.aggregate('>', n, n) }

// aggregate begins a RESP3 aggregate, which RESP2 has as an array.
func (r *reply) aggregate(kind byte, n, flat int) {
	if r.proto < 3 {
		r.arrayLen(flat)
		return
	}
	r.out = append(r.out, kind)
	r.out = strconv.AppendInt(r.out, int64(n), 10)
	r.out = append(r.out, '\r', '\n')
}

func (r *reply) bulks(list []string) {
	r.arrayLen(len(list))
	for _, s := range list {
		r.bulk(s)
	}
}

func (r *reply) double(f float64) {
	if r.proto < 3 {
		r.bulk(formatDouble(f))
		return
	}
	r.out = append(r.out, ',')
	r.out = append(r.out, formatDouble(f)...)
	r.out = append(r.out, '\r', '\n')
}

// err answers an error. A text without a code of its own gets ERR, as addReplyError does.
func (r *reply) err(text string) { r.out = wire.AppendError(r.out, oneLine(text)) }

// formatDouble is C's %.17g, with which redis 7.0 writes scores.
func formatDouble(f float64) string {
	switch {
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	}
	return strconv.FormatFloat(f, 'g', 17, 64)
}

// oneLine keeps an error text in its frame, as the server does.
func oneLine(s string) string {
	if !strings.ContainsAny(s, "\r\n") {
		return s
	}
	return strings.NewReplacer("\r", " ", "\n", " ").Replace(s)
}

// The errors that several commands share.
const (
	errWrongType   = "WRONGTYPE Operation against a key holding the wrong kind of value"
	errSyntax      = "ERR syntax error"
	errNotInt      = "ERR value is not an integer or out of range"
	errNotFloat    = "ERR value is not a valid float"
	errNotPositive = "ERR value is out of range, must be positive"
	errNoKey       = "ERR no such key"
	errSameObject  = "ERR source and destination objects are the same"
	errDBRange     = "ERR DB index is out of range"
	errIndex       = "ERR index out of range"
	errOverflow    = "ERR increment or decrement would overflow"
	errIncrNaN     = "ERR increment would produce NaN or Infinity"
)

func errArity(fullName string) string {
	return "ERR wrong number of arguments for '" + fullName + "' command"
}
