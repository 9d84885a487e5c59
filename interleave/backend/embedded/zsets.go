package embedded

import (
	"math"
	"strconv"
	"strings"

	"github.com/racebench/racebench/interleave/wire"
)

// zaddOptions are those of ZADD.
type zaddOptions struct{ nx, xx, gt, lt, ch, incr bool }

// cmdZadd is ZADD, and ZINCRBY, for which the server reads the same options.
func cmdZadd(incr bool) handler {
	return func(x *call, args []string) {
		o := zaddOptions{incr: incr}
		pairs := o.read(args[2:])
		x.zadd(args[1], pairs, o)
	}
}

// read reads the options and returns what follows.
func (o *zaddOptions) read(args []string) []string {
	i := 0
options:
	for ; i < len(args); i++ {
		switch strings.ToUpper(args[i]) {
		case "NX":
			o.nx = true
		case "XX":
			o.xx = true
		case "GT":
			o.gt = true
		case "LT":
			o.lt = true
		case "CH":
			o.ch = true
		case "INCR":
			o.incr = true
		default:
			break options
		}
	}
	return args[i:]
}

// scoreOf is the score of a member.
func (x *call) scoreOf(key, member string) (f float64, ok bool) {
	v := x.value("ZSCORE", key, member)
	if v.Kind != wire.Bulk {
		return 0, false
	}
	f, err := strconv.ParseFloat(v.Str, 64)
	return f, err == nil
}

// zadd decides about each pair here, as miniredis gets pairs of the same member, INCR with GT and LT, and counting
// wrong, and has miniredis set what is to be set.
func (x *call) zadd(key string, pairs []string, o zaddOptions) {
	switch {
	case len(pairs) == 0 || len(pairs)%2 != 0:
		x.err(errSyntax)
		return
	case o.nx && o.xx:
		x.err("ERR XX and NX options at the same time are not compatible")
		return
	case o.gt && o.nx, o.lt && o.nx, o.gt && o.lt:
		x.err("ERR GT, LT, and/or NX options at the same time are not compatible")
		return
	case o.incr && len(pairs) > 2:
		x.err("ERR INCR option supports a single increment-element pair")
		return
	}
	given := make([]float64, len(pairs)/2)
	for i := range given {
		var ok bool
		if given[i], ok = x.floatArg(pairs[2*i], errNotFloat); !ok {
			return
		}
	}
	if _, ok := x.is(key, kindZset); !ok {
		return
	}
	added, updated, processed := 0, 0, false
	var score float64
	for i, s := range given {
		member := pairs[2*i+1]
		old, had := x.scoreOf(key, member)
		if had && o.nx || !had && o.xx {
			continue
		}
		score = s
		if o.incr && had {
			if score += old; math.IsNaN(score) {
				x.err("ERR resulting score is not a number (NaN)")
				return
			}
		}
		switch {
		case had && (o.lt && score >= old || o.gt && score <= old):
			continue
		case !had:
			added++
		case score != old:
			updated++
		}
		processed = true
		if !had || score != old {
			x.do("ZADD", key, strconv.FormatFloat(score, 'g', -1, 64), member)
		}
	}
	if added+updated > 0 {
		x.touch(key)
	}
	switch {
	case o.incr && !processed:
		x.null()
	case o.incr:
		x.double(score)
	case o.ch:
		x.int(int64(added + updated))
	default:
		x.int(int64(added))
	}
}

func cmdZmscore(x *call, args []string) {
	if _, ok := x.is(args[1], kindZset); !ok {
		return
	}
	x.arrayLen(len(args) - 2)
	for _, m := range args[2:] {
		if f, ok := x.scoreOf(args[1], m); ok {
			x.double(f)
		} else {
			x.null()
		}
	}
}

// cmdZpop is ZPOPMIN and ZPOPMAX. Without a count RESP3 does not nest the pair.
func cmdZpop(x *call, args []string) {
	if len(args) > 3 {
		x.err(errSyntax)
		return
	}
	if len(args) == 3 {
		n, ok := x.notNegative(args[2], errNotPositive)
		if !ok {
			return
		}
		if n == 0 {
			if _, ok := x.is(args[1], kindZset); ok {
				x.arrayLen(0)
			}
			return
		}
	}
	exists, ok := x.is(args[1], kindZset)
	if !ok {
		return
	}
	if !exists {
		x.arrayLen(0)
		return
	}
	flat := x.value(args...).Elems
	x.touch(args[1])
	if len(args) == 2 {
		x.arrayLen(2)
		x.bulk(flat[0].Str)
		x.score(flat[1])
		return
	}
	x.scored(flat)
}

// zrange is a request for a part of a sorted set.
type zrange struct {
	by                           byte // 'r' rank, 's' score, 'l' lex
	reverse, withScores, limited bool
	offset, count                int64
	low, high                    string
}

// readRange reads the options behind a range; modern are those of ZRANGE, which has BYSCORE, BYLEX and REV.
func (x *call) readRange(r *zrange, args []string, modern, scores bool) bool {
	r.count = -1
	for i := 0; i < len(args); i++ {
		switch word := strings.ToUpper(args[i]); {
		case word == "WITHSCORES" && scores:
			r.withScores = true
		case word == "LIMIT" && i+2 < len(args):
			var ok bool
			if r.offset, ok = x.intArg(args[i+1], errNotInt); !ok {
				return false
			}
			if r.count, ok = x.intArg(args[i+2], errNotInt); !ok {
				return false
			}
			r.limited = true
			i += 2
		case word == "REV" && modern:
			r.reverse = true
		case word == "BYSCORE" && modern:
			r.by = 's'
		case word == "BYLEX" && modern:
			r.by = 'l'
		default:
			x.err(errSyntax)
			return false
		}
	}
	switch {
	case r.limited && r.count != -1 && r.by == 'r':
		x.err("ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX")
		return false
	case r.withScores && r.by == 'l':
		x.err("ERR syntax error, WITHSCORES not supported in combination with BYLEX")
		return false
	}
	return x.boundsOK(r.by, r.low, r.high)
}

