package embedded

import (
	"math"
	"strconv"
	"strings"

	"github.com/racebench/racebench/interleave/wire"
)

// Streams: entries only. Of consumer groups miniredis lacks too much: counters, deleted entries, idle times.

// streamID reads a full ID. miniredis compares IDs as text in places, so that only the canonical form is passed on.
func streamID(s string) bool {
	ms, seq, ok := strings.Cut(s, "-")
	return ok && canonical(ms) && canonical(seq)
}

func canonical(s string) bool {
	n, err := strconv.ParseUint(s, 10, 64)
	return err == nil && strconv.FormatUint(n, 10) == s && n < math.MaxInt64
}

// cmdXadd is "XADD key *|ms-seq field value …".
func cmdXadd(x *call, args []string) {
	if args[2] != "*" && !streamID(args[2]) {
		x.refuse("XADD with options, or an ID of another form than * and ms-seq")
		return
	}
	if len(args) < 5 || len(args)%2 == 0 {
		x.err(errArity("xadd"))
		return
	}
	if args[2] == "0-0" {
		x.err("ERR The ID specified in XADD must be greater than 0-0")
		return
	}
	exists, ok := x.is(args[1], "stream")
	if !ok {
		return
	}
	v := x.value(args...)
	if v.IsErr() {
		if strings.HasPrefix(v.Str, "ERR The ID specified in XADD is equal or smaller") && exists {
			x.err("ERR The ID specified in XADD is equal or smaller than the target stream top item")
			return
		}
		x.failed(v.Str)
		return
	}
	x.touch(args[1])
	x.convert(v)
}

// cmdXrange is XRANGE and XREVRANGE.
func cmdXrange(x *call, args []string) {
	for _, id := range args[2:4] {
		if id != "-" && id != "+" && !streamID(id) {
			x.refuse("a range of IDs of another form than -, + and ms-seq")
			return
		}
	}
	if len(args) != 4 && (len(args) != 6 || !strings.EqualFold(args[4], "COUNT")) {
		x.err(errSyntax)
		return
	}
	if len(args) == 6 {
		n, ok := x.intArg(args[5], errNotInt)
		if !ok {
			return
		}
		if n < 1 {
			x.refuse("a COUNT below 1")
			return
		}
	}
	if _, ok := x.is(args[1], "stream"); ok {
		x.pass(never, plain, args)
	}
}

func cmdXlen(x *call, args []string) {
	exists, ok := x.is(args[1], "stream")
	switch {
	case !ok:
	case !exists:
		x.int(0)
	default:
		x.pass(never, plain, args)
	}
}

// cmdXdel removes entries. The newest can't go: miniredis would forget that its ID was used.
func cmdXdel(x *call, args []string) {
	for _, id := range args[2:] {
		if !streamID(id) {
			x.refuse("an ID of another form than ms-seq")
			return
		}
	}
	exists, ok := x.is(args[1], "stream")
	if !ok {
		return
	}
	if !exists {
		x.int(0)
		return
	}
	if newest := x.value("XREVRANGE", args[1], "+", "-", "COUNT", "1").Elems; len(newest) > 0 {
		for _, id := range args[2:] {
			if id == newest[0].Elems[0].Str {
				x.refuse("the newest entry of a stream")
				return
			}
		}
	}
	x.pass(positive, plain, args)
}

// cmdXread reads what is newer than an ID, by ranges. It never waits.
func cmdXread(x *call, args []string) {
	count, blocking, i := int64(0), false, 1
	for ; i < len(args) && !strings.EqualFold(args[i], "STREAMS"); i += 2 {
		more := i+1 < len(args)
		var ok bool
		switch {
		case strings.EqualFold(args[i], "COUNT") && more:
			if count, ok = x.intArg(args[i+1], errNotInt); !ok {
				return
			}
		case strings.EqualFold(args[i], "BLOCK") && more:
			n, ok := x.intArg(args[i+1], "ERR timeout is not an integer or out of range")
			if !ok {
				return
			}
			if n < 0 {
				x.err("ERR timeout is negative")
				return
			}
			blocking = true
		default:
			x.err(errSyntax)
			return
		}
	}
	list := args[min(i+1, len(args)):]
	if i >= len(args) || len(list) == 0 {
		x.err(errSyntax)
		return
	}
	if len(list)%2 != 0 {
		x.err("ERR Unbalanced XREAD list of streams: for each stream key an ID or '$' must be specified.")
		return
	}
	var names []string
	var found []wire.Value
	for n, key := range list[:len(list)/2] {
		id := list[len(list)/2+n]
		if id != "$" && id != "0" && !streamID(id) {
			x.refuse("an ID of another form than $, 0 and ms-seq")
			return
		}
		exists, ok := x.is(key, "stream")
		if !ok {
			return
		}
		if entries := x.after(key, id, count); exists && len(entries.Elems) > 0 {
			names, found = append(names, key), append(found, entries)
		}
	}
	switch {
	case len(names) > 0:
		x.streams(names, found)
	case blocking:
		x.wouldBlock(true)
	default:
		x.nullArray()
	}
}

// after are the entries behind an ID.
func (x *call) after(key, id string, count int64) wire.Value {
	if id == "$" {
		return wire.Value{}
	}
	ms, seq, _ := strings.Cut(id, "-")
	n, _ := strconv.ParseUint(seq, 10, 64) // 0 for "0"
	line := []string{"XRANGE", key, ms + "-" + strconv.FormatUint(n+1, 10), "+"}
	if id == "0" {
		line[2] = "-"
	}
	if count > 0 {
		line = append(line, "COUNT", strconv.FormatInt(count, 10))
	}
	return x.value(line...)
}

// streams answers a map of streams in RESP3, a list of pairs in RESP2.
func (x *call) streams(names []string, found []wire.Value) {
	if x.proto >= 3 {
		x.mapLen(len(names))
	} else {
		x.arrayLen(len(names))
	}
	for i, name := range names {
		if x.proto < 3 {
			x.arrayLen(2)
		}
		x.bulk(name)
		x.convert(found[i])
	}
}
