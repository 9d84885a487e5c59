package embedded

import "slices"

// watchKey is a key of one database.
type watchKey struct {
	db  int
	key string
}

// touch marks every connection that watches the key: its EXEC will do nothing.
func (s *Server) touch(db int, key string) {
	for _, c := range s.watched[watchKey{db, key}] {
		c.dirty = true
	}
}

// touchAll touches the watched keys of a database that is about to be flushed, as far as they exist.
func (s *Server) touchAll(db int, exists func(key string) bool) {
	for w := range s.watched { // any order: marking one connection as dirty says nothing of another
		if w.db == db && exists(w.key) {
			s.touch(db, w.key)
		}
	}
}

func cmdWatch(x *call, args []string) {
	c := x.c
	if c.multi {
		x.err("ERR WATCH inside MULTI is not allowed")
		return
	}
	for _, key := range args[1:] {
		w := watchKey{c.db, key}
		if !slices.Contains(c.watching, w) {
			c.watching = append(c.watching, w)
			c.s.watched[w] = append(c.s.watched[w], c)
		}
	}
	x.ok()
}

func cmdUnwatch(x *call, _ []string) {
	x.c.unwatch()
	x.c.dirty = false
	x.ok()
}

func (c *Conn) unwatch() {
	for _, w := range c.watching {
		left := slices.DeleteFunc(c.s.watched[w], func(o *Conn) bool { return o == c })
		if len(left) == 0 {
			delete(c.s.watched, w)
		} else {
			c.s.watched[w] = left
		}
	}
	c.watching = c.watching[:0]
}

func cmdMulti(x *call, _ []string) {
	if x.c.multi {
		x.err("ERR MULTI calls can not be nested")
		return
	}
	x.c.multi = true
	x.ok()
}

func cmdDiscard(x *call, _ []string) {
	if !x.c.multi {
		x.err("ERR DISCARD without MULTI")
		return
	}
	x.c.endMulti()
	x.ok()
}

// endMulti leaves the transaction and forgets what was watched.
func (c *Conn) endMulti() {
	c.multi, c.spoiled, c.dirty = false, false, false
	c.queue = nil
	c.unwatch()
}

func cmdExec(x *call, _ []string) {
	c := x.c
	queue, spoiled, dirty := c.queue, c.spoiled, c.dirty
	switch {
	case !c.multi:
		x.err("ERR EXEC without MULTI")
		return
	case spoiled:
		c.endMulti()
		x.err("EXECABORT Transaction discarded because of previous errors.")
		return
	case dirty:
		c.endMulti()
		x.nullArray()
		return
	}
	// The server forgets the watched keys first, so that the transaction's own writes don't matter.
	c.endMulti()
	x.arrayLen(len(queue))
	x.inMulti = true
	for _, q := range queue {
		q.run(x, q.args)
		x.proto = c.proto
	}
}
