package interleave

import "strconv"

// alternative is one step that could be taken at a node.
type alternative struct {
	actor string
	key   string // names it among those of every node below, as long as it has not been taken
	fault fault
}

// alternatives lists what could happen now, in the fixed order, with what makes it happen: first what happens without a fault,
// which is the clock when everybody waits, then the faults that the budget has left. There is nothing at the end of the world.
func alternatives(v *view) ([]choice, []alternative) {
	if !v.listed {
		v.choices, v.alts = v.list()
		v.listed = true
	}
	return v.choices, v.alts
}

// listing is the alternatives with the choices that they stand for.
type listing struct {
	choices []choice
	alts    []alternative
}

func (l *listing) add(c choice, actor, key string) {
	l.choices = append(l.choices, c)
	l.alts = append(l.alts, alternative{actor, key, c.fault})
}

func (v *view) list() ([]choice, []alternative) {
	l := &listing{}
	for _, a := range v.actors {
		add := func(c choice, what string, n int) {
			c.actor = a.Actor
			l.add(c, a.name, a.name+what+strconv.Itoa(n))
		}
		if a.life.Load() == alive {
			for _, s := range a.pushes {
				add(choice{kind: chooseDeliver, push: s}, " message of connection "+strconv.Itoa(s.conn.id)+", number ", s.delivered)
			}
			for i, o := range a.ops {
				if a.enabled[i] {
					add(choice{kind: chooseExec, op: o}, operationKey, o.seq)
				}
			}
		}
		for _, o := range a.late {
			add(choice{kind: chooseArrive, op: o}, " late operation ", o.seq)
		}
	}
	end := len(l.alts) == 0 && v.allEnded()
	if len(l.alts) == 0 {
		l.add(choice{kind: chooseIdle}, "", clockKey)
	}
	if v.eng.cfg.budget != nil {
		l.addFaults(v)
	}
	if end {
		return nil, nil
	}
	return l.choices, l.alts
}

const operationKey = " operation "

func describeAlts(alts []alternative) string {
	if len(alts) == 0 {
		return "nothing"
	}
	text := ""
	for i, a := range alts {
		if i > 0 {
			text += ", "
		}
		text += a.key
	}
	return text
}

// faultless counts the alternatives that are no faults, which come first.
func faultless(alts []alternative) int {
	for i, a := range alts {
		if a.fault != noFault {
			return i
		}
	}
	return len(alts)
}

// moves are the alternatives that are an actor's own, without a fault.
func moves(v *view) ([]choice, []alternative) {
	choices, alts := alternatives(v)
	n := faultless(alts)
	if n == 0 || choices[0].kind == chooseIdle {
		return nil, nil
	}
	return choices[:n], alts[:n]
}
