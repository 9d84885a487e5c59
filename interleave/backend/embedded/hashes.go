package embedded

import (
	"slices"

	"github.com/racebench/racebench/interleave/wire"
)

// A server lists the fields of a small hash in the order in which they were added, miniredis has no order. So their
// order is kept here. A list is begun anew when a hash begins to exist, and so is right for every hash that exists.

// addField notes a field that is about to be set.
func (x *call) addField(key, field string) {
	w := watchKey{x.num, key}
	list := x.s.fields[w]
	if len(list) == 0 || x.value("EXISTS", key).Int == 0 {
		x.s.fields[w] = []string{field}
		return
	}
	if !slices.Contains(list, field) {
		x.s.fields[w] = append(list, field)
	}
}

// inOrder is HGETALL in order.
func (x *call) inOrder(key string) (fields, values []string) {
	have := map[string]string{}
	flat := x.value("HGETALL", key).Elems
	for i := 0; i+1 < len(flat); i += 2 {
		have[flat[i].Str] = flat[i+1].Str
	}
	for _, f := range x.s.fields[watchKey{x.num, key}] {
		if v, ok := have[f]; ok {
			fields, values = append(fields, f), append(values, v)
		}
	}
	if len(fields) != len(have) {
		x.refuse("the order of the fields was lost")
	}
	return fields, values
}

// cmdHset is HSET and HMSET.
func cmdHset(name string) handler {
	return func(x *call, args []string) {
		if len(args)%2 == 1 {
			x.err(errArity(name))
			return
		}
		if _, ok := x.is(args[1], kindHash); !ok {
			return
		}
		n := int64(0)
		for i := 2; i < len(args); i += 2 {
			x.addField(args[1], args[i])
			n += x.value("HSET", args[1], args[i], args[i+1]).Int
		}
		x.touch(args[1])
		if name == "hmset" {
			x.ok()
		} else {
			x.int(n)
		}
	}
}

func cmdHsetnx(x *call, args []string) {
	if _, ok := x.is(args[1], kindHash); !ok {
		return
	}
	x.addField(args[1], args[2])
	x.pass(positive, plain, args)
}

func cmdHdel(x *call, args []string) {
	if exists, ok := x.is(args[1], kindHash); !ok || !exists {
		if ok {
			x.int(0)
		}
		return
	}
	w := watchKey{x.num, args[1]}
	x.s.fields[w] = slices.DeleteFunc(x.s.fields[w], func(f string) bool { return slices.Contains(args[2:], f) })
	x.pass(positive, plain, args)
}

func cmdHincrby(x *call, args []string) {
	key, field := args[1], args[2]
	delta, ok := x.intArg(args[3], errNotInt)
	if !ok {
		return
	}
	if _, ok := x.is(key, kindHash); !ok {
		return
	}
	var old int64
	if v := x.value("HGET", key, field); v.Kind == wire.Bulk {
		if old, ok = x.intArg(v.Str, "ERR hash value is not an integer"); !ok {
			return
		}
	}
	if sum := old + delta; (old < 0) == (delta < 0) && (sum < 0) != (old < 0) { // miniredis doesn't see it
		x.err(errOverflow)
		return
	}
	x.addField(key, field)
	x.pass(always, plain, args)
}

func cmdHincrbyfloat(x *call, args []string) {
	key, field := args[1], args[2]
	if _, ok, inf := parseLongDouble(args[3]); !ok {
		x.err(errNotFloat)
		return
	} else if inf {
		x.err("ERR value is NaN or Infinity")
		return
	}
	if _, ok := x.is(key, kindHash); !ok {
		return
	}
	old := x.value("HGET", key, field)
	sum, ok := x.addFloats(old.Str, old.Kind == wire.Bulk, args[3], "ERR hash value is not a float")
	if !ok {
		return
	}
	x.addField(key, field)
	x.do("HSET", key, field, sum)
	x.touch(key)
	x.bulk(sum)
}

// cmdHlist is HKEYS, HVALS and HGETALL.
func cmdHlist(keys, values bool) handler {
	return func(x *call, args []string) {
		if _, ok := x.is(args[1], kindHash); !ok {
			return
		}
		f, v := x.inOrder(args[1])
		switch {
		case keys && values:
			x.mapLen(len(f))
			for i := range f {
				x.bulk(f[i])
				x.bulk(v[i])
			}
		case keys:
			x.bulks(f)
		default:
			x.bulks(v)
		}
	}
}
