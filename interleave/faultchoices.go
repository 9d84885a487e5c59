package interleave

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/racebench/racebench/interleave/schedule"
)

// fault is a kind of fault, as a budget counts it.
type fault int

const (
	noFault           fault = iota
	faultCrash              // an actor dies before or after an operation
	faultLost               // a reply is lost with its connection
	faultUnsent             // a connection is lost before its command is sent
	faultLate               // a client gives up, its command arrives later
	faultDrop               // a message is lost
	faultRestart            // the server loses its memory
	faultFailover           // the server loses its last write
	faultFlushScripts       // the server forgets its scripts
	faultEvict              // the server evicts a key
	faultExpire             // the clock moves past the end of a key, while operations wait
	faultTimer              // the clock moves to where the next timer sends something to the gate, while operations wait
	faultJump               // the clock moves by a size that was named, while operations wait
	faultKinds
)

var faultNames = [faultKinds]string{"", "crash", "lost", "unsent", "late", "drop", "restart", "failover", "flushscripts", "evict", "expire", "timer", "jump"}

// budget is how many faults of each kind a world may have.
type budget [faultKinds]int

// maxFaults bounds the budget of one kind. An exhaustive search is over long before.
const maxFaults = 100

// Faults lets an exploration choose faults, at most so many of each kind in one world: "crash:1,lost:2". The default is
// none. Each is an alternative like any other: the exhaustive strategy has every one happen wherever it can, where a fault
// counts like a preemption in what comes first; one that draws decides for each world which kinds it has, and when.
//
// The kinds are
//   - crash: an actor dies, after an operation or before one. It does not die before its first, which is as if it had never
//     been there.
//   - lost, unsent, late: the reply of an operation is lost, or the operation itself, or its client gives up and it arrives
//     later, at any time. What the client does then is its own: go-redis asks again.
//   - drop: a pub/sub message is lost.
//   - restart, failover, flushscripts, evict: the server loses everything, its last write, its scripts, or any one key.
//   - expire: the clock moves to just past the end of a key with a TTL, while all operations wait: the lock expires here.
//     That is what happens to a process that is too slow, and so the timers up to then fire too.
//   - timer: the clock moves, while all operations wait, until a timer of some actor sends something to the gate, or a
//     command that waits on the server gives up.
//   - jump: the clock moves by one of the sizes of Jumps.
//
// Every choice is a token of a schedule; those of the clock are moves such as +10s.
func Faults(kinds string) Option { return func(c *config) { c.faults = kinds } }

// Jumps names sizes by which the clock may move while all operations wait, for code that compares times without a timer
// or a TTL to move to. An exploration moves it once in a world, unless Faults says another number: "jump:2".
func Jumps(sizes ...time.Duration) Option {
	return func(c *config) { c.jumps = append(c.jumps, sizes...) }
}

// budgeted reads the options Faults and Jumps.
func (c *config) budgeted() error {
	c.budget = nil
	var b budget
	if len(c.jumps) > 0 {
		b[faultJump] = 1
	}
	for _, d := range c.jumps {
		if d <= 0 || d > schedule.MaxClock {
			return fmt.Errorf("interleave: Jumps(%v): more than 0, at most %v", d, schedule.MaxClock)
		}
	}
	seen := map[string]bool{}
	for offset, part := range parted(c.faults) {
		bad := func(format string, args ...any) error {
			return fmt.Errorf("interleave: Faults(%q): column %d: %s; allowed: kind:number with commas between, kinds %s", c.faults, offset+1, fmt.Sprintf(format, args...), strings.Join(faultNames[1:], ", "))
		}
		name, number, ok := strings.Cut(part, ":")
		name = strings.TrimSpace(name)
		kind := slices.Index(faultNames[:], name)
		if kind <= 0 {
			return bad("no fault %q", name)
		}
		n, err := strconv.Atoi(strings.TrimSpace(number))
		if !ok || err != nil || n < 0 || n > maxFaults {
			return bad("%q: needs a number from 0 to %d", part, maxFaults)
		}
		if seen[name] {
			return bad("%s a second time", name)
		}
		if fault(kind) == faultJump && n > 0 && len(c.jumps) == 0 {
			return bad("jump needs sizes (option Jumps)")
		}
		seen[name] = true
		b[kind] = n
	}
	if b != (budget{}) {
		c.budget = &b
	}
	return nil
}

// parted gives the parts of a list with commas, each with its offset.
func parted(text string) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		if text == "" {
			return
		}
		at := 0
		for _, part := range strings.Split(text, ",") {
			if !yield(at, part) {
				return
			}
			at += len(part) + 1
		}
	}
}

// needs says what the worlds of an exploration have to keep.
func (c *config) needs() needs {
	return needs{footprints: true, history: c.budget != nil && c.budget[faultFailover] > 0}
}

// String is the budget in the form of the option Faults.
func (b *budget) String() string {
	var parts []string
	for k, n := range b {
		if n > 0 {
			parts = append(parts, faultNames[k]+":"+strconv.Itoa(n))
		}
	}
	return strings.Join(parts, ",")
}

// machinery is the actor of what no actor does: faults of the server and moves of the clock that were chosen.
const machinery = "!"

// addFaults lists the faults that the budget has left.
func (l *listing) addFaults(v *view) {
	waiting := false // somebody, at the gate
	for _, a := range v.actors {
		waiting = waiting || len(a.ops) > 0
		if a.life.Load() == alive {
			l.addFaultsOf(v, a)
		}
	}
	v.missed = false
	for k := faultRestart; k < faultKinds; k++ {
		if v.left[k] == 0 {
			continue
		}
		before := len(l.alts)
		l.addFaultsOfServer(v, k)
		if possible := len(l.alts) > before; possible && !waiting {
			// Nobody is there to notice, but had it come earlier somebody would have.
			l.choices, l.alts = l.choices[:before], l.alts[:before]
			v.missed = true
		} else if possible {
			v.offered[k] = true
		} else if v.offered[k] {
			v.missed = true
		}
	}
}