// boundsOK checks the ends of a range.
func (x *call) boundsOK(by byte, ends ...string) bool {
	for _, e := range ends {
		switch by {
		case 'r':
			if _, ok := x.intArg(e, errNotInt); !ok {
				return false
			}
		case 's':
			e = strings.TrimPrefix(e, "(")
			if strings.TrimSpace(e) != e || e == "" {
				x.refuse("the number %q is read differently by C and Go", e)
				return false
			}
			if _, ok := x.floatArg(e, "ERR min or max is not a float"); !ok {
				return false
			}
		case 'l':
			if e != "-" && e != "+" && !strings.HasPrefix(e, "[") && !strings.HasPrefix(e, "(") {
				x.err("ERR min or max not valid string range item")
				return false
			}
		}
	}
	return true
}

// zrange has miniredis select the members and scores of a range.
func (x *call) zrange(key string, r zrange) (flat []wire.Value, ok bool) {
	if _, ok := x.is(key, kindZset); !ok {
		return nil, false
	}
	line := []string{"ZRANGE", key, r.low, r.high}
	switch {
	case r.by == 's':
		line = append(line, "BYSCORE")
	case r.by == 'l':
		x.refuse("a range of members") // miniredis doesn't answer scores for them, and sorts by member
		return nil, false
	}
	if r.reverse {
		line = append(line, "REV")
	}
	if r.limited && r.by != 'r' {
		if r.offset < 0 {
			return nil, true
		}
		line = append(line, "LIMIT", strconv.FormatInt(r.offset, 10), strconv.FormatInt(r.count, 10))
	}
	v := x.value(append(line, "WITHSCORES")...)
	if v.IsErr() {
		x.failed(v.Str)
		return nil, false
	}
	return v.Elems, true
}

func (x *call) answerRange(key string, r zrange) {
	if r.by == 'l' {
		x.lexRange(key, r)
		return
	}
	flat, ok := x.zrange(key, r)
	switch {
	case !ok:
	case r.withScores:
		x.scored(flat)
	default:
		x.arrayLen(len(flat) / 2)
		for i := 0; i < len(flat); i += 2 {
			x.bulk(flat[i].Str)
		}
	}
}

// lexRange answers a range of members. It is defined only when all scores are the same, and refused otherwise.
func (x *call) lexRange(key string, r zrange) {
	exists, ok := x.is(key, kindZset)
	if !ok {
		return
	}
	if exists && !x.sameScores(key) {
		x.refuse("a range of members whose scores differ")
		return
	}
	line := []string{"ZRANGEBYLEX", key, r.low, r.high}
	if r.reverse {
		line[0] = "ZREVRANGEBYLEX"
	}
	if r.limited {
		if r.offset < 0 {
			x.arrayLen(0)
			return
		}
		line = append(line, "LIMIT", strconv.FormatInt(r.offset, 10), strconv.FormatInt(r.count, 10))
	}
	x.pass(never, plain, line)
}

func (x *call) sameScores(key string) bool {
	flat := x.value("ZRANGE", key, "0", "-1", "WITHSCORES").Elems
	return len(flat) == 0 || flat[1].Str == flat[len(flat)-1].Str
}

func cmdZrange(x *call, args []string) {
	r := zrange{by: 'r', low: args[2], high: args[3]}
	if x.readRange(&r, args[4:], true, true) {
		x.answerRange(args[1], r)
	}
}

// cmdZrangeOld is ZREVRANGE, ZRANGEBYSCORE, ZREVRANGEBYSCORE, ZRANGEBYLEX and ZREVRANGEBYLEX.
func cmdZrangeOld(by byte, reverse bool) handler {
	return func(x *call, args []string) {
		r := zrange{by: by, reverse: reverse, low: args[2], high: args[3]}
		if x.readRange(&r, args[4:], false, true) {
			x.answerRange(args[1], r)
		}
	}
}

// cmdZrangestore stores what ZRANGE answers; miniredis doesn't have it.
func cmdZrangestore(x *call, args []string) {
	r := zrange{by: 'r', low: args[3], high: args[4]}
	if !x.readRange(&r, args[5:], true, false) {
		return
	}
	flat, ok := x.zrange(args[2], r)
	if !ok {
		return
	}
	had := x.value("DEL", args[1]).Int > 0
	line := []string{"ZADD", args[1]}
	for i := 0; i+1 < len(flat); i += 2 {
		line = append(line, flat[i+1].Str, flat[i].Str)
	}
	if len(flat) > 0 {
		x.do(line...)
	}
	if had || len(flat) > 0 {
		x.touch(args[1])
	}
	x.int(int64(len(flat) / 2))
}

// cmdZbounds is ZCOUNT, ZLEXCOUNT and the ZREMRANGEBY family.
func cmdZbounds(by byte, touch touching) handler {
	return func(x *call, args []string) {
		if !x.boundsOK(by, args[2:]...) {
			return
		}
		exists, ok := x.is(args[1], kindZset)
		switch {
		case !ok:
		case !exists:
			x.int(0)
		case by == 'l' && !x.sameScores(args[1]):
			x.refuse("a range of members whose scores differ")
		default:
			x.pass(touch, plain, args)
		}
	}
}
