package embedded

import (
	"sort"
	"strconv"
	"strings"
)

type scanOptions struct {
	cursor, count int64
	pattern, kind string // "*" and "any" when not given
}

func (x *call) scanOptions(cursor string, args []string, kinds bool) (o scanOptions, ok bool) {
	o = scanOptions{count: 10, pattern: "*", kind: "any"}
	if o.cursor, ok = parseInt(cursor); !ok || o.cursor < 0 { // strtoul takes " 1", "+1" and "-1"
		x.refuse("a cursor that embedded never gives out")
		return o, false
	}
	for i := 0; i < len(args); i += 2 {
		switch {
		case i+1 >= len(args):
			x.err(errSyntax)
			return o, false
		case strings.EqualFold(args[i], "COUNT"):
			if o.count, ok = x.intArg(args[i+1], errNotInt); !ok {
				return o, false
			}
			if o.count < 1 {
				x.err(errSyntax)
				return o, false
			}
		case strings.EqualFold(args[i], "MATCH"):
			o.pattern = args[i+1]
		case strings.EqualFold(args[i], "TYPE") && kinds:
			if o.kind = strings.ToLower(args[i+1]); o.kind == "any" {
				o.kind = "none"
			}
		default:
			x.err(errSyntax)
			return o, false
		}
	}
	return o, true
}

// selects reports whether an element is asked for; "*" is all, the empty one too.
func (o *scanOptions) selects(s string) bool { return o.pattern == "*" || match(o.pattern, s) }

// cmdScan answers keys in order, COUNT at a time. A cursor stands for the key that was returned last, so that a key that
// is there from begin to end of an iteration is returned, whatever comes and goes meanwhile. That is what SCAN promises;
// which keys come together, and the cursors, differ from server to server.
func cmdScan(x *call, args []string) {
	o, ok := x.scanOptions(args[1], args[2:], true)
	if !ok {
		return
	}
	if o.cursor > int64(len(x.s.scanned)) {
		x.refuse("the cursor %d is none that embedded gave out", o.cursor)
		return
	}
	keys, from := x.keyList(), 0
	if o.cursor > 0 {
		from = sort.SearchStrings(keys, x.s.scanned[o.cursor-1]+"\x00")
	}
	to := from + int(min(o.count, int64(len(keys)-from)))
	next := 0
	if to < len(keys) {
		x.s.scanned = append(x.s.scanned, keys[to-1])
		next = len(x.s.scanned)
	}
	list := make([]string, 0, to-from)
	for _, key := range keys[from:to] {
		if (o.kind == "any" || o.kind == x.kind(key)) && o.selects(key) {
			list = append(list, key)
		}
	}
	x.arrayLen(2)
	x.bulk(strconv.Itoa(next))
	x.bulks(list)
}

// smallCollection is how many elements a server surely keeps in the compact form that it scans at once, whatever COUNT.
const smallCollection = 100

// cmdScanSmall is HSCAN, SSCAN and ZSCAN.
func cmdScanSmall(kind string) handler {
	return func(x *call, args []string) {
		if args[2] != "0" {
			x.refuse("a cursor that embedded never gives out")
			return
		}
		if exists, ok := x.is(args[1], kind); !ok {
			return
		} else if !exists {
			x.scanned(nil)
			return
		}
		o, ok := x.scanOptions(args[2], args[3:], false)
		if !ok {
			return
		}
		var flat []string
		width := 2
		switch kind {
		case kindHash:
			fields, values := x.inOrder(args[1])
			for i := range fields {
				flat = append(flat, fields[i], values[i])
			}
		case kindSet:
			width = 1
			flat = texts(x.value("SMEMBERS", args[1]))
			sortMembers(flat)
		case kindZset:
			flat = texts(x.value("ZRANGE", args[1], "0", "-1", "WITHSCORES"))
			for i := 1; i < len(flat); i += 2 {
				f, _ := strconv.ParseFloat(flat[i], 64)
				if f >= 1e15 || f <= -1e15 {
					x.refuse("ZSCAN of a score beyond 1e15, which a server writes in another way here")
					return
				}
				flat[i] = formatDouble(f)
			}
		}
		if len(flat)/width > smallCollection {
			x.refuse("a collection of more than %d elements", smallCollection)
			return
		}
		var list []string
		for i := 0; i < len(flat); i += width {
			if o.selects(flat[i]) {
				list = append(list, flat[i:i+width]...)
			}
		}
		x.scanned(list)
	}
}

func (x *call) scanned(list []string) {
	x.arrayLen(2)
	x.bulk("0")
	x.bulks(list)
}
