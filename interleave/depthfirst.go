package interleave

// depthFirst runs every order, equivalent or not, and changes the last choice first: the search that any other has to be
// better than. It is here for comparison.
type depthFirst struct {
	path  []fork
	depth int // choices of the execution under way
}

// depthFirstName is its name.
const depthFirstName = "dfs"

// fork is a point of an execution at which there was something to choose.
type fork struct {
	alts  []alternative
	taken int
}

func (d *depthFirst) begin(execution int) bool {
	d.depth = 0
	if execution == 0 {
		return true
	}
	for n := len(d.path); n > 0; n-- {
		if last := &d.path[n-1]; last.taken+1 < len(last.alts) {
			last.taken++
			return true
		}
		d.path = d.path[:n-1]
	}
	return false
}

func (d *depthFirst) next(v *view) (choice, error) {
	choices, alts := alternatives(v)
	switch {
	case len(alts) > 0:
	case v.allEnded():
		return choice{kind: chooseEnd}, nil
	default:
		return choice{kind: chooseIdle}, nil
	}
	if d.depth == len(d.path) {
		d.path = append(d.path, fork{alts: alts})
	}
	f := d.path[d.depth]
	if len(f.alts) != len(alts) {
		return choice{}, &NondeterminismError{Step: v.step, Was: describeAlts(f.alts), Is: describeAlts(alts)}
	}
	d.depth++
	return choices[f.taken], nil
}

func (d *depthFirst) number(int) int { return 0 }
func (d *depthFirst) end(*Result)    {}
