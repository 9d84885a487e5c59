package embedded

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/racebench/racebench/interleave/command"
	"github.com/racebench/racebench/interleave/wire"
)

// touching says when a command that miniredis executes has changed its keys in the eyes of WATCH: where the server
// calls signalModifiedKey, told by the reply.
type touching int

const (
	never    touching = iota // it only reads
	always                   // whenever it is no error
	positive                 // when it answers a number above 0
	notNil                   // when it answers something
	nonEmpty                 // when it answers at least one element
)

// shape is what RESP3 makes of a reply.
type shape int

const (
	plain   shape = iota // as it is, but for nulls
	asMap                // a flat list of pairs is a map
	asSet                // a list is a set; sorted, as no server's order can be known
	asFloat              // a score
	scores               // a list of members and scores, in pairs
)

// pass is a handler that lets miniredis execute a command. ints are the words that must be numbers, which the server
// reads before it looks at the key.
func pass(touch touching, as shape, ints ...int) handler {
	return func(x *call, args []string) {
		for _, i := range ints {
			if i < len(args) {
				if _, ok := x.intArg(args[i], errNotInt); !ok {
					return
				}
			}
		}
		x.pass(touch, as, args)
	}
}

// pass executes a command that was checked and answers it.
func (x *call) pass(touch touching, as shape, args []string) {
	out := x.do(args...)
	if len(out) > 0 && out[0] == '-' {
		x.failed(string(out[1 : len(out)-2]))
		return
	}
	if touch != never && len(x.s.watched) > 0 {
		x.touchKeys(touch, out, args)
	}
	if as == plain && (x.proto < 3 || !bytes.Contains(out, []byte("-1\r\n"))) {
		x.raw(out)
		return
	}
	v, _, err := wire.Parse(out)
	if err != nil {
		x.refuse("miniredis answers nonsense: %v", err)
		return
	}
	x.answer(as, v)
}

// knownErrors are the errors of miniredis that are the server's too.
var knownErrors = []string{errWrongType, errNotInt, errOverflow, errNoKey, errIndex, "ERR hash value is not an integer"}

func (x *call) failed(text string) {
	if !slices.Contains(knownErrors, text) {
		x.refuse("miniredis answers an error that is not proven equal: %s", text)
		return
	}
	x.err(text)
}

// touchKeys touches what the command has written, when the reply says so.
func (x *call) touchKeys(touch touching, reply []byte, args []string) {
	switch touch {
	case positive:
		if reply[0] != ':' || reply[1] == '0' || reply[1] == '-' {
			return
		}
	case notNil:
		if bytes.HasPrefix(reply, []byte("$-1")) || bytes.HasPrefix(reply, []byte("*-1")) {
			return
		}
	case nonEmpty:
		if bytes.HasPrefix(reply, []byte("*0")) || bytes.HasPrefix(reply, []byte("*-1")) || bytes.HasPrefix(reply, []byte("$-1")) {
			return
		}
	}
	keys, _ := command.Keys(args)
	for _, k := range keys {
		if k.Access&command.Modify != 0 {
			x.touch(k.Name)
		}
	}
}

func (x *call) answer(as shape, v wire.Value) {
	if v.Kind == wire.Null || v.Kind == wire.Int {
		x.convert(v)
		return
	}
	switch as {
	case asMap:
		x.mapLen(len(v.Elems) / 2)
		for _, e := range v.Elems {
			x.convert(e)
		}
	case asSet:
		list := texts(v)
		sortMembers(list)
		x.setLen(len(list))
		for _, m := range list {
			x.bulk(m)
		}
	case asFloat:
		x.score(v)
	case scores:
		x.scored(v.Elems)
	default:
		x.convert(v)
	}
}

// score answers a score, which miniredis writes as redis 7.2 does, in the way of 7.0.
func (x *call) score(v wire.Value) {
	f, err := strconv.ParseFloat(v.Str, 64)
	if v.Kind != wire.Bulk || err != nil {
		x.convert(v)
		return
	}
	x.double(f)
}

// scored answers members and scores; RESP3 nests the pairs.
func (x *call) scored(flat []wire.Value) {
	if x.proto >= 3 {
		x.arrayLen(len(flat) / 2)
	} else {
		x.arrayLen(len(flat))
	}
	for i := 0; i+1 < len(flat); i += 2 {
		if x.proto >= 3 {
			x.arrayLen(2)
		}
		x.bulk(flat[i].Str)
		x.score(flat[i+1])
	}
}

// convert answers a RESP2 value in the protocol of the connection.
func (x *call) convert(v wire.Value) {
	switch v.Kind {
	case wire.Null:
		x.null()
	case wire.Int:
		x.int(v.Int)
	case wire.Bulk:
		x.bulk(v.Str)
	case wire.Simple:
		x.simple(v.Str)
	case wire.Error:
		x.err(v.Str)
	case wire.Array:
		x.arrayLen(len(v.Elems))
		for _, e := range v.Elems {
			x.convert(e)
		}
	default:
		x.refuse("miniredis answers a %c", v.Kind)
	}
}

func texts(v wire.Value) []string {
	list := make([]string, len(v.Elems))
	for i, e := range v.Elems {
		list[i] = e.Str
	}
	return list
}

// sortMembers puts the members of a set in an order of our own: numbers by value, as a server lists a set of integers,
// else as text. A server's order of other sets differs from process to process.
func sortMembers(list []string) {
	numbers := true
	for _, m := range list {
		_, ok := parseInt(m)
		numbers = numbers && ok
	}
	slices.SortFunc(list, func(a, b string) int {
		if numbers {
			x, _ := parseInt(a)
			y, _ := parseInt(b)
			switch {
			case x < y:
				return -1
			case x > y:
				return 1
			}
			return 0
		}
		return strings.Compare(a, b)
	})
}

// intArg reads an integer argument, or answers text.
func (x *call) intArg(s, text string) (int64, bool) {
	n, ok := parseInt(s)
	if !ok {
		x.err(text)
	}
	return n, ok
}

// notNegative reads a count, or answers text.
func (x *call) notNegative(s, text string) (int64, bool) {
	n, ok := parseInt(s)
	if !ok || n < 0 {
		x.err(text)
		return 0, false
	}
	return n, true
}

// floatArg reads a double, or answers text, or refuses.
func (x *call) floatArg(s, text string) (float64, bool) {
	f, ok, exotic := parseDouble(s)
	switch {
	case exotic:
		x.refuse("the number %q is read differently by C and Go", s)
	case !ok:
		x.err(text)
	}
	return f, ok && !exotic
}

// is checks the type of a key: exists is false when it isn't there; an error is answered when it is something else.
func (x *call) is(key, kind string) (exists, ok bool) {
	switch have := x.kind(key); have {
	case "":
		return false, true
	case kind:
		return true, true
	default:
		x.err(errWrongType)
		return true, false
	}
}
