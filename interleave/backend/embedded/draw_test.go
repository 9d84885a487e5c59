package embedded

import (
	"strings"

	"pgregory.net/rapid"
)

// templates are the command lines that the differential test draws, with {words} to be drawn: a key of a type, a value,
// a number. {a|b|} is one of several texts, or nothing. Each command of handlers must be here.
var templates = strings.Split(strings.TrimSpace(`
PING
PING {v}
ECHO {v}
TIME
SELECT {0|1|0|0|16|x}
HELLO {2|3|3|4|x|}
HELLO 3 SETNAME {v}
CLIENT SETNAME {v}
CLIENT GETNAME
CLIENT ID
RESET
MULTI
MULTI
EXEC
EXEC
DISCARD
WATCH {k}
WATCH {k} {k}
UNWATCH
SUBSCRIBE {ch}
SUBSCRIBE {ch} {ch}
PSUBSCRIBE {pat}
UNSUBSCRIBE {ch}
UNSUBSCRIBE
PUNSUBSCRIBE
PUNSUBSCRIBE {pat}
PUBLISH {ch} {v}
PUBLISH {ch} {v}
PUBSUB CHANNELS {|*|c?}
PUBSUB NUMSUB {ch} {ch}
PUBSUB NUMPAT
DEL {k} {k}
DEL {k}
UNLINK {k}
EXISTS {k} {k}
TOUCH {k} {k}
TYPE {k}
RENAME {k} {k}
RENAMENX {k} {k}
COPY {k} {k} {|REPLACE}
KEYS {*|?1|[st]*|s[12]|x}
SCAN 0 {|COUNT 1000} {|MATCH *1} {|TYPE hash|TYPE string}
DBSIZE
RANDOMKEY
FLUSHDB {|ASYNC|SYNC|x}
FLUSHALL
EXPIRE {k} {ttl} {|NX|XX|GT|LT|XX GT|NX XX|GT LT|q}
PEXPIRE {k} {msec} {|NX|XX|GT|LT}
EXPIREAT {k} {ats} {|NX|XX|GT|LT}
PEXPIREAT {k} {at} {|NX|XX|GT|LT}
TTL {k}
PTTL {k}
EXPIRETIME {k}
PEXPIRETIME {k}
PERSIST {k}
GET {s}
SET {s} {v}
SET {k} {v}
SET {s} {n} {|NX|XX|GET|KEEPTTL|NX GET|XX GET|KEEPTTL GET} {|EX 10|PX 1500|EX 0|PX x|KEEPTTL}
SET {s} {v} {EX|PX} {ttl} {|NX|XX|GET}
SET {s} {v} PXAT {at}
SET {s} {v} EXAT {ats}
SETNX {s} {v}
SETEX {s} {ttl} {v}
PSETEX {s} {msec} {v}
GETSET {s} {v}
GETDEL {s}
GETEX {s} {|PERSIST|EX 10|PX 1500|EX 0|PERSIST x}
GETEX {s} PXAT {at}
GETEX {s} EXAT {ats}
MGET {k} {s} {s}
MSET {s} {v} {s} {n}
MSETNX {s} {v} {s} {v}
STRLEN {s}
APPEND {s} {v}
INCR {s}
DECR {s}
INCRBY {s} {n}
DECRBY {s} {n}
INCRBYFLOAT {s} {num}
GETRANGE {s} {n} {n}
SUBSTR {s} {n} {n}
SETRANGE {s} {n} {v}
HSET {h} {f} {v}
HSET {h} {f} {n} {f} {v}
HMSET {h} {f} {v} {f} {n}
HSETNX {h} {f} {v}
HGET {h} {f}
HMGET {h} {f} {f}
HDEL {h} {f} {f}
HEXISTS {h} {f}
HLEN {h}
HSTRLEN {h} {f}
HKEYS {h}
HVALS {h}
HGETALL {h}
HINCRBY {h} {f} {n}
HINCRBYFLOAT {h} {f} {num}
HSCAN {h} {0|0|x} {|MATCH f*|MATCH *1|COUNT 100}
LPUSH {l} {v} {v}
RPUSH {l} {v} {v} {v}
LPUSHX {l} {v}
RPUSHX {l} {v}
LPOP {l} {|n}
RPOP {l} {|2|0|-1|x}
LLEN {l}
LRANGE {l} {n} {n}
LTRIM {l} {n} {n}
LINDEX {l} {n}
LSET {l} {n} {v}
LINSERT {l} {BEFORE|AFTER|x} {v} {v}
LREM {l} {n} {v}
LPOS {l} {v} {|RANK -1|RANK 2|RANK 0} {|COUNT 0|COUNT 2|COUNT -1} {|MAXLEN 2|MAXLEN 0}
LMOVE {l} {l} {LEFT|RIGHT|x} {LEFT|RIGHT}
RPOPLPUSH {l} {l}
BLMOVE {l} {l} {LEFT|RIGHT} {LEFT|RIGHT} {0|1.5|-1|x}
BRPOPLPUSH {l} {l} 0
BLPOP {l} {l} {0|1|-1|x}
BRPOP {l} {k} 0
SADD {t} {m} {m}
SADD {t} {n} {n}
SREM {t} {m} {m}
SISMEMBER {t} {m}
SMISMEMBER {t} {m} {m}
SCARD {t}
SMEMBERS {t}
SPOP {t} {|1|10|-1|x}
SRANDMEMBER {t}
SMOVE {t} {t} {m}
SINTER {t} {t}
SUNION {t} {t} {k}
SDIFF {t} {t}
SINTERSTORE {t} {t} {t}
SUNIONSTORE {k} {t} {t}
SDIFFSTORE {t} {t} {t}
SSCAN {t} 0 {|MATCH a|COUNT 100} {|COUNT 1000}
ZADD {z} {|NX|XX|GT|LT|CH|XX CH|GT CH|NX XX|GT NX} {num} {m}
ZADD {z} {|CH} {num} {m} {num} {m}
ZADD {z} INCR {|NX|XX|GT|LT} {num} {m}
ZINCRBY {z} {num} {m}
ZREM {z} {m} {m}
ZCARD {z}
ZSCORE {z} {m}
ZMSCORE {z} {m} {m}
ZRANK {z} {m}
ZREVRANK {z} {m}
ZRANGE {z} {n} {n} {|REV} {|WITHSCORES}
ZRANGE {z} {bound} {bound} BYSCORE {|REV} {|LIMIT 1 2|LIMIT 0 -1|LIMIT -1 2} {|WITHSCORES}
ZRANGE {z} {lex} {lex} BYLEX {|REV} {|LIMIT 1 1}
ZRANGESTORE {k} {z} {n} {n} {|REV}
ZRANGESTORE {z} {z} {bound} {bound} BYSCORE {|LIMIT 0 1}
ZREVRANGE {z} {n} {n} {|WITHSCORES}
ZRANGEBYSCORE {z} {bound} {bound} {|WITHSCORES} {|LIMIT 0 2}
ZREVRANGEBYSCORE {z} {bound} {bound} {|WITHSCORES} {|LIMIT 1 1}
ZRANGEBYLEX {z} {lex} {lex} {|LIMIT 0 1}
ZREVRANGEBYLEX {z} {lex} {lex}
ZCOUNT {z} {bound} {bound}
ZLEXCOUNT {z} {lex} {lex}
ZREMRANGEBYRANK {z} {n} {n}
ZREMRANGEBYSCORE {z} {bound} {bound}
ZREMRANGEBYLEX {z} {lex} {lex}
ZPOPMIN {z} {|2|0|-1|x}
ZPOPMAX {z} {|1}
BZPOPMIN {z} {z} {0|-1|x}
BZPOPMAX {z} 0
ZSCAN {z} 0 {|MATCH [ab]|COUNT 100}
XADD {x} * {f} {v}
XADD {x} {id} {f} {v} {f} {n}
XLEN {x}
XRANGE {x} {-|+|id} {+|-|id} {|COUNT 2}
XREVRANGE {x} {+|id} {-|id} {|COUNT 1}
XREAD {|COUNT 1|COUNT 2} STREAMS {x} {0|$|id}
XREAD {|COUNT 2} {BLOCK 0|BLOCK 10|BLOCK -1|BLOCK x} STREAMS {x} {k} {0|$|id} {0|$|id}
XDEL {x} {id}
XDEL {x} {id} {id}
EVAL {script} 2 {s} {h} {v} {n}
EVAL {script} {0|1|3|-1|x|9} {s} {h} {v} {n}
EVAL_RO {script} 2 {s} {h} {v} {n}
EVALSHA {sha} 2 {s} {h} {v} {n}
EVALSHA_RO {sha} 2 {s} {h} {v} {n}
SCRIPT LOAD {script}
SCRIPT EXISTS {sha} {sha}
SCRIPT FLUSH {|SYNC|ASYNC|x}
QUIT
NONSENSE {v} {v}
XGROUP NONSENSE {x}
`), "\n")