// addFaultsOf lists the faults of an actor that is alive.
func (l *listing) addFaultsOf(v *view, a *actorView) {
	add := func(k fault, kind choiceKind, o *op, what string) {
		if v.left[k] > 0 {
			l.add(choice{kind: kind, actor: a.Actor, op: o, fault: k}, a.name, a.name+what+strconv.Itoa(o.seq))
		}
	}
	for i, o := range a.ops {
		if i == 0 && a.mayCrash(v) {
			l.crash(a, o)
		}
		for _, kind := range o.kind.faults() {
			switch {
			case kind == chooseUnsent:
				add(faultUnsent, kind, o, " unsent operation ")
			case !a.enabled[i]:
			case kind == chooseExecCrash:
				add(faultCrash, kind, o, " crash after operation ")
			case kind == chooseExecLost:
				add(faultLost, kind, o, " lost reply of operation ")
			case kind == chooseLate && o.block == nil: // else the server drops it with the connection, as when it is unsent
				add(faultLate, kind, o, " late sending of operation ")
			}
		}
	}
	for _, s := range a.pushes {
		if v.left[faultDrop] > 0 {
			l.add(choice{kind: chooseDrop, actor: a.Actor, push: s, fault: faultDrop}, a.name, a.name+" loss of message of connection "+strconv.Itoa(s.conn.id)+", number "+strconv.Itoa(s.delivered))
		}
	}
}

// mayCrash reports whether a death of a where it stands can lead to something that no other choice leads to. A death before
// its first operation is as if it had never been there. One after an operation that it has had an answer to comes to the
// same as a death before the answer, unless it has done something with it that others can see: made a note, listened to
// messages, queued in the server, kept the clock going.
func (a *actorView) mayCrash(v *view) bool {
	if v.left[faultCrash] == 0 {
		return false
	}
	var last *Step
	for _, s := range slices.Backward(v.trace.Steps) {
		if s.Actor == a.name {
			last = s
			break
		}
	}
	if last == nil {
		return false
	}
	for k := faultRestart; k < faultKinds; k++ {
		if v.eng.cfg.budget[k] > 0 {
			return true // such a fault happens only while somebody waits, which the dead don't
		}
	}
	atOnce := last.Kind == StepOperation && last.Fault == ""
	for _, o := range a.ops {
		atOnce = atOnce && o.since <= last.N // else it has waited for a timer, and the clock may have moved for it
	}
	cfg := v.eng.cfg
	return cfg.everyCrash || !atOnce || len(cfg.parsed) > 0 || v.always || a.said || a.done.Load() || len(a.closing()) > 0
}

// crash is the death of an actor where it stands.
func (l *listing) crash(a *actorView, o *op) {
	l.add(choice{kind: chooseCrash, actor: a.Actor, fault: faultCrash}, a.name, a.name+" crash before operation "+strconv.Itoa(o.seq))
}

// closing is what others can notice of an end of a's connections: subscribers are counted, and a place in the queue of those
// who wait on the server is free.
func (a *Actor) closing() []string {
	var touched []string
	for _, s := range a.sessions {
		if s.listening && !s.closed {
			touched = append(touched, touchesMessages)
		}
	}
	for o := range a.heads {
		if o.block != nil {
			f := o.footprint()
			touched = append(append(touched, f.reads...), f.writes...)
		}
	}
	return append(touched, a.closingSQL()...)
}

// timerHorizon is how far the clock is moved at most in search of a timer.
const timerHorizon = 24 * time.Hour

// addFaultsOfServer lists the faults of one kind that no actor does.
func (l *listing) addFaultsOfServer(v *view, k fault) {
	e := v.eng
	add := func(c choice, what string) {
		c.fault = k
		l.add(c, machinery, what)
	}
	switch k {
	case faultRestart, faultFailover, faultFlushScripts, faultEvict:
		for _, on := range e.inPlay() {
			at := func(c choice, what string) {
				c.server = on.name
				if on.name != "" {
					what += " on " + on.name
				}
				add(c, what)
			}
			switch {
			case k == faultRestart:
				at(choice{kind: chooseRestart}, "restart")
			case k == faultFailover && on.history != nil && len(on.history.images) > 1:
				at(choice{kind: chooseFailover, n: 1}, "failover")
			case k == faultFlushScripts && e.scripts:
				at(choice{kind: chooseFlushScripts}, "flush of scripts")
			case k == faultEvict:
				for _, key := range e.image.of(on.name).sorted() {
					if key.db == 0 {
						at(choice{kind: chooseEvict, key: key.key}, "eviction of "+key.key)
					}
				}
			}
		}
	case faultExpire:
		var ends []time.Duration
		for _, entry := range e.image { // any order: sorted below
			if entry.Expires >= 0 {
				ends = append(ends, entry.Expires)
			}
		}
		slices.Sort(ends)
		for _, end := range slices.Compact(ends) {
			// A key is there to the end of its last millisecond.
			if d := e.start.Add(end + time.Millisecond).Sub(v.now); d > 0 {
				add(choice{kind: chooseAdvance, d: d}, "clock beyond "+formatAt(end))
			}
		}
	case faultTimer:
		add(choice{kind: chooseIdle, d: timerHorizon}, "clock to the next timer")
	case faultJump:
		for _, d := range e.cfg.jumps {
			add(choice{kind: chooseAdvance, d: d}, "clock "+formatAt(d))
		}
	}
}
