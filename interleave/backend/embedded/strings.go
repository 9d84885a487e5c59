package embedded

import (
	"math"
	"math/big"
	"strings"

	"github.com/racebench/racebench/interleave/wire"
)

// The kinds of value, as TYPE answers.
const (
	kindString = "string"
	kindHash   = "hash"
	kindList   = "list"
	kindSet    = "set"
	kindZset   = "zset"
)

// stringOptions are those of SET and GETEX.
type stringOptions struct {
	nx, xx, get, keepTTL, persist bool
	unit                          string // EX, EXAT, PX, PXAT, or none
	expire                        string
}

func (x *call) stringOptions(args []string, set bool) (o stringOptions, ok bool) {
	for i := 0; i < len(args); i++ {
		word := strings.ToUpper(args[i])
		switch {
		case word == "NX" && set && !o.xx:
			o.nx = true
		case word == "XX" && set && !o.nx:
			o.xx = true
		case word == "GET" && set:
			o.get = true
		case word == "KEEPTTL" && set && o.unit == "":
			o.keepTTL = true
		case word == "PERSIST" && !set && o.unit == "":
			o.persist = true
		case (word == "EX" || word == "PX" || word == "EXAT" || word == "PXAT") && !o.keepTTL && !o.persist &&
			(o.unit == "" || o.unit == word) && i+1 < len(args):
			o.unit, o.expire = word, args[i+1]
			i++
		default:
			x.err(errSyntax)
			return o, false
		}
	}
	return o, true
}

// until turns an expiry option into a virtual millisecond.
func (x *call) until(unit, value, command string) (ms int64, ok bool) {
	n, ok := x.intArg(value, errNotInt)
	if !ok {
		return 0, false
	}
	relative, seconds := unit == "EX" || unit == "PX", strings.HasPrefix(unit, "EX")
	if n <= 0 || seconds && n > math.MaxInt64/1000 {
		return 0, x.badExpire(command)
	}
	if seconds {
		n *= 1000
	}
	if relative {
		if n > math.MaxInt64-x.s.nowMs {
			return 0, x.badExpire(command)
		}
		n += x.s.nowMs
	}
	return n, true
}

func (x *call) badExpire(command string) bool {
	x.err("ERR invalid expire time in '" + command + "' command")
	return false
}

func cmdSet(x *call, args []string) {
	key, value := args[1], args[2]
	o, ok := x.stringOptions(args[3:], true)
	if !ok {
		return
	}
	var at int64
	if o.unit != "" {
		if at, ok = x.until(o.unit, o.expire, "set"); !ok {
			return
		}
		if at <= x.s.nowMs { // a server keeps the key until somebody looks at it, and DBSIZE counts it
			x.refuse("a deadline that is not in the future")
			return
		}
	}
	kind := x.kind(key)
	if o.get {
		switch kind {
		case "":
			x.null()
		case kindString:
			x.raw(x.do("GET", key))
		default:
			x.err(errWrongType)
			return
		}
	}
	if o.nx && kind != "" || o.xx && kind == "" {
		if !o.get {
			x.null()
		}
		return
	}
	if o.keepTTL {
		x.do("SET", key, value, "KEEPTTL")
	} else {
		x.do("SET", key, value)
	}
	if o.unit != "" {
		x.expireAt(key, at)
	}
	x.touch(key)
	if !o.get {
		x.ok()
	}
}

// cmdSetex is SETEX and PSETEX.
func cmdSetex(unit, name string) handler {
	return func(x *call, args []string) {
		at, ok := x.until(unit, args[2], name)
		if !ok {
			return
		}
		x.do("SET", args[1], args[3])
		x.expireAt(args[1], at)
		x.touch(args[1])
		x.ok()
	}
}

