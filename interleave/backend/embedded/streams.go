package embedded

import (
	"math"
	"strconv"
	"strings"
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

const errStreamID = "ERR Invalid stream ID specified as stream command argument"

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
