package interleave

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// This file is the serial oracle: what an order comes to is compared with what the actors come to one after the other, so
// that a race shows without an invariant. Equivalence to some serial order is serializability (Papadimitriou, "The
// serializability of concurrent database updates", JACM 1979), here of what can be seen: the final state, and what the
// actors were told.

// SerialLevel says what has to be as in some serial order.
type SerialLevel string

const (
	// SerialState is the final state of the keys.
	SerialState SerialLevel = "state"
	// SerialReplies is the final state and, for each actor, the replies to its commands, the messages that it received, the
	// notes that it made and the error that it returned. What it read in a transaction that was then aborted does not count.
	SerialReplies SerialLevel = "replies"
)

// SerialLevels are the levels that SerialOracle takes.
func SerialLevels() []SerialLevel { return []SerialLevel{SerialState, SerialReplies} }

// SerialOracle makes an exploration run the world in its serial orders first, each actor to its end before the next begins,
// and compare every order without faults with them. One that gives what none of them gives is counted in
// Exploration.Serial. It is a hint and no violation: not everything that is not serial is wrong. It changes no verdict.
func SerialOracle(level SerialLevel) Option { return func(c *config) { c.serial = level } }

// Bounds of the serial orders: of the actors that come one after the other, and of the worlds. A worker that is started
// twice in one actor, or goroutines of it, make several orders of one permutation.
const maxSerialActors, maxSerialWorlds = 6, 5_000

// Serial is what the serial oracle has found.
type Serial struct {
	Level SerialLevel `json:"level"` // what is compared: state or replies
	// Orders counts the serial orders that were run to their end, and Outcomes what they came to, each once.
	Orders   int `json:"orders"`
	Outcomes int `json:"outcomes"` // what they came to, each once
	// Impossible counts the serial orders that came to no end, because an actor waited for one that comes after it, and
	// Waits says so of the first.
	Impossible int    `json:"impossible"`
	Waits      string `json:"waits,omitempty"` // of the first impossible one: who waits for what
	// Why says why nothing was compared; empty when it was.
	Why string `json:"why,omitempty"`
	// Compared counts the orders of the exploration that were compared: those without faults that came to their end.
	Compared int `json:"compared"`
	// NotSerial counts those that are equivalent to no serial order. Schedule is the first of them, Different what is
	// different about it, and First what became of it when it was run again.
	NotSerial int     `json:"not_serial"`
	Schedule  string  `json:"schedule,omitempty"`  // of the first that is not serial
	Different string  `json:"different,omitempty"` // what is different about it
	First     *Result `json:"-"`
}

// String is the finding in a few words.
func (s *Serial) String() string {
	text := ""
	switch {
	case s.Why != "":
		return "serial oracle: nothing compared: " + s.Why
	case s.NotSerial > 0:
		text = fmt.Sprintf("hint: %d of %d orders are not equivalent to any serial order (%s): %s", s.NotSerial, s.Compared, s.Level, s.Different)
	default:
		text = fmt.Sprintf("each of %d orders is equivalent to a serial order (%s)", s.Compared, s.Level)
	}
	if s.Impossible > 0 {
		text += fmt.Sprintf("; %d serial orders are impossible: %s", s.Impossible, s.Waits)
	}
	return text
}

// text is the finding with the order that shows it.
func (s *Serial) text(test string) string {
	if s.First == nil {
		return s.String()
	}
	return fmt.Sprintf("%s\n%s\nreplay:  go test -run %s -interleave.replay=%s", s,
		s.First.Trace.Table(TableOptions{MaxRows: maxRows}), shellQuote(runPattern(test)), shellQuote(s.Schedule))
}

// serialOracle compares orders with the serial ones.
type serialOracle struct {
	Serial
	canon    *canon
	outcomes []*outcome
	known    map[string]bool
	moves    bool // the clock may have been moved as a choice
}

