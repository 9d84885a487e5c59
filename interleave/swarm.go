package interleave

// swarm draws the faults of an execution: first which kinds it may have (Groce, Zhang, Eide, Chen and Regehr, "Swarm testing",
// ISSTA 2012), because a fault of one kind can hide what one of another would show; then how many of each, and after how
// many steps, as PCT draws its changes. So a fault is as likely late in a world as early.
type swarm struct {
	budget *budget
	length int // steps of the longest execution so far
	at     int // steps of this one
	plan   []injection
}

// injection is a fault that is to happen at the first chance after so many steps.
type injection struct {
	kind  fault
	after int
}

// firstLength is what is taken for the length of a world before there was one.
const firstLength = 8

func (s *swarm) draw(number func(n int) int) {
	s.at, s.plan = 0, s.plan[:0]
	if s.budget == nil {
		return
	}
	for k, most := range s.budget {
		if most == 0 || number(2) != 0 {
			continue
		}
		for range 1 + number(most) {
			s.plan = append(s.plan, injection{fault(k), number(max(s.length, firstLength))})
		}
	}
}

// pick is the index of the fault that is to happen now, or -1.
func (s *swarm) pick(alts []alternative, number func(n int) int) int {
	s.at++
	for p, in := range s.plan {
		if in.after >= s.at {
			continue
		}
		var fit []int
		for i, a := range alts {
			if a.fault == in.kind {
				fit = append(fit, i)
			}
		}
		if len(fit) > 0 {
			s.plan = append(s.plan[:p], s.plan[p+1:]...)
			return fit[number(len(fit))]
		}
	}
	return -1
}
