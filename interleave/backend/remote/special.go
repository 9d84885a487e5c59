package remote

import (
	"bytes"
	"maps"
	"strings"

	"github.com/racebench/racebench/interleave/wire"
)

// maxKnown bounds the replies remembered.
const maxKnown = 1000

var replyOK = []byte("+OK\r\n")

// special executes a command that does something beside reading and writing keys.
func (c *conn) special(k kind, args []string) ([]byte, error) {
	s := c.s
	switch k {
	case expiring:
		if len(args) > 3 || !strings.EqualFold(args[0], "SET") {
			return c.expiring(args)
		}
	case hello, client, selectDB, resetting:
		return c.handshake(k, args)
	case multi:
		if !c.quiet() {
			raw, err := c.bound(args)
			c.multi = c.multi || err == nil && raw[0] == '+'
			return bytes.Clone(raw), err
		}
		if len(args) == 1 {
			// The answer is known and nobody can see that the server learns it with the next command.
			c.multi, c.begun = true, true
			return bytes.Clone(replyOK), nil
		}
	case exec, discard:
		return c.endTx(k, args)
	case binding:
		if err := c.attach(); err != nil {
			return nil, err
		}
		c.l.dirty = true
	case subscribe:
		return c.subscribe(args)
	case eval, evalsha, script:
		return c.script(k, args)
	case function:
		raw, err := c.roundTrip(args)
		s.functions, s.mayExpire = true, true // afterwards: the flush of the last world's may come in front
		return bytes.Clone(raw), err
	case config:
		return c.config(args)
	case persistent:
		return nil, s.refuse(args, "it would touch files or end the server, and a world has neither")
	case soiling:
		s.soiled = strings.ToUpper(args[0])
	}
	raw, err := c.roundTrip(args)
	return bytes.Clone(raw), err
}

// quiet reports whether the connection answers as a new one does: inside MULTI it queues, and in the subscribed mode of
// RESP2 it refuses nearly everything.
func (c *conn) quiet() bool { return !c.multi && (c.l == nil || !c.l.listening) }

// expiring executes a command that may give a key a deadline. One that has passed leaves a key that is due at once,
// which the server keeps until it looks at it: it is swept before the next command.
func (c *conn) expiring(args []string) ([]byte, error) {
	c.s.mayExpire = true
	raw, err := c.roundTrip(args)
	for _, a := range args {
		if strings.EqualFold(a, "PXAT") || strings.EqualFold(a, "EXAT") {
			c.late = c.late || c.multi
			c.s.moved = c.s.moved || !c.multi
		}
	}
	return bytes.Clone(raw), err
}

// endTx ends a transaction.
func (c *conn) endTx(k kind, args []string) ([]byte, error) {
	raw, err := c.roundTrip(args)
	if err != nil {
		return nil, err
	}
	if len(args) == 1 && c.multi {
		if k == exec && raw[0] == '*' && !bytes.HasPrefix(raw, []byte("*-1")) {
			for _, sha := range c.tx {
				c.s.scripts.load(sha)
			}
			for _, change := range c.after {
				change(&c.want)
				change(&c.l.have)
			}
		}
		c.s.moved = c.s.moved || c.late
		c.multi, c.late, c.tx, c.after = false, false, nil, nil
	}
	return bytes.Clone(raw), nil
}

// subscribe executes a command of the SUBSCRIBE family, which is answered by as many frames as it names channels.
func (c *conn) subscribe(args []string) ([]byte, error) {
	if c.multi {
		return nil, c.s.refuse(args, "inside MULTI its answers can't be told from those of EXEC")
	}
	if err := c.prepare(); err != nil {
		return nil, err
	}
	l := c.l
	l.dirty, l.listening = true, true
	l.out = wire.AppendCommand(l.out, args...)
	l.ping()
	err := l.send()
	var raw []byte
	if err == nil {
		raw, err = l.untilPong()
	}
	if err != nil {
		return nil, c.broken(args, err)
	}
	return raw, nil
}

// config executes CONFIG. What a world sets is set back in front of the next world.
func (c *conn) config(args []string) ([]byte, error) {
	sub := ""
	if len(args) > 1 {
		sub = strings.ToUpper(args[1])
	}
	if sub == "REWRITE" {
		return nil, c.s.refuse(args, noFiles)
	}
	if sub != "SET" || len(args) < 4 {
		raw, err := c.roundTrip(args)
		return bytes.Clone(raw), err
	}
	before := map[string]string{}
	for i := 2; i < len(args); i += 2 {
		name := strings.ToLower(args[i])
		switch name {
		case "save", "appendonly", "dir", "dbfilename", "logfile", "unixsocket", "port", "bind", "requirepass":
			return nil, c.s.refuse(args, noFiles)
		}
		v, err := c.s.Ask("CONFIG", "GET", name) // which also sets back what the last world set, if it still is to be
		if err != nil {
			return nil, err
		}
		if _, known := c.s.settings[name]; known {
			continue
		}
		if len(v.Elems) == 2 {
			before[name] = v.Elems[1].Str
		}
	}
	raw, err := c.roundTrip(args)
	if err == nil && raw[0] != '-' {
		maps.Copy(c.s.settings, before)
	}
	return bytes.Clone(raw), err
}

const noFiles = "a world has no files, and its server is reached in one way"