// scriptTexts are scripts that use KEYS[1] as a string or anything, KEYS[2] as a hash, ARGV[1] as text, ARGV[2] as number.
var scriptTexts = []string{
	`return redis.call('GET', KEYS[1])`,
	`return redis.call('SET', KEYS[1], ARGV[1])`,
	`return {KEYS[1], ARGV[1], 1, 2.7, false, true, 'x'}`,
	`return {1, nil, 2}`, `return true`, `return false`, `return nil`, `return {}`, `return -1`, `return 'a' .. 12 .. ARGV[1]`,
	`return redis.status_reply('FINE')`, `return {ok = 'FINE'}`, `return redis.error_reply('MY error')`, `return {err = 'MY error'}`,
	`if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) else return 0 end`,
	`local v = redis.call('INCR', KEYS[1]) redis.call('PEXPIRE', KEYS[1], 100) return v`,
	`redis.call('HSET', KEYS[2], 'a', ARGV[1], 'b', ARGV[2]) return redis.call('HGETALL', KEYS[2])`,
	`redis.call('HSET', KEYS[2], 'n', 1)
	local v = redis.call('LPUSH', KEYS[1], ARGV[1])
	return v`,
	`local r = redis.pcall('LPUSH', KEYS[1], ARGV[1]) if type(r) == 'table' then return r.err end return r`,
	`return redis.pcall('INCR', KEYS[1])`,
	`return redis.call('NONSENSE')`, `return redis.call('GET')`, `return redis.call('MULTI')`, `return redis.call('BLPOP', 'l1', 0)`,
	`return redis.call('PUBLISH', 'c1', ARGV[1])`,
	`local t = redis.call('TIME') return t`,
	`for i, k in ipairs(KEYS) do redis.call('SADD', 't1', k) end return #KEYS`,
	`redis.call('ZADD', 'z1', ARGV[2], ARGV[1]) return redis.call('ZRANGE', 'z1', 0, -1, 'WITHSCORES')`,
	`return redis.call('LRANGE', 'l1', 0, -1)`, `return redis.call('PTTL', KEYS[1])`,
	`return tonumber(ARGV[2]) and tonumber(ARGV[2]) + 1`,
	`return string.sub(ARGV[1], 1, 2) .. ('x'):rep(3) .. #ARGV[1]`,
	`local a = {} table.insert(a, ARGV[1]) table.insert(a, 1, 'first') return a`,
	`return redis.call('MGET', KEYS[1], KEYS[2], 'nothing')`,
	`return math.floor(7 / 2) + math.max(1, 2)`,
	`return redis.call('SET', KEYS[1], 12, 'NX')`, `return redis.call('EXISTS', KEYS[1], KEYS[2])`,
	`redis.call('DEL', KEYS[1]) redis.call('DEL', KEYS[2]) return 1`, `return redis.call('SMEMBERS', 't1')`,
	`return redis.call('XADD', 'x1', '*', 'f', ARGV[1])`, `return redis.call('SELECT', 1)`, `return redis.call('EVAL', 'return 1', 0)`,
	`return ARGV[9]`, `return {{1, {2}}, {'x', {}}}`,
}