// newSerialOracle runs the serial orders.
func (r *Runner) newSerialOracle(ctx context.Context, world func(*World)) *serialOracle {
	o := &serialOracle{Serial: Serial{Level: r.cfg.serial}, known: map[string]bool{}, moves: r.cfg.budget != nil}
	turns := &serially{}
	inOrder := func(w *World) {
		world(w)
		turns.hold(w)
	}
	var pairs [][2]*Trace
	for n := 0; turns.begin(n); n++ {
		switch {
		case ctx.Err() != nil:
			o.Why = context.Cause(ctx).Error()
		case len(turns.order) > maxSerialActors:
			o.Why = fmt.Sprintf("%d actors have more serial orders than are run (at most %d actors)", len(turns.order), maxSerialActors)
		case n >= maxSerialWorlds:
			o.Why = fmt.Sprintf("there are more serial orders than the %d worlds that are run for them", maxSerialWorlds)
		}
		if o.Why != "" {
			return o
		}
		// Twice, to see what is different when nothing was done differently: random ids.
		var pair [2]*Trace
		for i := range pair {
			turns.again()
			res := r.run(turns, needs{footprints: true}, inOrder)
			if turns.err != nil {
				o.Why = turns.err.Error()
				return o
			}
			why, err := impossible(res, turns)
			if err != nil {
				o.Why = "a serial order could not be run: " + firstLine(err.Error())
				return o
			}
			if why != "" {
				if i == 0 {
					o.Impossible++
					if o.Waits == "" {
						o.Waits = strings.Join(turns.order, ", then ") + ": " + why
					}
				}
				break
			}
			pair[i] = res.Trace
		}
		if pair[1] != nil {
			pairs = append(pairs, pair)
		}
		turns.end(nil)
	}
	o.learn(pairs)
	return o
}

// learn makes the outcomes of the serial orders known.
func (o *serialOracle) learn(pairs [][2]*Trace) {
	if o.Orders = len(pairs); o.Orders == 0 {
		o.Why = "no serial order is possible"
		if o.Waits != "" {
			o.Why += ": " + o.Waits
		}
		return
	}
	if o.canon, o.Why = newCanon(pairs); o.Why != "" {
		return
	}
	for _, pair := range pairs {
		a, b := o.canon.outcome(pair[0]), o.canon.outcome(pair[1])
		if a.key(SerialReplies) != b.key(SerialReplies) {
			o.Why = "the same serial order, run twice, came to different things: " + a.different([]*outcome{b}, SerialReplies)
			return
		}
		if key := a.key(o.Level); !o.known[key] {
			o.known[key] = true
			o.outcomes = append(o.outcomes, a)
		}
	}
	o.Outcomes = len(o.outcomes)
}

// compare looks at an order of the exploration.
func (o *serialOracle) compare(res *Result) {
	t := res.Trace
	if o.Why != "" || res.Err != nil || t.Bound != "" || slices.ContainsFunc(t.Steps, func(s *Step) bool { return s.faulty() || o.moves && s.Kind == StepClock }) {
		return
	}
	o.Compared++
	got := o.canon.outcome(t)
	if o.known[got.key(o.Level)] {
		return
	}
	if o.NotSerial++; o.NotSerial == 1 {
		o.Schedule = t.Schedule().String()
		o.Different = got.different(o.outcomes, o.Level)
	}
}

// faulty reports whether the step is a fault, or a move of the clock that somebody asked for: nothing that a serial order has.
func (s *Step) faulty() bool {
	return s.Fault != "" || s.Kind == StepArrive || s.Kind == StepServer || s.Kind == StepClock && s.forced
}

// show runs the first order that is not serial again, for everything in it.
func (s *Serial) show(r *Runner, world func(*World)) {
	if s != nil && s.NotSerial > 0 {
		s.First = r.again(s.Schedule, world)
	}
}

// addSerial adds what was found in another part of an exploration. The serial orders are the same in all parts.
func addSerial(s, more *Serial) *Serial {
	if s == nil || more == nil {
		if s == nil && more != nil {
			one := *more
			return &one
		}
		return s
	}
	if s.NotSerial == 0 {
		s.Schedule, s.Different = more.Schedule, more.Different
	}
	if s.Why == "" {
		s.Why = more.Why
	}
	s.Compared += more.Compared
	s.NotSerial += more.NotSerial
	return s
}

