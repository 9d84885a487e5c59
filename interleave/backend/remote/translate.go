package remote

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/racebench/racebench/interleave/wire"
)

// translation is what to send for a command, and what to make of the reply.
type translation struct {
	args   []string
	post   func(raw []byte) []byte         // nil: the reply is right as it is
	timed  bool                            // it holds the time at which it was made
	refuse string                          // why it can't be had
	behind func(id string) (args []string) // XADD * with another id, for a stream that is ahead of the clock
}

// past is a deadline that has passed on every clock.
const past = 1

// latest bounds the times that are translated; what is beyond is left to the server, which refuses most of it.
const latest = 1 << 60

// park is the deadline to write for a virtual one. With dead, what is due at once is due for the server too: commands
// that compare with "not later than now" delete the key.
func (sh *shift) park(deadline int64, dead bool) string {
	now := sh.nowMs()
	sh.expect(deadline)
	if deadline < now || dead && deadline == now {
		return strconv.Itoa(past)
	}
	return strconv.FormatInt(deadline+parked, 10)
}

// number reads an integer argument as the server does, and with unit 1000 turns seconds into milliseconds.
func number(s string, unit int64) (int64, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n > latest/unit || n < -latest/unit {
		return 0, false
	}
	return n * unit, true
}

// translate rewrites a command. What is malformed stays as it is, so that the error is the server's.
func (sh *shift) translate(name string, args []string) translation {
	same := translation{args: args}
	switch name {
	case "EXPIRE", "PEXPIRE", "EXPIREAT", "PEXPIREAT":
		if len(args) < 3 {
			return same
		}
		n, ok := number(args[2], unitOf(name))
		if !ok {
			return same
		}
		timed := !strings.HasSuffix(name, "AT")
		if timed {
			n += sh.nowMs()
		}
		out := append([]string{"PEXPIREAT", args[1], sh.park(n, true)}, args[3:]...)
		return translation{args: out, timed: true}
	case "SETEX", "PSETEX":
		if len(args) != 4 {
			return same
		}
		n, ok := number(args[2], unitOf(name))
		if !ok || n <= 0 {
			return same
		}
		return translation{args: []string{"SET", args[1], args[3], "PXAT", sh.park(sh.nowMs()+n, false)}, timed: true}
	case "SET":
		return sh.options(args, 3, false)
	case "GETEX":
		return sh.options(args, 2, true)
	case "RESTORE":
		return sh.restore(args)
	case "XADD":
		return sh.xadd(args)
	case "TIME":
		if len(args) != 1 {
			return same
		}
		return translation{args: args, post: sh.time, timed: false}
	case "TTL", "PTTL", "EXPIRETIME", "PEXPIRETIME":
		if len(args) != 2 {
			return same
		}
		return translation{args: []string{"PEXPIRETIME", args[1]}, post: func(raw []byte) []byte { return sh.left(name, raw) }}
	case "EVAL", "EVAL_RO", "EVALSHA", "EVALSHA_RO", "SCRIPT", "FUNCTION", "FCALL", "FCALL_RO":
		return sh.script(name, args)
	}
	return translation{args: args, refuse: sh.unable(name, args)}
}

// unitOf is what one stands for in a time argument, in ms.
func unitOf(name string) int64 {
	if name[0] == 'P' {
		return 1
	}
	return 1000
}

// unable says why a command can't be translated, or nothing.
func (sh *shift) unable(name string, args []string) string {
	switch name {
	case "HEXPIRE", "HPEXPIRE", "HEXPIREAT", "HPEXPIREAT", "HTTL", "HPTTL", "HEXPIRETIME", "HPEXPIRETIME", "HGETEX",
		"HSETEX", "MSETEX":
		return "deadlines of this kind can't follow the virtual clock on a server that keeps its own"
	case "XCLAIM", "XAUTOCLAIM":
		if len(args) > 4 && args[4] != "0" {
			return "idle times are counted by the server's own clock"
		}
	case "XPENDING":
		if len(args) > 3 {
			return "idle times are counted by the server's own clock"
		}
	case "OBJECT":
		if len(args) > 1 && strings.EqualFold(args[1], "IDLETIME") {
			return "idle times are counted by the server's own clock"
		}
	}
	return ""
}

