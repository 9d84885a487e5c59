package interleave

// KeptOrder is one order of an exploration, for a picture of what was explored.
type KeptOrder struct {
	Tokens  []string `json:"tokens"`  // its schedule
	Outcome Outcome  `json:"outcome"` // held, undecided or violated
}

// MaxKeptOrders bounds what KeepOrders keeps: the first orders that were run.
const MaxKeptOrders = 2000

// KeepOrders makes an exploration keep its orders, at most MaxKeptOrders of them, in the order in which they were run.
func KeepOrders() Option { return func(c *config) { c.keepOrders = true } }

// EachOrder has a function called with every order that an exploration has run to its end, on the goroutine that explores. The
// trace has no callers, which are left out while searching.
func EachOrder(f func(*Result)) Option { return func(c *config) { c.eachOrder = f } }

// keptOrders are those of one exploration, or of a part of one.
type keptOrders []KeptOrder

func (k *keptOrders) look(res *Result) {
	if len(*k) == MaxKeptOrders {
		return
	}
	order := KeptOrder{Tokens: make([]string, 0, len(res.Trace.Steps)), Outcome: res.Outcome()}
	for _, t := range res.Trace.Schedule() {
		order.Tokens = append(order.Tokens, t.String())
	}
	*k = append(*k, order)
}

func addKept(a, b []KeptOrder) []KeptOrder {
	return append(a, b[:min(len(b), MaxKeptOrders-len(a))]...)
}