func cmdGetex(x *call, args []string) {
	key := args[1]
	o, ok := x.stringOptions(args[2:], false)
	if !ok {
		return
	}
	exists, ok := x.is(key, kindString)
	if !ok {
		return
	}
	if !exists {
		x.null()
		return
	}
	var at int64
	if o.unit != "" {
		if at, ok = x.until(o.unit, o.expire, "getex"); !ok {
			return
		}
	}
	x.raw(x.do("GET", key))
	switch {
	case o.unit != "":
		if at <= x.s.nowMs {
			x.do("DEL", key)
		} else {
			x.expireAt(key, at)
		}
		x.touch(key)
	case o.persist:
		if _, has := x.deadline(key); has {
			x.do("PERSIST", key)
			x.touch(key)
		}
	}
}

// cmdIncrbyfloat is INCRBYFLOAT, in the precision of the server.
func cmdIncrbyfloat(x *call, args []string) {
	key := args[1]
	exists, ok := x.is(key, kindString)
	if !ok {
		return
	}
	old := ""
	if exists {
		old = x.value("GET", key).Str
	}
	sum, ok := x.addFloats(old, exists, args[2], errNotFloat)
	if !ok {
		return
	}
	x.do("SET", key, sum, "KEEPTTL")
	x.touch(key)
	x.bulk(sum)
}

// addFloats adds delta to an old value as the server does, in long doubles.
func (x *call) addFloats(old string, exists bool, delta, badOld string) (sum string, ok bool) {
	a, aInf := new(big.Float).SetPrec(longDouble), false
	if exists {
		if a, ok, aInf = parseLongDouble(old); !ok {
			x.err(badOld)
			return "", false
		}
	}
	b, ok, bInf := parseLongDouble(delta)
	switch {
	case !ok:
		x.err(errNotFloat)
		return "", false
	case aInf || bInf:
		x.err(errIncrNaN)
		return "", false
	}
	return formatLongDouble(a.Add(a, b)), true
}

// cmdMset is MSET and MSETNX.
func cmdMset(name string, touch touching) handler {
	return func(x *call, args []string) {
		if len(args)%2 == 0 {
			x.err(errArity(name))
			return
		}
		x.pass(touch, plain, args)
	}
}

func cmdDecrby(x *call, args []string) {
	n, ok := x.intArg(args[2], errNotInt)
	if !ok {
		return
	}
	if n == math.MinInt64 {
		x.err("ERR decrement would overflow")
		return
	}
	x.incr(args[1], args)
}

// cmdIncr is INCR, DECR and INCRBY.
func cmdIncr(x *call, args []string) {
	if len(args) > 2 {
		if _, ok := x.intArg(args[2], errNotInt); !ok {
			return
		}
	}
	x.incr(args[1], args)
}

// incr checks the old value, as miniredis also counts from " 1" and "+1".
func (x *call) incr(key string, args []string) {
	if v := x.value("GET", key); v.Kind == wire.Bulk {
		if _, ok := x.intArg(v.Str, errNotInt); !ok {
			return
		}
	}
	x.pass(always, plain, args)
}

func cmdGetrange(x *call, args []string) {
	start, ok := x.intArg(args[2], errNotInt)
	if !ok {
		return
	}
	end, ok := x.intArg(args[3], errNotInt)
	if !ok {
		return
	}
	if _, ok := x.is(args[1], kindString); !ok {
		return
	}
	if start < 0 && end < 0 && start > end {
		x.bulk("")
		return
	}
	x.pass(never, plain, []string{"GETRANGE", args[1], args[2], args[3]})
}

func cmdSetrange(x *call, args []string) {
	offset, ok := x.intArg(args[2], errNotInt)
	if !ok {
		return
	}
	switch {
	case offset < 0:
		x.err("ERR offset is out of range")
	case args[3] == "":
		x.pass(never, plain, []string{"STRLEN", args[1]})
	case offset > maxString:
		x.refuse("a string of more than %d bytes", maxString)
	default:
		x.pass(always, plain, args)
	}
}

// maxString bounds what SETRANGE may pad with zeros; a server takes 512 MB.
const maxString = 64 << 20
