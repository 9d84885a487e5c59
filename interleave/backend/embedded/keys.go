package embedded

import (
	"sort"
	"strconv"
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

// cmdScan answers keys in order, COUNT at a time. The cursor is one more than the number of a key that was returned
// last, so that a key that is there from begin to end of an iteration is returned, whatever comes and goes meanwhile.
// That is what SCAN promises; which keys come together, and the cursors, differ from server to server.
func cmdScan(x *call, args []string) {
	cursor, ok := parseInt(args[1])
	if !ok || cursor < 0 {
		x.err("ERR invalid cursor")
		return
	}
	count, pattern, kind := int64(10), "*", "any"
	for i := 2; i < len(args); i += 2 {
		switch {
		case i+1 >= len(args):
			x.err(errSyntax)
			return
		case strings.EqualFold(args[i], "COUNT"):
			if count, ok = x.intArg(args[i+1], errNotInt); !ok {
				return
			}
			if count < 1 {
				x.err(errSyntax)
				return
			}
		case strings.EqualFold(args[i], "MATCH"):
			pattern = args[i+1]
		case strings.EqualFold(args[i], "TYPE"):
			kind = strings.ToLower(args[i+1])
			if kind == "any" {
				kind = "none"
			}
		default:
			x.err(errSyntax)
			return
		}
	}
	if cursor > int64(len(x.s.scanned)) {
		x.refuse("the cursor %d is none that embedded gave out", cursor)
		return
	}
	keys, from := x.keyList(), 0
	if cursor > 0 {
		from = sort.SearchStrings(keys, x.s.scanned[cursor-1]+"\x00")
	}
	to := int(min(int64(from)+count, int64(len(keys))))
	next := 0
	if to < len(keys) {
		x.s.scanned = append(x.s.scanned, keys[to-1])
		next = len(x.s.scanned)
	}
	list := make([]string, 0, to-from)
	for _, key := range keys[from:to] {
		if (kind == "any" || kind == x.kind(key)) && (pattern == "*" || match(pattern, key)) {
			list = append(list, key)
		}
	}
	x.arrayLen(2)
	x.bulk(strconv.Itoa(next))
	x.bulks(list)
}
