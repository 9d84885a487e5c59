package remote

import (
	"bytes"
	"strconv"
	"strings"
)

// handshake answers what a client says to its connection, from what this server said before where that is exact.
func (c *conn) handshake(k kind, args []string) ([]byte, error) {
	switch k {
	case hello:
		return c.hello(args)
	case selectDB:
		if len(args) == 2 {
			if db, err := strconv.Atoi(args[1]); err == nil {
				if db == 0 && c.s.opts.DB != 0 {
					db = c.s.opts.DB
					args = []string{args[0], strconv.Itoa(db)}
				}
				return c.remembered(args, func(want *state) { want.db = db })
			}
		}
	case resetting:
		raw, err := c.bound(args)
		if err == nil && len(args) == 1 {
			l := c.l
			l.have = state{proto: 2, lib: l.have.lib, version: l.have.version}
			l.dirty, l.listening, l.authed = false, false, false
			c.want.proto, c.want.db, c.want.name = 2, c.s.opts.DB, ""
			c.multi, c.late, c.tx, c.after = false, false, nil, nil
		}
		return raw, err
	case client:
		return c.client(args)
	}
	return c.bound(args)
}

// bound executes a command that may leave anything behind on the connection.
func (c *conn) bound(args []string) ([]byte, error) {
	if err := c.attach(); err != nil {
		return nil, err
	}
	c.l.dirty = true
	raw, err := c.roundTrip(args)
	return bytes.Clone(raw), err
}

// remembered answers a command whose reply depends on the command alone. Change is what it does to the connection.
func (c *conn) remembered(args []string, change func(*state)) ([]byte, error) {
	if c.multi {
		c.after = append(c.after, change)
		return c.bound(args)
	}
	if !c.quiet() {
		raw, err := c.bound(args)
		if err == nil && raw[0] != '-' {
			change(&c.want)
			change(&c.l.have)
		}
		return raw, err
	}
	key := strings.Join(args, "\x00")
	if raw, ok := c.s.known[key]; ok {
		if raw[0] != '-' {
			change(&c.want)
		}
		return bytes.Clone(raw), nil
	}
	raw, err := c.roundTrip(args)
	if err != nil {
		return nil, err
	}
	raw = bytes.Clone(raw)
	if len(c.s.known) >= maxKnown {
		clear(c.s.known)
	}
	c.s.known[key] = raw
	if raw[0] != '-' {
		change(&c.want)
		change(&c.l.have)
	}
	return bytes.Clone(raw), nil
}

// hello answers HELLO proto [SETNAME name] without a round trip once this connection has given its answer.
func (c *conn) hello(args []string) ([]byte, error) {
	proto, name := c.want.proto, c.want.name
	switch {
	case len(args) == 2, len(args) == 4 && strings.EqualFold(args[2], "SETNAME") && validName(args[3]):
		p, err := strconv.Atoi(args[1])
		if err != nil || p < 2 || p > 3 {
			return c.bound(args)
		}
		proto = p
		if len(args) == 4 {
			name = args[3]
		}
	case len(args) > 1:
		return c.helloNow(args)
	}
	if !c.quiet() {
		return c.helloNow(args)
	}
	if err := c.attach(); err != nil {
		return nil, err
	}
	c.want.proto, c.want.name = proto, name
	if raw := c.l.hello[proto]; raw != nil {
		return bytes.Clone(raw), nil
	}
	raw, err := c.roundTrip([]string{"HELLO", strconv.Itoa(proto)})
	if err != nil {
		return nil, err
	}
	raw = bytes.Clone(raw)
	if raw[0] != '-' {
		c.l.hello[proto] = raw
	}
	return bytes.Clone(raw), nil
}

// helloNow executes a HELLO as it stands.
func (c *conn) helloNow(args []string) ([]byte, error) {
	raw, err := c.bound(args)
	if err != nil || raw[0] == '-' || len(args) < 2 {
		return raw, err
	}
	change := func(of *state) {
		if p, bad := strconv.Atoi(args[1]); bad == nil {
			of.proto = p
		}
		for i := 2; i+1 < len(args); i++ {
			if strings.EqualFold(args[i], "SETNAME") {
				of.name = args[i+1]
			}
		}
	}
	if c.multi {
		c.after = append(c.after, change)
		return raw, nil
	}
	change(&c.want)
	change(&c.l.have)
	return raw, nil
}

// validName is stricter than the server: what fails is left to it.
func validName(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// client executes the subcommands of CLIENT.
func (c *conn) client(args []string) ([]byte, error) {
	if len(args) < 2 {
		return c.bound(args)
	}
	switch sub := strings.ToUpper(args[1]); sub {
	case "SETNAME":
		if len(args) == 3 && validName(args[2]) {
			return c.remembered(args, func(want *state) { want.name = args[2] })
		}
	case "SETINFO":
		if len(args) != 4 || !validName(args[3]) {
			break
		}
		switch strings.ToUpper(args[2]) {
		case "LIB-NAME":
			return c.remembered(args, func(want *state) { want.lib = args[3] })
		case "LIB-VER":
			return c.remembered(args, func(want *state) { want.version = args[3] })
		}
	case "MAINT_NOTIFICATIONS":
		// Unknown to every server that can be here: the answer is an error, and it changes nothing.
		if !c.quiet() {
			break
		}
		if raw, ok := c.s.known[strings.Join(args, "\x00")]; ok {
			return bytes.Clone(raw), nil
		}
		raw, err := c.bound(args)
		if err == nil && raw[0] == '-' {
			c.s.known[strings.Join(args, "\x00")] = bytes.Clone(raw)
		}
		return raw, err
	case "ID", "GETNAME", "HELP", "TRACKINGINFO", "GETREDIR":
		raw, err := c.roundTrip(args)
		return bytes.Clone(raw), err
	case "REPLY":
		if len(args) == 3 && !strings.EqualFold(args[2], "ON") {
			return nil, c.s.refuse(args, "a command without an answer can't be a step")
		}
	case "LIST", "KILL", "INFO":
		// These see the other connections, which must be as their clients believe them to be.
		if err := c.s.settle(); err != nil {
			return nil, err
		}
	case "PAUSE":
		return nil, c.s.refuse(args, "it would stop the whole world")
	case "TRACKING":
		raw, err := c.bound(args)
		c.l.listening = true
		return raw, err
	}
	return c.bound(args)
}

// settle brings every open connection to the state that its client has asked for.
func (s *Server) settle() error {
	s.closeIdle()
	for _, c := range s.conns {
		if c.multi || c.l == nil {
			continue
		}
		if _, err := c.roundTrip([]string{"PING"}); err != nil {
			return err
		}
	}
	return nil
}
