package interleave

// observer looks at every order of an exploration for what is no verdict: windows, coverage, the serial oracle.
type observer struct {
	windows []WindowCount
}

func (r *Runner) newObserver() *observer { return &observer{} }

// order looks at an order that has been run to its end.
func (o *observer) order(res *Result) {
	o.windows = countWindows(o.windows, res.Trace)
}

// report puts what has been found into the exploration.
func (o *observer) report(x *Exploration) {
	x.Windows = o.windows
}