var (
	keysOf  = map[string][]string{"s": {"s1", "s2"}, "h": {"h1", "h2"}, "l": {"l1", "l2"}, "t": {"t1", "t2"}, "z": {"z1", "z2"}, "x": {"x1"}}
	allKeys = []string{"s1", "s2", "h1", "h2", "l1", "l2", "t1", "t2", "z1", "z2", "x1"}

	words = map[string][]string{
		"ch":    {"c1", "c2"},
		"pat":   {"c*", "c?", "[c]1", "d*"},
		"v":     {"a", "b", "c", "5", "-7", "", "two words", "1.5", "3.0e3", "ü\r\n", "9223372036854775807"},
		"f":     {"f1", "f2", "f3", ""},
		"m":     {"a", "b", "c", "d", "5", ""},
		"n":     {"0", "1", "-1", "2", "-2", "3", "5", "-5", "100", "-100", "9223372036854775807", "-9223372036854775808"},
		"badn":  {"x", "", "1.5", " 1", "+1", "01", "9223372036854775808", "-0"},
		"num":   {"0", "1", "2", "-1", "1.5", "0.1", "3e2", "100", "-2.25", "inf", "-inf", "1e17", "12345678901"},
		"bound": {"-inf", "+inf", "0", "1", "(1", "(2", "1.5", "2", "100", "x", "(x"},
		"lex":   {"-", "+", "[a", "(a", "[b", "(c", "[d", "x"},
		"ttl":   {"1", "2", "10", "0", "-1", "100"},
		"msec":  {"1", "10", "100", "1500", "999", "500", "0", "-1", "100000"},
		// Virtual time begins at 946684800 s, the year 2000.
		"at":  {"946684800001", "946684800100", "946684801000", "946684860000", "946684800000", "1", "0", "-1", "946700000000"},
		"ats": {"946684801", "946684802", "946684860", "946684800", "1", "0", "946700000"},
		"id":  {"1-1", "1-2", "2-0", "5-5", "946684800000-0", "0-0", "3-1"},
	}
	junk = []string{"x", "", "NX", "10", "LIMIT", "-1", "COUNT"}
)

