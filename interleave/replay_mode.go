package interleave

import (
	"fmt"
	"slices"
	"strings"

	"github.com/racebench/racebench/interleave/schedule"
)

// Mode says what becomes of a schedule, or of a token, that does not fit the program.
type Mode string

// The modes.
const (
	// Strict makes it an error, a *DivergedError: it says step, actor, expected and met operation. It is the default. A token
	// must describe the whole run.
	Strict Mode = "strict"
	// BestEffort leaves out what does not fit and goes on; Result.Skipped says what that was.
	BestEffort Mode = "best-effort"
	// Prefix is Strict as far as the schedule or the token goes. After it Explore runs every order of the rest, as with the
	// option From, and everything else goes on in a fair order.
	Prefix Mode = "prefix"
)

// Modes are the modes that there are.
func Modes() []Mode { return []Mode{Strict, BestEffort, Prefix} }

// ReplayMode says what becomes of a schedule or token that does not fit the program; the default is Strict.
func ReplayMode(m Mode) Option { return func(c *config) { c.mode = m } }

// From has Explore begin every world with a schedule or a token, strictly, and explore the orders of what comes after it. With
// steps above 0 it is followed for so many steps only, which cuts a token of a whole run.
func From(order string, steps int) Option {
	return func(c *config) { c.from, c.fromSteps = &order, steps }
}

// order is what a text says: a schedule or a token.
type order struct {
	tokens  schedule.Schedule
	compact *schedule.Compact
	steps   int // how many steps it is followed for; 0 for all
}

// parseOrder reads a schedule or a token. The error is a *schedule.Error.
func parseOrder(text string) (order, error) {
	if schedule.IsCompact(text) {
		c, err := schedule.ParseCompact(text)
		return order{compact: c}, err
	}
	s, err := schedule.Parse(text)
	return order{tokens: s}, err
}

// needs says what the worlds of an order must keep.
func (o order) needs() needs {
	if o.compact == nil {
		return needs{history: needsJournal(o.tokens)}
	}
	return needs{history: slices.ContainsFunc(o.compact.Choices, func(c schedule.Choice) bool { return c.Token.Kind == schedule.Failover })}
}

// strategy follows the order, and then lets rest decide.
func (o order) strategy(mode Mode, rest strategy) strategy {
	var st strategy
	switch {
	case o.compact != nil:
		st = &compacted{c: o.compact, mode: mode, rest: rest}
	case mode == BestEffort:
		st = &lenient{forced: newForced(o.tokens, rest)}
	default:
		st = newForced(o.tokens, rest)
	}
	if o.steps > 0 {
		st = &cut{strategy: st, steps: o.steps, rest: rest}
	}
	return st
}

// cut lets another strategy decide after some steps.
type cut struct {
	strategy
	steps int
	rest  strategy
}

func (c *cut) next(v *view) (choice, error) {
	if v.step > c.steps {
		return c.rest.next(v)
	}
	return c.strategy.next(v)
}

// checkModes refuses modes that there are not, and reads the order of From.
func (c *config) checkModes() error {
	if c.mode != "" && !slices.Contains(Modes(), c.mode) {
		return fmt.Errorf("interleave: no mode %q (have %s)", c.mode, joinModes())
	}
	if c.from == nil {
		return nil
	}
	o, err := parseOrder(*c.from)
	if err != nil {
		return err
	}
	if c.fromSteps < 0 {
		return fmt.Errorf("interleave: From with %d steps: at least 0", c.fromSteps)
	}
	o.steps = c.fromSteps
	c.prefix = &o
	return nil
}

func joinModes() string {
	var words []string
	for _, m := range Modes() {
		words = append(words, string(m))
	}
	return strings.Join(words, ", ")
}

// runOrder runs one world in an order, and then in a fair one.
func (r *Runner) runOrder(o order, world func(*World)) *Result {
	st := o.strategy(r.cfg.mode, fair{})
	res := r.once(st, o.needs(), world)
	switch st := st.(type) {
	case *lenient:
		res.Skipped = st.skipped
	case *compacted:
		res.Skipped, res.whole = st.skipped, !o.compact.Open && (r.cfg.mode == Strict || r.cfg.mode == "")
		if err := st.whole(res); err != nil {
			res.Err = err
		}
	}
	return res
}
