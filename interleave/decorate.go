package interleave

import (
	"slices"
	"time"
)

// This file holds strategies around another one.

// made is a choice without what belongs to one execution alone, so that it can be made again in another.
type made struct {
	kind   choiceKind
	actor  string
	seq    int // of the operation
	conn   int // with the push
	d      time.Duration
	n      int
	key    string
	fault  fault
	server string
}

func (c choice) made() made {
	m := made{kind: c.kind, d: c.d, n: c.n, key: c.key, fault: c.fault, server: c.server}
	if c.actor != nil {
		m.actor = c.actor.name
	}
	if c.op != nil {
		m.seq = c.op.seq
	}
	if c.push != nil {
		m.conn = c.push.conn.id
	}
	return m
}

// find is the choice that m is now; false when there is nothing like it.
func (m made) find(v *view) (choice, bool) {
	c := choice{kind: m.kind, d: m.d, n: m.n, key: m.key, fault: m.fault, server: m.server}
	if m.actor == "" {
		return c, true
	}
	a := v.actor(m.actor)
	if a == nil {
		return c, false
	}
	c.actor = a.Actor
	for _, o := range slices.Concat(a.ops, a.late) {
		if o.seq == m.seq {
			c.op = o
		}
	}
	for _, s := range a.pushes {
		if s.conn.id == m.conn {
			c.push = s
		}
	}
	return c, (c.op != nil) == (m.seq != 0) && (c.push != nil) == (m.conn != 0)
}

// record is an execution as its strategy has seen it.
type record struct {
	steps   []decision
	numbers []int // in the order of being asked for
}

// decision is what could happen next and what was chosen.
type decision struct {
	offered []alternative
	chosen  made
	err     error // of the strategy, which ended the execution
}

// recorder keeps a record of the execution under way.
type recorder struct {
	strategy
	record record
}

func (r *recorder) begin(execution int) bool {
	r.record = record{}
	return r.strategy.begin(execution)
}

func (r *recorder) next(v *view) (choice, error) {
	c, err := r.strategy.next(v)
	_, offered := alternatives(v)
	r.record.steps = append(r.record.steps, decision{offered, c.made(), err})
	return c, err
}

func (r *recorder) number(n int) int {
	x := r.strategy.number(n)
	r.record.numbers = append(r.record.numbers, x)
	return x
}

// replayer makes the choices of a record again. It gives up with a *NondeterminismError when something else could happen
// than before, and leaves what comes after the end of the record to the strategy that it is around.
type replayer struct {
	strategy
	record       record
	steps, draws int // of the record, made again
}

func (r *replayer) begin(execution int) bool {
	r.steps, r.draws = 0, 0
	return r.strategy.begin(execution)
}

func (r *replayer) next(v *view) (choice, error) {
	if r.steps == len(r.record.steps) {
		return r.strategy.next(v)
	}
	d := r.record.steps[r.steps]
	r.steps++
	_, offered := alternatives(v)
	c, ok := d.chosen.find(v)
	if !ok || !slices.Equal(offered, d.offered) {
		return choice{}, &NondeterminismError{Step: v.step, Was: describeAlts(d.offered), Is: describeAlts(offered)}
	}
	return c, d.err
}

func (r *replayer) number(n int) int {
	if r.draws == len(r.record.numbers) {
		return r.strategy.number(n)
	}
	r.draws++
	return r.record.numbers[r.draws-1]
}

// counter counts the steps at which there was more than one thing that could happen.
type counter struct {
	strategy
	points int
}

func (c *counter) next(v *view) (choice, error) {
	if _, offered := alternatives(v); len(offered) > 1 {
		c.points++
	}
	return c.strategy.next(v)
}

// checker has every execution run twice, and the second time checks that the same steps lead to the same alternatives.
type checker struct {
	recorder
	again  bool // this is the second time
	second replayer
}

func newChecker(st strategy) *checker { return &checker{recorder: recorder{strategy: st}} }

func (c *checker) begin(execution int) bool {
	if c.again = execution%2 == 1; !c.again {
		return c.recorder.begin(execution / 2)
	}
	c.second = replayer{strategy: fair{}, record: c.record}
	return c.second.begin(0)
}

func (c *checker) next(v *view) (choice, error) {
	if c.again {
		return c.second.next(v)
	}
	return c.recorder.next(v)
}

func (c *checker) number(n int) int {
	if c.again {
		return c.second.number(n)
	}
	return c.recorder.number(n)
}

func (c *checker) end(res *Result) {
	if !c.again {
		c.recorder.end(res)
	}
}