// drawLine draws a command line.
func drawLine(t *rapid.T, templates []string) []string {
	template := rapid.SampledFrom(templates).Draw(t, "template")
	args := fill(t, template)
	if rapid.IntRange(0, 24).Draw(t, "spoil") == 0 { // a syntax error, now and then
		switch how := rapid.IntRange(0, 2).Draw(t, "how"); {
		case how == 0:
			args = append(args, rapid.SampledFrom(junk).Draw(t, "more"))
		case how == 1 && len(args) > 1:
			args = args[:len(args)-1]
		case how == 2 && len(args) > 2:
			args[rapid.IntRange(2, len(args)-1).Draw(t, "place")] = rapid.SampledFrom(append(junk, words["badn"]...)).Draw(t, "junk")
		}
	}
	return args
}

func fill(t *rapid.T, template string) []string {
	var args []string
	for template != "" {
		word, rest := template, ""
		if strings.HasPrefix(template, "{") {
			i := strings.Index(template, "}")
			word, rest = template[:i+1], strings.TrimPrefix(template[i+1:], " ")
		} else if i := strings.IndexByte(template, ' '); i >= 0 {
			word, rest = template[:i], template[i+1:]
		}
		template = rest
		if !strings.HasPrefix(word, "{") {
			args = append(args, word)
			continue
		}
		name := strings.Trim(word, "{}")
		if strings.Contains(name, "|") {
			choice := rapid.SampledFrom(strings.Split(name, "|")).Draw(t, "option")
			if _, ok := words[choice]; ok && (choice == "id" || choice == "n") {
				args = append(args, drawWord(t, choice))
			} else {
				args = append(args, strings.Fields(choice)...)
			}
			continue
		}
		args = append(args, drawWord(t, name))
	}
	return args
}

func drawWord(t *rapid.T, name string) string {
	switch name {
	case "k":
		return rapid.SampledFrom(allKeys).Draw(t, "key")
	case "script":
		return rapid.SampledFrom(scriptTexts).Draw(t, "script")
	case "sha":
		return sha1Hex(rapid.SampledFrom(scriptTexts[:8]).Draw(t, "script"))
	}
	if keys, ok := keysOf[name]; ok {
		if rapid.IntRange(0, 11).Draw(t, "other") == 0 {
			keys = allKeys
		}
		return rapid.SampledFrom(keys).Draw(t, "key")
	}
	return rapid.SampledFrom(words[name]).Draw(t, name)
}

// commandOf is the command of a template, as handlers has it.
func commandOf(template string) string {
	w := strings.Fields(template)
	if len(w) > 1 && (w[0] == "CLIENT" || w[0] == "PUBSUB" || w[0] == "SCRIPT" || w[0] == "XGROUP") {
		return w[0] + " " + w[1]
	}
	return w[0]
}
