package embedded

import "strings"

// cmdSpop takes the first members in order, where a server takes any.
func cmdSpop(x *call, args []string) {
	if len(args) > 3 {
		x.err(errSyntax)
		return
	}
	count := int64(1)
	if len(args) == 3 {
		var ok bool
		if count, ok = x.notNegative(args[2], errNotPositive); !ok {
			return
		}
	}
	exists, ok := x.is(args[1], kindSet)
	if !ok {
		return
	}
	if len(args) == 2 && !exists {
		x.null()
		return
	}
	all := texts(x.value("SMEMBERS", args[1]))
	sortMembers(all)
	taken := all[:min(count, int64(len(all)))]
	x.chose("SPOP", len(taken) > 0 && len(taken) < len(all))
	if len(taken) > 0 {
		x.do(append([]string{"SREM", args[1]}, taken...)...)
		x.touch(args[1])
	}
	if len(args) == 2 {
		x.bulk(taken[0])
		return
	}
	x.setLen(len(taken))
	for _, m := range taken {
		x.bulk(m)
	}
}

// cmdSrandmember is the form without a count.
func cmdSrandmember(x *call, args []string) {
	if len(args) > 2 {
		x.refuse("SRANDMEMBER with a count")
		return
	}
	exists, ok := x.is(args[1], kindSet)
	if !ok {
		return
	}
	if !exists {
		x.null()
		return
	}
	all := texts(x.value("SMEMBERS", args[1]))
	sortMembers(all)
	x.chose("SRANDMEMBER", len(all) > 1)
	x.bulk(all[0])
}

func cmdSmove(x *call, args []string) {
	from, to, m := args[1], args[2], args[3]
	exists, ok := x.is(from, kindSet)
	if !ok {
		return
	}
	if !exists {
		x.int(0)
		return
	}
	if _, ok := x.is(to, kindSet); !ok {
		return
	}
	if from == to {
		x.pass(never, plain, []string{"SISMEMBER", from, m})
		return
	}
	had := x.value("SISMEMBER", to, m).Int > 0
	moved := x.value("SMOVE", from, to, m).Int
	if moved > 0 {
		x.touch(from)
		if !had {
			x.touch(to)
		}
	}
	x.int(moved)
}

// setsOK checks the types of all keys, which miniredis does only until it has its result.
func (x *call) setsOK(keys []string) bool {
	for _, key := range keys {
		if _, ok := x.is(key, kindSet); !ok {
			return false
		}
	}
	return true
}

func cmdCombine(x *call, args []string) {
	if x.setsOK(args[1:]) {
		x.pass(never, asSet, args)
	}
}

// cmdCombineStore stores what the command without STORE answers.
func cmdCombineStore(x *call, args []string) {
	if !x.setsOK(args[2:]) {
		return
	}
	line := append([]string{strings.TrimSuffix(strings.ToUpper(args[0]), "STORE")}, args[2:]...)
	members := texts(x.value(line...))
	had := x.value("DEL", args[1]).Int > 0
	if len(members) > 0 {
		x.do(append([]string{"SADD", args[1]}, members...)...)
	}
	if had || len(members) > 0 {
		x.touch(args[1])
	}
	x.int(int64(len(members)))
}
