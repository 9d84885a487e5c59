package interleave

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"sort"
	"sync/atomic"
	"time"

	"github.com/racebench/racebench/interleave/backend"
)

// engine runs one world: it is the scheduler. All its methods run on one goroutine of the world's bubble.
type engine struct {
	cfg      *config
	servers  []*server // the one without a name first, then by name
	strategy strategy
	world    *World
	sql      *sqlDatabase // nil until somebody asks for it
	sqlHost  *sqlHost

	start    time.Time
	actors   []*Actor // by name
	sessions []*session

	image    image
	version  int // counts what may have changed the data
	seq      int
	due      []*op  // waiting commands that the server serves before anything else
	fresh    []*op  // memory of number
	waits    []*op  // at the gate, where a whole trace is kept
	block    []Step // memory for the next steps
	reduces  bool   // the strategy looks at footprints
	last     view   // what could happen last time; its memory is used again
	calm     int    // operations that had come when the clock moved last
	passed   int    // commands that went through the gate without being a step, since the last step
	left     budget // of faults that may be chosen
	scripts  bool   // a script has run
	pending  bool   // something was said or ended since the invariants were judged
	trace    *Trace
	order    *constraints
	journals bool // a schedule may say !failover
	judged   []*judgement

	another func(i int) (backend.Server, error) // opens the i-th server beside the first

	beats *atomic.Int64 // counts progress for the watchdog, which is outside the bubble
	phase *atomic.Int32 // what the scheduler is doing, for the watchdog
	stop  atomic.Bool   // the world's time is over
}

// The phases of a scheduler. Only one that waits can be given up without a fear that it still uses the server.
const (
	working int32 = iota
	waiting
	givenUp
)

// pause waits, by the given function, for goroutines of actors. It does not come back when the watchdog has given the
// world up in the meantime.
func (e *engine) pause(wait func()) {
	e.phase.Store(waiting)
	wait()
	if !e.phase.CompareAndSwap(waiting, working) {
		runtime.Goexit()
	}
}

var errEOF = io.EOF

// serverNow is the world's time as a server counts it, in whole milliseconds since the world began.
func (e *engine) serverNow() time.Duration { return time.Since(e.start).Truncate(time.Millisecond) }

// run is the life of a world from the first goroutine to the last verdict; teardown is the caller's.
func (e *engine) run(build func(*World)) error {
	build(e.world)
	if err := e.world.failed(); err != nil {
		return err
	}
	if len(e.actors) == 0 {
		return errors.New("interleave: the world has no actors")
	}
	sort.Slice(e.actors, func(i, j int) bool { return e.actors[i].name < e.actors[j].name })
	e.image = image{}
	for _, v := range e.servers {
		if v.direct == nil { // nobody can have written yet
			continue
		}
		if _, err := v.rescan(); err != nil {
			return err
		}
	}
	for _, v := range e.servers {
		v.record()
	}
	e.trace.Before = e.image.list()
	e.world.started = true
	for _, a := range e.actors {
		a.start(e.world.labels(a))
	}
	if err := e.settle(); err != nil {
		return err
	}
	e.judge(false)
	for {
		if err := e.world.failed(); err != nil {
			return err
		}
		if len(e.trace.Steps) >= e.cfg.maxSteps {
			e.trace.Bound = fmt.Sprintf("%d steps", e.cfg.maxSteps)
			return e.finish()
		}
		if e.stop.Load() {
			e.trace.Bound = boundOfTime
			return e.finish()
		}
		v, err := e.view()
		if err != nil {
			return err
		}
		c, err := e.strategy.next(v)
		if err != nil {
			return err
		}
		if c.kind == chooseEnd {
			return e.finish()
		}
		if err := e.perform(c); err != nil {
			return err
		}
		if err := e.settle(); err != nil {
			return err
		}
		e.judge(false)
	}
}

// finish judges. If a step can have done something to keys that it did not name, the whole server is read once more.
func (e *engine) finish() error {
	for _, v := range e.inPlay() {
		whole := v.scripted
		for _, db := range v.databases() {
			size, err := v.ask(db, "DBSIZE")
			if err != nil {
				return err
			}
			whole = whole || int(size.Int) != e.image.count(v.name, db)
		}
		if whole {
			changes, err := v.rescan()
			if err != nil {
				return err
			}
			e.trace.Undeclared = append(e.trace.Undeclared, changes...)
		}
	}
	e.noteLeft()
	e.trace.After = e.image.list()
	if e.sql != nil {
		tables, err := e.sql.tables()
		if err != nil {
			return err
		}
		e.trace.After = append(e.trace.After, tables...)
	}
	e.judge(e.trace.Bound == "")
	return nil
}

// listSessions rebuilds the fixed order: by actor, then by connection.
func (e *engine) listSessions() {
	e.sessions = e.sessions[:0]
	for _, a := range e.actors {
		e.sessions = append(e.sessions, a.sessions...)
	}
}

