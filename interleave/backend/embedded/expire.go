package embedded

import (
	"math"
	"strings"
)

// cmdExpire is EXPIRE, PEXPIRE, EXPIREAT and PEXPIREAT.
func cmdExpire(name string, seconds, relative bool) handler {
	return func(x *call, args []string) {
		cond, ok := x.expireCondition(args[3:])
		if !ok {
			return
		}
		at, ok := x.intArg(args[2], errNotInt)
		if !ok {
			return
		}
		if seconds {
			if at > math.MaxInt64/1000 || at < math.MinInt64/1000 {
				x.badExpire(name)
				return
			}
			at *= 1000
		}
		if relative {
			if at > math.MaxInt64-x.s.nowMs {
				x.badExpire(name)
				return
			}
			at += x.s.nowMs
		}
		key := args[1]
		if x.kind(key) == "" || !cond.allows(x, key, at) {
			x.int(0)
			return
		}
		if at <= x.s.nowMs {
			x.do("DEL", key)
		} else {
			x.expireAt(key, at)
		}
		x.touch(key)
		x.int(1)
	}
}

// expireCondition is NX, XX, GT, LT.
type expireCondition struct{ nx, xx, gt, lt bool }

func (x *call) expireCondition(args []string) (c expireCondition, ok bool) {
	for _, a := range args {
		switch strings.ToUpper(a) {
		case "NX":
			c.nx = true
		case "XX":
			c.xx = true
		case "GT":
			c.gt = true
		case "LT":
			c.lt = true
		default:
			x.err("ERR Unsupported option " + a)
			return c, false
		}
	}
	switch {
	case c.nx && (c.xx || c.gt || c.lt):
		x.err("ERR NX and XX, GT or LT options at the same time are not compatible")
		return c, false
	case c.gt && c.lt:
		x.err("ERR GT and LT options at the same time are not compatible")
		return c, false
	}
	return c, true
}

// allows: without a deadline a key counts as living for ever.
func (c expireCondition) allows(x *call, key string, at int64) bool {
	old, has := x.deadline(key)
	switch {
	case c.nx && has, c.xx && !has:
		return false
	case c.gt && (!has || at <= old):
		return false
	case c.lt && has && at >= old:
		return false
	}
	return true
}

// cmdTTL is TTL, PTTL, EXPIRETIME and PEXPIRETIME.
func cmdTTL(seconds, relative bool) handler {
	return func(x *call, args []string) {
		if x.kind(args[1]) == "" {
			x.int(-2)
			return
		}
		ms, ok := x.deadline(args[1])
		if !ok {
			x.int(-1)
			return
		}
		if relative {
			ms -= x.s.nowMs
		}
		if seconds {
			ms = (ms + 500) / 1000
		}
		x.int(ms)
	}
}
