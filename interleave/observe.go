package interleave

import "context"

// observer looks at every order of an exploration for what is no verdict: windows, coverage, the serial oracle,
// the orders themselves.
type observer struct {
	windows  []WindowCount
	serial   *serialOracle
	coverage *Coverage
	kept     *keptOrders
	each     func(*Result)
}

func (r *Runner) newObserver(ctx context.Context, world func(*World)) *observer {
	o := &observer{each: r.cfg.eachOrder}
	if r.cfg.serial != "" {
		o.serial = r.newSerialOracle(ctx, world)
	}
	if r.cfg.why {
		o.coverage = &Coverage{}
	}
	if r.cfg.keepOrders {
		o.kept = &keptOrders{}
	}
	return o
}

// fresh is an observer of the same world that has seen no order yet.
func (o *observer) fresh() *observer {
	f := &observer{each: o.each}
	if o.serial != nil {
		again := *o.serial
		again.Compared, again.NotSerial, again.Schedule, again.Different = 0, 0, "", ""
		f.serial = &again
	}
	if o.coverage != nil {
		f.coverage = &Coverage{}
	}
	if o.kept != nil {
		f.kept = &keptOrders{}
	}
	return f
}

// order looks at an order that has been run to its end.
func (o *observer) order(res *Result) {
	o.windows = countWindows(o.windows, res.Trace)
	if o.serial != nil {
		o.serial.compare(res)
	}
	if o.coverage != nil {
		o.coverage.look(res.Trace)
	}
	if o.kept != nil {
		o.kept.look(res)
	}
	if o.each != nil {
		o.each(res)
	}
}

// report puts what has been found into the exploration.
func (o *observer) report(x *Exploration) {
	x.Windows, x.Coverage = o.windows, o.coverage
	if o.serial != nil {
		x.Serial = &o.serial.Serial
	}
	if o.kept != nil {
		x.Kept = *o.kept
	}
}
