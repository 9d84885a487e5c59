package embedded

import (
	"strconv"
	"strings"
)

func cmdPing(x *call, args []string) {
	if len(args) > 2 {
		x.err(errArity("ping"))
		return
	}
	if x.proto == 2 && x.c.subscriptions() > 0 {
		x.arrayLen(2)
		x.bulk("pong")
		x.bulk(strings.Join(args[1:], ""))
		return
	}
	if len(args) == 1 {
		x.simple("PONG")
		return
	}
	x.bulk(args[1])
}

func cmdEcho(x *call, args []string) { x.bulk(args[1]) }

func cmdTime(x *call, _ []string) {
	micros := x.s.now.UnixMicro()
	x.arrayLen(2)
	x.bulk(strconv.FormatInt(micros/1_000_000, 10))
	x.bulk(strconv.FormatInt(micros%1_000_000, 10))
}

func cmdSelect(x *call, args []string) {
	n, ok := parseInt(args[1])
	switch {
	case !ok || int64(int32(n)) != n:
		x.err(errNotInt)
	case n < 0 || n >= databases:
		x.err(errDBRange)
	default:
		x.c.db = int(n)
		x.selectDB(int(n))
		x.ok()
	}
}

func cmdHello(x *call, args []string) {
	proto := x.proto
	rest := args[1:]
	if len(rest) > 0 {
		n, ok := parseInt(rest[0])
		if !ok {
			x.err("ERR Protocol version is not an integer or out of range")
			return
		}
		if n < 2 || n > 3 {
			x.err("NOPROTO unsupported protocol version")
			return
		}
		proto, rest = int(n), rest[1:]
	}
	for len(rest) > 0 {
		switch {
		case strings.EqualFold(rest[0], "AUTH") && len(rest) >= 3:
			x.refuse("users are not modelled")
			return
		case strings.EqualFold(rest[0], "SETNAME") && len(rest) >= 2:
			if !validName(rest[1]) {
				x.err(errBadName)
				return
			}
			x.c.name, rest = rest[1], rest[2:] // at once, whatever follows
		default:
			x.err("ERR Syntax error in HELLO option '" + rest[0] + "'")
			return
		}
	}
	x.c.proto, x.proto = proto, proto
	x.mapLen(7)
	x.bulk("server")
	x.bulk("redis")
	x.bulk("version")
	x.bulk(redisVersion)
	x.bulk("proto")
	x.int(int64(proto))
	x.bulk("id")
	x.int(x.c.id)
	x.bulk("mode")
	x.bulk("standalone")
	x.bulk("role")
	x.bulk("master")
	x.bulk("modules")
	x.arrayLen(0)
}

const errBadName = "ERR Client names cannot contain spaces, newlines or special characters."

func validName(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '!' || s[i] > '~' {
			return false
		}
	}
	return true
}

func cmdClientSetname(x *call, args []string) {
	if !validName(args[2]) {
		x.err(errBadName)
		return
	}
	x.c.name = args[2]
	x.ok()
}

func cmdClientGetname(x *call, _ []string) {
	if x.c.name == "" {
		x.null()
		return
	}
	x.bulk(x.c.name)
}

func cmdClientID(x *call, _ []string) { x.int(x.c.id) }

// cmdReset makes the connection as new.
func cmdReset(x *call, _ []string) {
	c := x.c
	c.endMulti()
	c.unsubscribeAll()
	c.proto, c.db, c.name = 2, 0, ""
	x.proto = 2
	x.simple("RESET")
}

func cmdQuit(x *call, _ []string) {
	x.ok()
	x.c.Close()
}
