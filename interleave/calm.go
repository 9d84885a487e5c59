package interleave

// calm is the order with the fewest switches: the actor of the last step goes on as long as it can, then the next by
// name. Late commands come last, and the clock moves when nothing is enabled.
type calm struct{ fair }

func (c calm) next(v *view) (choice, error) {
	if a := v.actor(v.last); a != nil && a.life.Load() == alive {
		if len(a.pushes) > 0 {
			return choice{kind: chooseDeliver, actor: a.Actor, push: a.pushes[0]}, nil
		}
		if o := a.firstEnabled(); o != nil {
			return choice{kind: chooseExec, actor: a.Actor, op: o}, nil
		}
	}
	return c.fair.next(v)
}

// stop ends a world that its schedule has brought to where it matters. What has not been violated by then is undecided.
type stop struct{ once }

func (stop) next(v *view) (choice, error) {
	v.trace.Bound = boundShown
	return choice{kind: chooseEnd}, nil
}

// boundShown is the bound of a world that was ended by stop.
const boundShown = "what comes after this is not needed"

// inTurn runs the actors one after the other, in the order given, without faults and with the clock moving by itself. The
// absent ones die before their first command; what a daemon or a waiting actor leaves open happens in between.
type inTurn struct {
	once
	order, absent []string
	everybody     bool // is absent
	calm          calm
}

func (t *inTurn) next(v *view) (choice, error) {
	if t.everybody && t.absent == nil {
		for _, a := range v.actors {
			t.absent = append(t.absent, a.name)
		}
	}
	if c, ok := bury(v, t.absent); ok {
		return c, nil
	}
	for _, name := range t.order {
		a := v.actor(name)
		if a == nil || a.ended() {
			continue
		}
		if len(a.pushes) > 0 {
			return choice{kind: chooseDeliver, actor: a.Actor, push: a.pushes[0]}, nil
		}
		if o := a.firstEnabled(); o != nil {
			return choice{kind: chooseExec, actor: a.Actor, op: o}, nil
		}
	}
	return t.calm.next(v)
}

// bury is the death of the next of the absent actors that is still there.
func bury(v *view, absent []string) (choice, bool) {
	for _, name := range absent {
		if a := v.actor(name); a != nil && !a.ended() {
			return choice{kind: chooseCrash, actor: a.Actor}, true
		}
	}
	return choice{}, false
}

// permutations calls f with the orders of names until it returns true, at most most of them, in a fixed order, and
// reports whether it did.
func permutations(names []string, most int, f func([]string) bool) bool {
	list := append([]string(nil), names...)
	var visit func(k int) bool
	visit = func(k int) bool {
		if most <= 0 {
			return false
		}
		if k == len(list) {
			most--
			return f(append([]string(nil), list...))
		}
		for i := k; i < len(list); i++ {
			// Bring i to k and move the rest up, so that the first order is the given one.
			x := list[i]
			copy(list[k+1:i+1], list[k:i])
			list[k] = x
			done := visit(k + 1)
			copy(list[k:i], list[k+1:i+1])
			list[i] = x
			if done {
				return true
			}
		}
		return false
	}
	return visit(0)
}
