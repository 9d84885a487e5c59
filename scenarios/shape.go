package scenarios

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/racebench/racebench/impl"
	"github.com/racebench/racebench/interleave"
)

// Draw is a number from 0 to n-1, from wherever the caller has it. 0 stands for the simplest.
type Draw func(n int) int

// Shape is a world of the job subject that nobody has written down: what is given, how many actors there are, and what
// each of them does, one thing after the other. It is judged by what the subject promises, not by a story.
type Shape struct {
	impl     string
	short    bool // the TTL of the pointer is below the deadline
	given    given
	reported int // items of the given job
	actors   []doer
}

// doer is an actor with what it does.
type doer struct {
	name  string
	deeds []deed
}

// given is what is there before the first step.
type given int

const (
	givenNothing given = iota
	givenRunning       // job g1
	givenEnded         // job g1, SUCCESS
	givenOlder         // job old1, RUNNING, and new1, which the pointer names
)

// deed is one thing that an actor does.
type deed struct {
	do   string
	job  string // its id; own for the job of the actor's last start
	item int    // of a report
}

const own = "its own job"

func (d deed) String() string {
	switch d.do {
	case "start":
		return d.do
	case "report":
		return fmt.Sprintf("report item %d of %s", d.item, d.job)
	}
	return d.do + " " + d.job
}

// JumpsOfShapes are the moves of the clock that lead somewhere in a drawn world: past the short TTL of a pointer, to the
// deadline of a job, and past the TTL of its hash.
func JumpsOfShapes() []time.Duration {
	return []time.Duration{shortPointer + time.Second, impl.DefaultDeadline, defaultJobTTL + time.Second}
}

const shortPointer = 5 * time.Minute

// Bounds of a drawn world.
const (
	leastActors, mostActors = 2, 5
	mostDeeds               = 3
)

// DrawShape draws a world for an implementation of the job subject.
func DrawShape(draw Draw, impl string) *Shape {
	s := &Shape{impl: impl, given: given(draw(4)), short: draw(2) == 1}
	if s.given != givenNothing {
		s.reported = items - draw(items+1)
	}
	for i := range leastActors + draw(mostActors-leastActors+1) {
		s.actors = append(s.actors, doer{string(rune('A' + i)), s.drawDeeds(draw)})
	}
	return s
}

// drawDeeds draws what one actor does.
func (s *Shape) drawDeeds(draw Draw) []deed {
	known := s.ids()
	started := false
	var deeds []deed
	for range 1 + draw(mostDeeds) {
		can := []string{"start"}
		if len(known) > 0 {
			can = append(can, "succeed", "fail", "poll", "report")
		}
		if s.applied() != "" {
			can = append(can, "apply")
		}
		d := deed{do: can[draw(len(can))]}
		switch d.do {
		case "start":
			if !started {
				known, started = append([]string{own}, known...), true
			}
		case "apply":
			d.job = s.applied()
		default:
			d.job = known[draw(len(known))]
		}
		if d.do == "report" {
			d.item = draw(items)
		}
		deeds = append(deeds, d)
	}
	return deeds
}

// ids are the jobs that are given.
func (s *Shape) ids() []string {
	switch s.given {
	case givenRunning, givenEnded:
		return []string{"g1"}
	case givenOlder:
		return []string{"old1", "new1"}
	}
	return nil
}

// applied is the only job of the world that is ever applied, lest the rows are written twice for two jobs; empty for none.
func (s *Shape) applied() string {
	if s.given == givenRunning || s.given == givenEnded {
		return "g1"
	}
	return ""
}

// String says what the world is, in one line for what is given and one for each actor.
func (s *Shape) String() string {
	var b strings.Builder
	switch s.given {
	case givenNothing:
		b.WriteString("given: nothing")
	case givenRunning:
		fmt.Fprintf(&b, "given: job g1, RUNNING, %d of %d items reported", s.reported, items)
	case givenEnded:
		fmt.Fprintf(&b, "given: job g1, SUCCESS, %d of %d items reported", s.reported, items)
	case givenOlder:
		b.WriteString("given: job old1, RUNNING without its pointer, and new1, which the pointer names")
	}
	if s.short {
		fmt.Fprintf(&b, "; the pointer lives %v", shortPointer)
	}
	for _, a := range s.actors {
		fmt.Fprintf(&b, "\n%s:", a.name)
		for k, d := range a.deeds {
			if k > 0 {
				b.WriteByte(',')
			}
			b.WriteString(" " + d.String())
		}
	}
	return b.String()
}

// Actors are their names.
func (s *Shape) Actors() []string {
	var names []string
	for _, a := range s.actors {
		names = append(names, a.name)
	}
	return names
}

// Only is the shape with some of its actors.
func (s *Shape) Only(names ...string) *Shape {
	part := *s
	part.actors = slices.DeleteFunc(slices.Clone(s.actors), func(a doer) bool { return !slices.Contains(names, a.name) })
	return &part
}

// World describes the world for one target.
func (s *Shape) World(w *interleave.World, target string) {
	j := jobs(w, s.impl, target)
	if s.short {
		j.cfg.PointerTTL, j.cfg.AllowShortPointer = shortPointer, true
	}
	applies := false
	for _, a := range s.actors {
		for _, d := range a.deeds {
			applies = applies || d.do == "apply"
		}
	}
	if applies {
		j.givenRows()
	}
	switch s.given {
	case givenRunning:
		j.givenJob("g", s.reported)
	case givenEnded:
		j.givenSuccess("g", s.reported)
	case givenOlder:
		j.givenTwo()
	}
	for _, a := range s.actors {
		var does []func(*process) error
		for _, d := range a.deeds {
			does = append(does, d.of)
		}
		j.actor(a.name, does...)
	}
	w.Check(judge.TerminalStays(), judge.SuccessOwnsPointer(), judge.PointerDeletedOnlyByOwner(), judge.NoProgressAfterEnd(),
		judge.PointerNamesJob())
	if s.given != givenOlder {
		w.Check(unlessTaken(judge.SingleRunning()), unlessTaken(judge.NoUnreferenced()))
	}
	if applies {
		w.Check(judgeApplied(j.rows), judge.AppliedOnlySuccess(j.rows))
	}
}

// of does it.
func (d deed) of(p *process) error {
	job := p.job(d.job)
	if d.job == own {
		job = p.own
	}
	switch d.do {
	case "start":
		return p.start()
	case "succeed":
		return p.succeed(job)
	case "fail":
		return p.fail(job)
	case "poll":
		return p.poll(job)
	case "report":
		return p.report(job, d.item)
	}
	return p.apply(job)
}

// unlessTaken is an invariant for as long as the clock, or a fault of the server, has taken no pointer away: then a second
// job may run beside the first until the deadline of that, which is the limit that A7 and A8 document for lua too.
func unlessTaken(inv interleave.Invariant) interleave.Invariant {
	asked := inv.Judge
	inv.Judge = func(s *interleave.State) interleave.Verdict {
		if taken(s.Trace().Steps) {
			return interleave.Verdict{}
		}
		return asked(s)
	}
	return inv
}

// taken reports whether some step that is no actor's has taken a pointer away.
func taken(steps []*interleave.Step) bool {
	for _, step := range steps {
		for _, c := range step.Changes {
			if _, ok := judge.PointerTarget(c.Key); ok && step.Actor == "" && c.Before != nil {
				return true
			}
		}
	}
	return false
}

// GoString is String: what tools that print values show of a drawn world.
func (s *Shape) GoString() string { return s.String() }
