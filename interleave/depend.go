package interleave

import (
	"slices"
	"strconv"

	"github.com/racebench/racebench/interleave/command"
)

// footprint is what a step touches, as far as its order with others can matter.
type footprint struct {
	all    bool // touches everything: the clock, a fault of the server, FLUSHALL, SCAN, a command that nobody knows
	reads  []string
	writes []string
}

// dependent reports whether the order of two steps can matter. Steps of one actor are ordered anyway.
func (f footprint) dependent(o footprint) bool {
	if f.all || o.all {
		return true
	}
	return overlap(f.writes, o.writes) || overlap(f.writes, o.reads) || overlap(f.reads, o.writes)
}

func overlap(a, b []string) bool {
	for _, x := range a {
		if slices.Contains(b, x) {
			return true
		}
	}
	return false
}

// Things that are no keys but are read and written like keys.
const (
	touchesMessages = "\x00messages" // channels and subscriptions
	touchesVisible  = "\x00visible"  // whatever an invariant can see beside the data at the end
	touchesLast     = "\x00last"     // which write is the last, where a failover can lose it
	touchesOrder    = "\x00order"    // what a constraint puts in order, by its number
)

// footprint is what o will touch. The keys are the server's own knowledge (package command).
func (o *op) footprint() footprint {
	f := o.kind.footprint(o)
	parsed := o.actor.world.cfg.parsed
	for i := range parsed {
		// A constraint makes what it names wait for one another.
		if orders(&parsed[i], o) {
			f.writes = append(f.writes, touchesOrder+strconv.Itoa(i))
		}
	}
	return f
}

func (f *footprint) add(server string, db int, args []string) {
	info, known := command.Lookup(args)
	if !known {
		f.all = true
		return
	}
	if info.Flags.Has(command.PubSub) {
		f.writes = append(f.writes, touchesMessages)
		return
	}
	keys, ok := command.Keys(args)
	if !ok || len(keys) == 0 && !aboutNoKey[info.Name] {
		f.all = true
		return
	}
	for _, k := range keys {
		name := dbKey{server, db, k.Name}.String()
		if k.Access&command.Modify != 0 {
			f.writes = append(f.writes, name)
		} else {
			f.reads = append(f.reads, name)
		}
	}
}

// aboutNoKey are commands without keys that neither see nor change the data. TIME sees the clock, whose moves touch
// everything.
var aboutNoKey = map[string]bool{
	"TIME": true, "PING": true, "ECHO": true, "SCRIPT LOAD": true, "SCRIPT EXISTS": true, "WAIT": true, "WAITAOF": true, "EXEC": true, "SELECT": true,
}

// observed adds to the footprint of a step what came of it: keys that it changed without naming them, which makes it a
// step that may touch anything; notes, whose order an invariant may look at; and, where an invariant is judged after
// every step, that it may have changed data or ended an actor.
func (s *Step) observed(v *view) {
	for _, c := range s.Changes {
		if !s.foot.all && !slices.Contains(s.foot.writes, c.Key) && !slices.Contains(s.foot.reads, c.Key) {
			s.foot.all = true
		}
	}
	if v.judged && s.noted || v.always && (s.Wrote || len(s.Events) > 0 || s.Fault == "crash") {
		s.foot.writes = append(s.foot.writes, touchesVisible)
	}
	if v.left[faultFailover] > 0 && s.Wrote {
		s.foot.writes = append(s.foot.writes, touchesLast+s.Server)
	}
}