// look notices what became of an actor.
func (e *engine) look(a *Actor) error {
	if !a.done.Load() || a.noticed {
		return nil
	}
	a.noticed, a.left = true, len(e.trace.Steps)+1
	e.pending = true
	switch x := a.exit; {
	case x.panic != nil:
		return &PanicError{Actor: a.name, Value: fmt.Sprint(x.panic), Stack: string(x.stack)}
	case a.life.Load() != alive:
	case x.goexit:
		return &ExitError{Actor: a.name}
	case x.err != nil:
		e.addEvent(a.name + " ends: " + x.err.Error())
	default:
		e.addEvent(a.name + " ends")
	}
	return nil
}

// number gives each operation that is new at the head of its connection its place in the fixed order: by content, so
// that the order in which goroutines of one actor happened to run does not matter.
func (e *engine) number() error {
	for _, a := range e.actors {
		fresh := e.fresh[:0]
		for o := range a.heads {
			if o.seq == 0 {
				fresh = append(fresh, o)
			}
		}
		e.fresh = fresh
		if len(fresh) > 0 && a.arrived == 0 {
			a.arrived = len(e.trace.Steps) + 1
		}
		if len(fresh) > 1 {
			sort.SliceStable(fresh, func(i, j int) bool { return before(fresh[i], fresh[j]) })
		}
		for _, o := range fresh {
			e.seq++
			o.seq = e.seq
			o.since, o.at = len(e.trace.Steps), time.Now()
			if err := o.kind.came(e, o); err != nil {
				return err
			}
			if !e.reduces {
				e.waits = append(e.waits, o)
			}
		}
	}
	if !e.reduces {
		e.noteGone()
	}
	return nil
}

// noteGone notes the operations that were at the gate and are there no more, though they went through it as no step.
func (e *engine) noteGone() {
	heads := e.fresh[:0] // its memory, which number has done with
	for _, a := range e.actors {
		for o := range a.heads {
			heads = append(heads, o)
		}
	}
	e.fresh = heads
	kept := e.waits[:0]
	for _, o := range e.waits {
		switch {
		case o.went:
		case slices.Contains(heads, o):
			kept = append(kept, o)
		default:
			e.trace.Waited = append(e.trace.Waited, Waited{o.actor.name, o.String(), o.since, len(e.trace.Steps)})
		}
	}
	e.waits = kept
}

// noteLeft notes the operations that are at the gate at the end.
func (e *engine) noteLeft() {
	for _, o := range e.waits {
		if !o.went {
			e.trace.Waited = append(e.trace.Waited, Waited{o.actor.name, o.String(), o.since, 0})
		}
	}
}

// before compares by name, keys and place in the subject first: arguments may be random.
func before(a, b *op) bool {
	return cmp.Or(
		cmp.Compare(a.name, b.name),
		cmp.Compare(a.server(), b.server()),
		slices.Compare(a.keyNames(), b.keyNames()),
		cmp.Compare(a.caller.text, b.caller.text),
		slices.Compare(a.args, b.args),
		cmp.Compare(a.conn(), b.conn()),
	) < 0
}

// view lists what could happen now.
func (e *engine) view() (*view, error) {
	v := &e.last
	v.listed, v.left = false, e.left
	v.now, v.step, v.last, v.trace = time.Now(), len(e.trace.Steps)+1, e.trace.lastActor(), e.trace
	if v.actors == nil {
		v.eng = e
		v.always, v.judged = e.judgesAlways(), len(e.judged) > 0
		for _, a := range e.actors {
			v.actors = append(v.actors, &actorView{Actor: a})
		}
	}
	e.due = e.dueWaiters()
	for i, a := range e.actors {
		av := v.actors[i]
		av.ops, av.enabled, av.why, av.pushes, av.late = av.ops[:0], av.enabled[:0], av.why[:0], av.pushes[:0], av.late[:0]
		for _, s := range a.gone { // one connection brings its commands in order
			av.late = append(av.late, s.ops[0])
		}
		if a.life.Load() == alive {
			for _, s := range a.sessions {
				if s.closed {
					continue
				}
				if len(s.pushes) > 0 {
					av.pushes = append(av.pushes, s)
				}
			}
			for o := range a.heads {
				av.ops = append(av.ops, o)
			}
			slices.SortFunc(av.ops, func(x, y *op) int { return cmp.Compare(x.seq, y.seq) })
			for _, o := range av.ops {
				ok, why, err := o.kind.ready(e, o)
				if err != nil {
					return nil, err
				}
				if c := e.order.holds(o); c != nil {
					ok, why = false, "is held back by "+c.String()
				}
				av.enabled, av.why = append(av.enabled, ok), append(av.why, why)
			}
		}
	}
	return v, nil
}

func (e *engine) addNotes(notes []Note) {
	if len(notes) == 0 {
		return
	}
	e.pending = true
	e.trace.Notes = append(e.trace.Notes, notes...)
	if s := e.trace.last(); s != nil {
		s.noted = true
	}
	for _, n := range notes {
		e.addEvent(n.Actor + " notes " + n.Key + ": " + n.Value)
	}
}

// addEvent attaches a remark to the last step, or to the beginning of the trace.
func (e *engine) addEvent(text string) {
	if s := e.trace.last(); s != nil {
		s.Events = append(s.Events, text)
	} else {
		e.trace.Events = append(e.trace.Events, text)
	}
}

func (e *engine) judgesAlways() bool {
	return slices.ContainsFunc(e.judged, func(j *judgement) bool { return j.inv.When == AlwaysHolds })
}
