package interleave

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
	"time"
)

// Seen is what a test of this package has come to, for what shows it in another way than as text: see AfterTest.
type Seen struct {
	Exploration *Exploration // of Explore; nil when one order was run
	Result      *Result      // the order of Force, Violates or Replay, or the one that Fuzz found; nil of an exploration
	Explanation *Explanation // of Result, when it goes wrong
	// Token is that of an order, empty when it has none; Command the go test command that runs a schedule or token again.
	Token   func(*Result) string
	Command func(order string) string
	// Backend and Version name the throwaway Redis; Strategy and Seed are those of the exploration.
	Backend, Version, Strategy string
	Seed                       uint64
}

// AfterTest has a function called at the end of Explore, Force, Violates, Replay and a failing Fuzz or input of
// MakeFuzz, before they return. The
// package interleave/page writes an HTML page with it.
func AfterTest(f func(t *testing.T, seen Seen)) Option {
	return func(c *config) { c.afterTest = append(c.afterTest, f) }
}

// after tells those who asked for it what a test has come to.
func (r *Runner) after(t *testing.T, s Seen) {
	t.Helper()
	if len(r.cfg.afterTest) == 0 {
		return
	}
	s.Backend, s.Version = r.Backend()
	s.Strategy, s.Seed = r.cfg.strategy, r.cfg.seed
	s.Token = func(res *Result) string { return res.Token(t.Name()) }
	s.Command = func(order string) string { return replayCommand(t, order) + r.replayWith }
	for _, f := range r.cfg.afterTest {
		f(t, s)
	}
}

// chooses names the strategy, with what it depends on and what bounds it.
func (c *config) chooses() string {
	text := "strategy " + c.strategy
	if c.strategy != exhaustiveName && c.strategy != depthFirstName {
		text += fmt.Sprintf(", seed %d", c.seed)
	}
	if c.preemptions != nil {
		text += fmt.Sprintf(", preemptions up to %d", *c.preemptions)
	}
	if c.faults != "" {
		text += ", faults " + c.faults
	}
	for _, d := range c.jumps {
		text += fmt.Sprintf(", a jump of %s", d)
	}
	return text
}

// statistics are those of one order that was asked for.
func (res *Result) statistics() string {
	var at time.Duration
	if n := len(res.Trace.Steps); n > 0 {
		at = res.Trace.Steps[n-1].At
	}
	return fmt.Sprintf("one order, as asked for, %s; steps: %d, switches of the actor: %d, virtual time: %s",
		res.Outcome(), len(res.Trace.Steps), res.Trace.Switches(), at)
}

// Statistics are what an exploration ran and counted, in a few lines: what go test -v shows of it.
func (x *Exploration) Statistics() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d executions, %d orders run to their end", x.Executions, x.Orders)
	for _, c := range []struct {
		n    int
		what string
	}{{x.Pruned, "given up because they were explored already"}, {x.Met, "given up in a state met before"}, {x.States, "states"},
		{x.Points, "places to choose"}, {x.Explained, "more executions to explain what was found"}} {
		if c.n > 0 {
			fmt.Fprintf(&b, ", %d %s", c.n, c.what)
		}
	}
	if all := x.All(); all != nil {
		fmt.Fprintf(&b, "\nall orders, equivalent ones too: %s", all)
	}
	if x.FirstAt > 0 {
		fmt.Fprintf(&b, "\nthe first to go wrong: execution %d", x.FirstAt)
	}
	for _, e := range x.Endings {
		fmt.Fprintf(&b, "\n%6d orders: %s", e.Orders, cmp.Or(strings.Join(e.Violates, ", "), e.Outcome.String()))
	}
	return b.String()
}
