package embedded

import (
	"math"
	"strings"

	"github.com/racebench/racebench/interleave/wire"
)

// cmdPop is LPOP and RPOP.
func cmdPop(name string) handler {
	return func(x *call, args []string) {
		if len(args) > 3 {
			x.err(errArity(name))
			return
		}
		if len(args) == 2 {
			x.pass(notNil, plain, args)
			return
		}
		n, ok := x.notNegative(args[2], errNotPositive)
		if !ok {
			return
		}
		if exists, ok := x.is(args[1], kindList); ok && exists && n == 0 {
			x.arrayLen(0)
			return
		} else if !ok {
			return
		}
		x.pass(nonEmpty, plain, args)
	}
}

// cmdLset and cmdLindex: the server looks at the key first.
func cmdLset(x *call, args []string) {
	exists, ok := x.is(args[1], kindList)
	switch {
	case !ok:
	case !exists:
		x.err(errNoKey)
	default:
		pass(always, plain, 2)(x, args)
	}
}

func cmdLindex(x *call, args []string) {
	exists, ok := x.is(args[1], kindList)
	switch {
	case !ok:
	case !exists:
		x.null()
	default:
		pass(never, plain, 2)(x, args)
	}
}

func cmdLtrim(x *call, args []string) {
	for _, a := range args[2:] {
		if _, ok := x.intArg(a, errNotInt); !ok {
			return
		}
	}
	exists, ok := x.is(args[1], kindList)
	switch {
	case !ok:
	case !exists:
		x.ok()
	default:
		x.pass(always, plain, args)
	}
}

func cmdLrem(x *call, args []string) {
	n, ok := x.intArg(args[2], errNotInt)
	switch {
	case !ok:
	case n == math.MinInt64:
		x.refuse("a count of %d, for which there is no positive number", n)
	default:
		x.pass(positive, plain, args)
	}
}

func cmdLinsert(x *call, args []string) {
	if !strings.EqualFold(args[2], "before") && !strings.EqualFold(args[2], "after") {
		x.err(errSyntax)
		return
	}
	x.pass(positive, plain, args)
}

// cmdLpos: only options that are in order go to miniredis.
func cmdLpos(x *call, args []string) {
	for i := 3; i < len(args); i += 2 {
		if i+1 >= len(args) {
			x.err(errSyntax)
			return
		}
		switch strings.ToUpper(args[i]) {
		case "RANK":
			n, ok := x.intArg(args[i+1], errNotInt)
			if !ok {
				return
			}
			if n == 0 {
				x.err("ERR RANK can't be zero: use 1 to start from the first match, 2 from the second ... or use negative to start from the end of the list")
				return
			}
		case "COUNT":
			n, ok := x.notNegative(args[i+1], "ERR COUNT can't be negative")
			if !ok {
				return
			}
			if n > 1<<20 {
				x.refuse("a COUNT of %d, for which miniredis makes room", n)
				return
			}
		case "MAXLEN":
			if _, ok := x.notNegative(args[i+1], "ERR MAXLEN can't be negative"); !ok {
				return
			}
		default:
			x.err(errSyntax)
			return
		}
	}
	x.pass(never, plain, args)
}

// cmdMove is LMOVE, RPOPLPUSH and, where they needn't wait, BLMOVE and BRPOPLPUSH.
func cmdMove(timeout int, ends bool) handler {
	return func(x *call, args []string) {
		from, to := "RIGHT", "LEFT"
		if ends {
			from, to = strings.ToUpper(args[3]), strings.ToUpper(args[4])
			if from != "LEFT" && from != "RIGHT" || to != "LEFT" && to != "RIGHT" {
				x.err(errSyntax)
				return
			}
		}
		if timeout > 0 && !x.timeout(args[timeout]) {
			return
		}
		exists, ok := x.is(args[1], kindList)
		switch {
		case !ok:
			return
		case !exists && timeout > 0:
			x.wouldBlock(false)
			return
		case !exists:
			x.null()
			return
		}
		if _, ok := x.is(args[2], kindList); !ok {
			return
		}
		at, has := x.deadline(args[1])
		x.pass(notNil, plain, []string{"LMOVE", args[1], args[2], from, to})
		if has && args[1] == args[2] { // a list of one element keeps its time to live when it is rotated
			x.expireAt(args[1], at)
		}
	}
}

// Blocking commands. The scheduler never lets one wait here: it sends them within MULTI, where a server answers at
// once. Outside of MULTI one that finds nothing would wait, and is refused.

// timeout checks a timeout in seconds.
func (x *call) timeout(s string) bool {
	f, ok := x.floatArg(s, "ERR timeout is not a float or out of range")
	switch {
	case !ok:
		return false
	case math.Abs(f) > 1e12:
		x.refuse("a timeout of %s seconds", s)
		return false
	case f < 0:
		x.err("ERR timeout is negative")
		return false
	}
	return true
}

func (x *call) wouldBlock(array bool) {
	switch {
	case !x.inMulti:
		x.refuse("it would block")
	case array:
		x.nullArray()
	default:
		x.null()
	}
}

// cmdBpop is BLPOP, BRPOP, BZPOPMIN and BZPOPMAX: the form that doesn't block, on the first key that has something.
func cmdBpop(kind, pop string) handler {
	return func(x *call, args []string) {
		last := len(args) - 1
		if !x.timeout(args[last]) {
			return
		}
		for _, key := range args[1:last] {
			exists, ok := x.is(key, kind)
			if !ok {
				return
			}
			if !exists {
				continue
			}
			v := x.value(pop, key)
			x.touch(key)
			if v.Kind == wire.Bulk {
				x.bulks([]string{key, v.Str})
				return
			}
			x.arrayLen(3)
			x.bulk(key)
			x.bulk(v.Elems[0].Str)
			x.score(v.Elems[1])
			return
		}
		x.wouldBlock(true)
	}
}
