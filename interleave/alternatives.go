package interleave

import "strconv"

// alternative is one step that could be taken at a node.
type alternative struct {
	actor string
	key   string // names it among those of every node below, as long as it has not been taken
}

// alternatives lists what could happen now, in the fixed order, with what makes it happen.
func alternatives(v *view) ([]choice, []alternative) {
	if !v.listed {
		v.choices, v.alts = v.list()
		v.listed = true
	}
	return v.choices, v.alts
}

func (v *view) list() ([]choice, []alternative) {
	var choices []choice
	var alts []alternative
	for _, a := range v.actors {
		add := func(c choice, what string, n int) {
			c.actor = a.Actor
			choices = append(choices, c)
			alts = append(alts, alternative{a.name, a.name + what + strconv.Itoa(n)})
		}
		if a.life.Load() == alive {
			for _, s := range a.pushes {
				add(choice{kind: chooseDeliver, push: s}, " message of connection "+strconv.Itoa(s.conn.id)+", number ", s.delivered)
			}
			for i, o := range a.ops {
				if a.enabled[i] {
					add(choice{kind: chooseExec, op: o}, " operation ", o.seq)
				}
			}
		}
		for _, o := range a.late {
			add(choice{kind: chooseArrive, op: o}, " late operation ", o.seq)
		}
	}
	return choices, alts
}

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
