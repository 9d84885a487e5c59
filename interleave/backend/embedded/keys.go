package embedded

import (
	"strings"
)

func cmdDel(x *call, args []string) {
	n := int64(0)
	for _, key := range args[1:] {
		if x.value("DEL", key).Int > 0 {
			x.touch(key)
			n++
		}
	}
	x.int(n)
}

// cmdRename is RENAME and RENAMENX.
func cmdRename(nx bool) handler {
	return func(x *call, args []string) {
		from, to := args[1], args[2]
		switch {
		case x.kind(from) == "":
			x.err(errNoKey)
			return
		case from == to && nx, nx && x.kind(to) != "":
			x.int(0)
			return
		case from != to:
			x.do("RENAME", from, to)
			if f, ok := x.s.fields[watchKey{x.num, from}]; ok {
				x.s.fields[watchKey{x.num, to}] = f
				delete(x.s.fields, watchKey{x.num, from})
			}
			x.touch(from)
			x.touch(to)
		}
		if nx {
			x.int(1)
		} else {
			x.ok()
		}
	}
}

func cmdCopy(x *call, args []string) {
	from, to, replace := args[1], args[2], false
	for _, a := range args[3:] {
		switch {
		case strings.EqualFold(a, "REPLACE"):
			replace = true
		case strings.EqualFold(a, "DB"):
			x.refuse("COPY to another database")
			return
		default:
			x.err(errSyntax)
			return
		}
	}
	kind := x.kind(from)
	switch {
	case from == to:
		x.err(errSameObject)
		return
	case kind == "", x.kind(to) != "" && !replace:
		x.int(0)
		return
	case kind == "stream":
		x.refuse("a copy of a stream")
		return
	}
	x.do("DEL", to) // miniredis would mix the old and the new
	x.do("COPY", from, to)
	if f, ok := x.s.fields[watchKey{x.num, from}]; ok && kind == kindHash {
		x.s.fields[watchKey{x.num, to}] = append([]string(nil), f...)
	}
	x.touch(to)
	x.int(1)
}

// keyList lists the keys of the database, sorted.
func (x *call) keyList() []string { return texts(x.value("KEYS", "*")) }

func cmdKeys(x *call, args []string) {
	list := make([]string, 0)
	for _, key := range x.keyList() {
		if args[1] == "*" || match(args[1], key) { // "*" is all, the empty key too
			list = append(list, key)
		}
	}
	x.bulks(list)
}

// cmdRandomkey answers the first key in order, one of those that a server may choose.
func cmdRandomkey(x *call, _ []string) {
	keys := x.keyList()
	if len(keys) == 0 {
		x.null()
		return
	}
	x.chose("RANDOMKEY", len(keys) > 1)
	x.bulk(keys[0])
}

// chose notes that a choice was made which a real server makes at random.
func (x *call) chose(command string, really bool) {
	if really {
		x.s.note(command + " took the first in order, where a server takes any")
	}
}

// cmdFlush is FLUSHDB and FLUSHALL.
func cmdFlush(all bool) handler {
	return func(x *call, args []string) {
		if len(args) > 2 || len(args) == 2 && !strings.EqualFold(args[1], "ASYNC") && !strings.EqualFold(args[1], "SYNC") {
			x.err(errSyntax)
			return
		}
		if all && x.inScript {
			x.refuse("FLUSHALL in a script")
			return
		}
		for num := range x.s.peers {
			if !all && num != x.num {
				continue
			}
			y := call{s: x.s, c: x.c, num: num, peer: x.s.peers[num]}
			if num == x.num {
				y.peer = x.peer
			}
			x.s.touchAll(num, func(key string) bool { return y.kind(key) != "" })
			y.do("FLUSHDB")
		}
		x.ok()
	}
}
