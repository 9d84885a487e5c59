package embedded

import (
	"crypto/sha1"
	"encoding/hex"
)

// handlers are the commands that the differential test has shown to be equal to a real server; a test asserts that it
// draws each of them. Whatever is missing here is refused.
var handlers map[string]handler

func init() { // scripts call handlers, which would make a cycle of a composite literal
	handlers = map[string]handler{
		// Connection
		"PING": cmdPing, "ECHO": cmdEcho, "HELLO": cmdHello, "SELECT": cmdSelect, "RESET": cmdReset, "QUIT": cmdQuit, "TIME": cmdTime,
		"CLIENT SETNAME": cmdClientSetname, "CLIENT GETNAME": cmdClientGetname, "CLIENT ID": cmdClientID,

		// Transactions
		"MULTI": cmdMulti, "EXEC": cmdExec, "DISCARD": cmdDiscard, "WATCH": cmdWatch, "UNWATCH": cmdUnwatch,

		// Publish and subscribe
		"SUBSCRIBE": cmdSubscribe, "PSUBSCRIBE": cmdPsubscribe, "UNSUBSCRIBE": cmdUnsubscribe, "PUNSUBSCRIBE": cmdPunsubscribe,
		"PUBLISH": cmdPublish, "PUBSUB CHANNELS": cmdPubsubChannels, "PUBSUB NUMSUB": cmdPubsubNumsub, "PUBSUB NUMPAT": cmdPubsubNumpat,

		// Keys
		"DEL": cmdDel, "UNLINK": cmdDel, "EXISTS": pass(never, plain), "TOUCH": pass(never, plain), "TYPE": pass(never, plain),
		"RENAME": cmdRename(false), "RENAMENX": cmdRename(true), "COPY": cmdCopy,
		"KEYS": cmdKeys, "SCAN": cmdScan, "DBSIZE": pass(never, plain), "RANDOMKEY": cmdRandomkey,
		"FLUSHDB": cmdFlush(false), "FLUSHALL": cmdFlush(true),
		"EXPIRE": cmdExpire("expire", true, true), "PEXPIRE": cmdExpire("pexpire", false, true),
		"EXPIREAT": cmdExpire("expireat", true, false), "PEXPIREAT": cmdExpire("pexpireat", false, false),
		"TTL": cmdTTL(true, true), "PTTL": cmdTTL(false, true), "EXPIRETIME": cmdTTL(true, false), "PEXPIRETIME": cmdTTL(false, false),
		"PERSIST": pass(positive, plain),

		// Strings
		"GET": pass(never, plain), "SET": cmdSet, "SETNX": pass(positive, plain),
		"SETEX": cmdSetex("EX", "setex"), "PSETEX": cmdSetex("PX", "psetex"),
		"GETSET": pass(always, plain), "GETDEL": pass(notNil, plain), "GETEX": cmdGetex, "MGET": pass(never, plain),
		"MSET": cmdMset("mset", always), "MSETNX": cmdMset("msetnx", positive), "STRLEN": pass(never, plain), "APPEND": pass(always, plain),
		"INCR": cmdIncr, "DECR": cmdIncr, "INCRBY": cmdIncr, "DECRBY": cmdDecrby, "INCRBYFLOAT": cmdIncrbyfloat,
		"GETRANGE": cmdGetrange, "SUBSTR": cmdGetrange, "SETRANGE": cmdSetrange,

		// Hashes
		"HSET": cmdHset("hset"), "HMSET": cmdHset("hmset"), "HSETNX": cmdHsetnx, "HGET": pass(never, plain), "HMGET": pass(never, plain),
		"HDEL": cmdHdel, "HEXISTS": pass(never, plain), "HLEN": pass(never, plain), "HSTRLEN": pass(never, plain),
		"HKEYS": cmdHlist(true, false), "HVALS": cmdHlist(false, true), "HGETALL": cmdHlist(true, true),
		"HINCRBY": cmdHincrby, "HINCRBYFLOAT": cmdHincrbyfloat,
		"HSCAN": cmdScanSmall(kindHash),

		// Lists
		"LPUSH": pass(always, plain), "RPUSH": pass(always, plain), "LPUSHX": pass(positive, plain), "RPUSHX": pass(positive, plain),
		"LPOP": cmdPop("lpop"), "RPOP": cmdPop("rpop"), "LLEN": pass(never, plain), "LRANGE": pass(never, plain, 2, 3), "LTRIM": cmdLtrim,
		"LINDEX": cmdLindex, "LSET": cmdLset, "LINSERT": cmdLinsert, "LREM": cmdLrem, "LPOS": cmdLpos,
		"LMOVE": cmdMove(0, true), "RPOPLPUSH": cmdMove(0, false), "BLMOVE": cmdMove(5, true), "BRPOPLPUSH": cmdMove(3, false),
		"BLPOP": cmdBpop(kindList, "LPOP"), "BRPOP": cmdBpop(kindList, "RPOP"),

		// Sets
		"SADD": pass(positive, plain), "SREM": pass(positive, plain), "SISMEMBER": pass(never, plain), "SMISMEMBER": pass(never, plain),
		"SCARD": pass(never, plain), "SMEMBERS": pass(never, asSet), "SPOP": cmdSpop, "SRANDMEMBER": cmdSrandmember, "SMOVE": cmdSmove,
		"SINTER": cmdCombine, "SUNION": cmdCombine, "SDIFF": cmdCombine,
		"SINTERSTORE": cmdCombineStore, "SUNIONSTORE": cmdCombineStore, "SDIFFSTORE": cmdCombineStore,
		"SSCAN": cmdScanSmall(kindSet),

		// Sorted sets
		"ZADD": cmdZadd(false), "ZINCRBY": cmdZadd(true), "ZREM": pass(positive, plain), "ZCARD": pass(never, plain),
		"ZSCORE": pass(never, asFloat), "ZMSCORE": cmdZmscore, "ZRANK": pass(never, plain), "ZREVRANK": pass(never, plain),
		"ZRANGE": cmdZrange, "ZRANGESTORE": cmdZrangestore, "ZREVRANGE": cmdZrangeOld('r', true),
		"ZRANGEBYSCORE": cmdZrangeOld('s', false), "ZREVRANGEBYSCORE": cmdZrangeOld('s', true),
		"ZRANGEBYLEX": cmdZrangeOld('l', false), "ZREVRANGEBYLEX": cmdZrangeOld('l', true),
		"ZCOUNT": cmdZbounds('s', never), "ZLEXCOUNT": cmdZbounds('l', never), "ZREMRANGEBYRANK": cmdZbounds('r', positive),
		"ZREMRANGEBYSCORE": cmdZbounds('s', positive), "ZREMRANGEBYLEX": cmdZbounds('l', positive),
		"ZPOPMIN": cmdZpop, "ZPOPMAX": cmdZpop, "BZPOPMIN": cmdBpop(kindZset, "ZPOPMIN"), "BZPOPMAX": cmdBpop(kindZset, "ZPOPMAX"),
		"ZSCAN": cmdScanSmall(kindZset),

		// Streams
		"XADD": cmdXadd, "XLEN": cmdXlen, "XRANGE": cmdXrange, "XREVRANGE": cmdXrange, "XREAD": cmdXread, "XDEL": cmdXdel,

		// Scripts
		"EVAL": cmdEval(false, false), "EVAL_RO": cmdEval(false, true), "EVALSHA": cmdEval(true, false), "EVALSHA_RO": cmdEval(true, true),
		"SCRIPT LOAD": cmdScriptLoad, "SCRIPT EXISTS": cmdScriptExists, "SCRIPT FLUSH": cmdScriptFlush,
	}
}

func sha1Hex(s string) string {
	sum := sha1.Sum([]byte(s))
	return hex.EncodeToString(sum[:])
}