// impossible says why a serial order came to no end; err is of a world that could not be run at all.
func impossible(res *Result, t *serially) (why string, err error) {
	var dead *DeadlockError
	var spin *SpinError
	var waiting []Waiting
	switch {
	case res.Err == nil && res.Trace.Bound != "":
		return "the world was ended by a bound: " + res.Trace.Bound, nil
	case res.Err == nil:
		return "", nil
	case errors.As(res.Err, &dead):
		waiting = dead.Waiting
	case errors.As(res.Err, &spin):
		waiting = spin.Waiting
	default:
		return "", res.Err
	}
	for _, w := range waiting {
		if w.Actor == t.order[t.at] {
			return w.String(), nil
		}
	}
	return firstLine(res.Err.Error()), nil
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// serially lets the actors come one after the other: the function of each begins when those before it have ended. It goes
// through their permutations and, within one, through the orders of what an actor has to offer at once. A daemon is not
// among them: it does what it can when the actor whose turn it is can't go on, and at the end; between two actors it may do
// so or not.
type serially struct {
	once
	order   []string // whose turn it is, one after the other
	at      int
	turn    map[string]chan struct{} // closed when its turn has come
	begun   bool                     // the actor at at
	between int                      // what the daemons do before it
	prefix  []int                    // what to choose where there is a choice
	taken   []int
	width   []int
	over    bool
	err     error
}

// hold makes the actors of a world wait for their turn.
func (t *serially) hold(w *World) {
	t.turn = map[string]chan struct{}{}
	var names []string
	for _, a := range w.eng.actors {
		if a.daemon {
			continue
		}
		names = append(names, a.name)
		turn, run := make(chan struct{}), a.run
		t.turn[a.name] = turn
		a.run = func(a *Actor) error {
			select {
			case <-turn:
				return run(a)
			case <-a.ctx.Done():
				return nil
			}
		}
	}
	slices.Sort(names)
	switch sorted := slices.Sorted(slices.Values(t.order)); {
	case t.order == nil:
		t.order = names
	case !slices.Equal(sorted, names):
		t.err = fmt.Errorf("the world has other actors each time: %s, then %s", strings.Join(sorted, ", "), strings.Join(names, ", "))
	}
}

func (t *serially) begin(int) bool { return !t.over }

// again begins an execution with the same choices.
func (t *serially) again() {
	t.at, t.begun, t.between, t.taken, t.width = 0, false, undecided, nil, nil
}

func (t *serially) next(v *view) (choice, error) {
	choices, alts := moves(v)
	daemon := slices.IndexFunc(alts, func(x alternative) bool { return v.actor(x.actor).daemon })
	for ; t.at < len(t.order); t.at, t.begun = t.at+1, false {
		a := v.actor(t.order[t.at])
		if a.ended() {
			t.between = undecided
			continue
		}
		if !t.begun {
			if daemon >= 0 && t.between == undecided {
				t.between = t.pick(2)
			}
			if daemon >= 0 && t.between == daemonsWork {
				return choices[daemon], nil
			}
			t.begun = true
			close(t.turn[a.name])
			// It may reach the gate, or end, before the clock could be asked to wait for it.
			if err := v.eng.settle(); err != nil {
				return choice{}, err
			}
			now, err := v.eng.view()
			if err != nil {
				return choice{}, err
			}
			return t.next(now)
		}
		var mine []int
		for i := range alts {
			if alts[i].actor == a.name {
				mine = append(mine, i)
			}
		}
		switch {
		case len(mine) > 0:
			return choices[mine[t.pick(len(mine))]], nil
		case daemon >= 0:
			return choices[daemon], nil
		}
		return choice{kind: chooseIdle}, nil
	}
	if daemon >= 0 {
		return choices[daemon], nil
	}
	return choice{kind: chooseEnd}, nil
}

// What the daemons do between two actors.
const (
	daemonsWork = iota
	daemonsRest
	undecided
)

// pick chooses one of n, as the prefix says and then the first.
func (t *serially) pick(n int) int {
	if n == 1 {
		return 0
	}
	k := 0
	if at := len(t.taken); at < len(t.prefix) {
		k = min(t.prefix[at], n-1)
	}
	t.taken, t.width = append(t.taken, k), append(t.width, n)
	return k
}

// end goes on to the next choices, or to the next permutation.
func (t *serially) end(*Result) {
	for i := len(t.taken) - 1; i >= 0; i-- {
		if t.taken[i]+1 < t.width[i] {
			t.prefix = append(slices.Clone(t.taken[:i]), t.taken[i]+1)
			return
		}
	}
	t.prefix = nil
	t.over = !nextPermutation(t.order)
}

// nextPermutation makes of a list the next greater one of the same elements; false after the last.
func nextPermutation(list []string) bool {
	i := len(list) - 2
	for i >= 0 && list[i] >= list[i+1] {
		i--
	}
	if i < 0 {
		return false
	}
	j := len(list) - 1
	for list[j] <= list[i] {
		j--
	}
	list[i], list[j] = list[j], list[i]
	slices.Reverse(list[i+1:])
	return true
}