// options rewrites EX, PX, EXAT and PXAT from args[from] on.
func (sh *shift) options(args []string, from int, dead bool) translation {
	t := translation{args: args}
	for i := from; i+1 < len(args); i++ {
		word := strings.ToUpper(args[i])
		unit := int64(1000)
		switch word {
		case "PX", "PXAT":
			unit = 1
		case "EX", "EXAT":
		default:
			continue
		}
		n, ok := number(args[i+1], unit)
		if !ok || n <= 0 {
			return translation{args: args}
		}
		if !strings.HasSuffix(word, "AT") {
			n += sh.nowMs()
		}
		if !t.timed {
			t.args, t.timed = append([]string(nil), args...), true
		}
		t.args[i], t.args[i+1] = "PXAT", sh.park(n, dead)
		i++
	}
	return t
}

// restore rewrites RESTORE key ttl value [REPLACE] [ABSTTL] ….
func (sh *shift) restore(args []string) translation {
	same := translation{args: args}
	if len(args) < 4 {
		return same
	}
	n, ok := number(args[2], 1)
	if !ok || n <= 0 {
		return same
	}
	out := append([]string(nil), args...)
	absolute := false
	for _, a := range args[4:] {
		absolute = absolute || strings.EqualFold(a, "ABSTTL")
	}
	if !absolute {
		n += sh.nowMs()
		out = append(out, "ABSTTL")
	}
	out[2] = sh.park(n, true)
	return translation{args: out, timed: true}
}

// xadd gives an entry the virtual time where the client leaves the id to the server.
func (sh *shift) xadd(args []string) translation {
	i := 2
	for i < len(args) {
		switch strings.ToUpper(args[i]) {
		case "NOMKSTREAM", "KEEPREF", "DELREF", "ACKED":
			i++
			continue
		case "MAXLEN", "MINID":
			if i++; i < len(args) && (args[i] == "~" || args[i] == "=") {
				i++
			}
			i++
			continue
		case "LIMIT":
			i += 2
			continue
		}
		break
	}
	if i >= len(args) || args[i] != "*" {
		return translation{args: args}
	}
	with := func(id string) []string {
		out := append([]string(nil), args...)
		out[i] = id
		return out
	}
	return translation{args: with(strconv.FormatInt(sh.nowMs(), 10) + "-*"), timed: true, behind: with}
}

// time is the answer to TIME.
func (sh *shift) time(raw []byte) []byte {
	if raw[0] != '*' {
		return raw
	}
	us := sh.s.now.UnixMicro()
	out := wire.AppendArrayLen(nil, 2)
	out = wire.AppendBulk(out, strconv.FormatInt(us/1e6, 10))
	return wire.AppendBulk(out, strconv.FormatInt(us%1e6, 10))
}

// left turns a parked deadline into the answer of a command that asks for it.
func (sh *shift) left(name string, raw []byte) []byte {
	if raw[0] != ':' {
		return raw
	}
	p, err := strconv.ParseInt(string(bytes.TrimSpace(raw[1:])), 10, 64)
	if err != nil || p < parked {
		return raw // no key, no deadline
	}
	deadline := p - parked
	switch name {
	case "PEXPIRETIME":
		return wire.AppendInt(nil, deadline)
	case "EXPIRETIME":
		return wire.AppendInt(nil, (deadline+500)/1000)
	case "PTTL":
		return wire.AppendInt(nil, max(deadline-sh.nowMs(), 0))
	}
	return wire.AppendInt(nil, (max(deadline-sh.nowMs(), 0)+500)/1000)
}
