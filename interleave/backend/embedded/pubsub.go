package embedded

import (
	"slices"
	"sort"
)

// patternSub is one PSUBSCRIBE of one connection; the server delivers in their order.
type patternSub struct {
	pattern string
	c       *Conn
}

func (c *Conn) subscriptions() int { return len(c.channels) + len(c.patterns) }

// confirm answers one (un)subscription; no name is a null.
func (x *call) confirm(what string, name *string) {
	x.pushLen(3)
	x.bulk(what)
	if name == nil {
		x.null()
	} else {
		x.bulk(*name)
	}
	x.int(int64(x.c.subscriptions()))
}

func cmdSubscribe(x *call, args []string) {
	c := x.c
	for _, ch := range args[1:] {
		if !slices.Contains(c.channels, ch) {
			c.channels = append(c.channels, ch)
			c.s.channels[ch] = append(c.s.channels[ch], c)
		}
		x.confirm("subscribe", &ch)
	}
}

func cmdPsubscribe(x *call, args []string) {
	c := x.c
	for _, p := range args[1:] {
		if !slices.Contains(c.patterns, p) {
			c.patterns = append(c.patterns, p)
			c.s.patterns = append(c.s.patterns, patternSub{p, c})
		}
		x.confirm("psubscribe", &p)
	}
}

func cmdUnsubscribe(x *call, args []string) {
	x.unsubscribe("unsubscribe", args[1:], x.c.channels, x.c.dropChannel)
}

func cmdPunsubscribe(x *call, args []string) {
	x.unsubscribe("punsubscribe", args[1:], x.c.patterns, x.c.dropPattern)
}

// unsubscribe drops the names given, or all; without any to drop the server answers once with a null.
func (x *call) unsubscribe(what string, names, all []string, drop func(string)) {
	if len(names) == 0 {
		if len(all) == 0 {
			x.confirm(what, nil)
			return
		}
		names = slices.Sorted(slices.Values(all))
	}
	for _, n := range names {
		drop(n)
		x.confirm(what, &n)
	}
}

func (c *Conn) dropChannel(ch string) {
	i := slices.Index(c.channels, ch)
	if i < 0 {
		return
	}
	c.channels = slices.Delete(c.channels, i, i+1)
	left := slices.DeleteFunc(c.s.channels[ch], func(o *Conn) bool { return o == c })
	if len(left) == 0 {
		delete(c.s.channels, ch)
	} else {
		c.s.channels[ch] = left
	}
}

func (c *Conn) dropPattern(p string) {
	i := slices.Index(c.patterns, p)
	if i < 0 {
		return
	}
	c.patterns = slices.Delete(c.patterns, i, i+1)
	c.s.patterns = slices.DeleteFunc(c.s.patterns, func(s patternSub) bool { return s.c == c && s.pattern == p })
}

func (c *Conn) unsubscribeAll() {
	for _, ch := range slices.Clone(c.channels) {
		c.dropChannel(ch)
	}
	for _, p := range slices.Clone(c.patterns) {
		c.dropPattern(p)
	}
}

// cmdPublish delivers at once: to those on the channel, then to the patterns.
func cmdPublish(x *call, args []string) {
	channel, message := args[1], args[2]
	n := 0
	for _, c := range x.s.channels[channel] {
		c.push("message", channel, message)
		n++
	}
	for _, p := range x.s.patterns {
		if match(p.pattern, channel) {
			p.c.push("pmessage", p.pattern, channel, message)
			n++
		}
	}
	x.int(int64(n))
}

func (c *Conn) push(words ...string) {
	r := reply{out: c.pushes, proto: c.proto}
	r.pushLen(len(words))
	for _, w := range words {
		r.bulk(w)
	}
	c.pushes = r.out
}

func cmdPubsubChannels(x *call, args []string) {
	if len(args) > 3 {
		x.err("ERR unknown subcommand or wrong number of arguments for '" + args[1] + "'. Try PUBSUB HELP.")
		return
	}
	var list []string
	for ch := range x.s.channels { // any order: sorted below
		if len(args) == 2 || match(args[2], ch) {
			list = append(list, ch)
		}
	}
	sort.Strings(list)
	x.bulks(list)
}

func cmdPubsubNumsub(x *call, args []string) {
	x.arrayLen(2 * (len(args) - 2))
	for _, ch := range args[2:] {
		x.bulk(ch)
		x.int(int64(len(x.s.channels[ch])))
	}
}

func cmdPubsubNumpat(x *call, _ []string) {
	patterns := map[string]bool{}
	for _, p := range x.s.patterns {
		patterns[p.pattern] = true
	}
	x.int(int64(len(patterns)))
}
