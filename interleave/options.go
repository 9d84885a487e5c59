package interleave

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/racebench/racebench/interleave/backend"
	"github.com/racebench/racebench/interleave/database"
	"github.com/racebench/racebench/interleave/schedule"
)

// Option changes how worlds are run. Every default is sensible: the embedded Redis, fair order, generous bounds.
type Option func(*config)

type config struct {
	redis        string
	backend      backend.Config
	maxSteps     int
	watchdog     time.Duration
	constraints  string
	splitScripts bool
	maxOrders    int
	strategy     string
	seed         uint64
	firstOnly    bool
	fingerprints bool
	serial       SerialLevel
	why          bool // collect the coverage
	keepOrders   bool
	eachOrder    func(*Result)
	afterTest    []func(*testing.T, Seen)
	twice        bool
	preemptions  *int
	watch        func(Progress)
	until        context.Context
	unexplained  bool
	faults       string
	jumps        []time.Duration
	ordersEach   int
	everyCrash   bool // also the crashes that come to the same as another
	client       []func(*redis.Options)
	t            *testing.T

	mode      Mode
	from      *string
	fromSteps int
	noSave    bool
	confirm   string // the second throwaway Redis; empty for none

	database       string
	databaseConfig database.Config

	parsed []schedule.Constraint
	budget *budget // nil for none
	prefix *order  // of from
}

// Redis says which throwaway Redis to use: embedded (the default), process, container (import
// interleave/container for it), or a redis:// URL of an empty server.
func Redis(spec string) Option { return func(c *config) { c.redis = spec } }

// Backend sets the details of the throwaway Redis.
func Backend(cfg backend.Config) Option { return func(c *config) { c.backend = cfg } }

// For lends a test to the worlds of a Runner, which need one. Without it they use a hidden test of their own, which
// shows up in the output of go test -v. Force and its like do this by themselves.
func For(t *testing.T) Option { return func(c *config) { c.t = t } }

// MaxSteps bounds the steps of a world; the default is 10,000. A world that hits the bound is undecided.
func MaxSteps(n int) Option { return func(c *config) { c.maxSteps = n } }

// MaxExecutions bounds the worlds that an exploration runs; the default is 10,000. One that hits the bound is undecided
// unless it has found a violation.
func MaxExecutions(n int) Option { return func(c *config) { c.maxOrders = n } }

// Strategy says how Explore chooses orders: exhaustive (every inequivalent order, the default), portfolio (exhaustive
// first, then the others in turn), random, pct, pos or surw, which draw orders and so never prove that all hold; or dfs,
// which runs all orders, the equivalent ones too, and is for comparison.
func Strategy(name string) Option { return func(c *config) { c.strategy = name } }

// Seed is what a strategy that draws depends on, beside the number of the execution. The same seed gives the same
// exploration.
func Seed(n uint64) Option { return func(c *config) { c.seed = n } }

// StopAtFirst ends an exploration with the first order that goes wrong, instead of counting all that do.
func StopAtFirst() Option { return func(c *config) { c.firstOnly = true } }

// CheckDeterminism has Explore run every order twice, and give up with a *NondeterminismError when the same steps do not
// lead to the same alternatives: the world depends on something that it does not control.
func CheckDeterminism() Option { return func(c *config) { c.twice = true } }

// Unexplained leaves what an exploration finds as it was found: not shrunk, without a story. It saves some hundred worlds
// for each finding.
func Unexplained() Option { return func(c *config) { c.unexplained = true } }

// Watchdog sets how much real time may pass without anything reaching the gate before a world is given up as a
// potential deadlock; the default is 10 s.
func Watchdog(d time.Duration) Option { return func(c *config) { c.watchdog = d } }

// Before adds constraints to the order that is not forced: "A.GET B.GET < A.SET B.SET" lets both reads happen before
// either write. Several are separated by ";". See the package schedule for the form.
func Before(constraints string) Option {
	return func(c *config) {
		if c.constraints != "" {
			c.constraints += "; "
		}
		c.constraints += constraints
	}
}

// SplitScripts makes an EVALSHA that the server answers with NOSCRIPT a step of its own, before the EVAL that follows.
// By default both are one step.
func SplitScripts() Option { return func(c *config) { c.splitScripts = true } }

// ClientOptions changes the options of the go-redis clients that actors get, for instance to put the read timeout back.
func ClientOptions(change func(*redis.Options)) Option {
	return func(c *config) { c.client = append(c.client, change) }
}

func newConfig(opts []Option) (*config, error) {
	return (&config{maxSteps: 10_000, maxOrders: 10_000, strategy: "exhaustive", watchdog: 10 * time.Second}).with(opts)
}

// with changes the configuration.
func (c *config) with(opts []Option) (*config, error) {
	for i, o := range opts {
		if o == nil {
			return nil, fmt.Errorf("interleave: option %d is nil", i+1)
		}
		o(c)
	}
	switch {
	case c.maxSteps < 1:
		return nil, fmt.Errorf("interleave: MaxSteps(%d): at least 1", c.maxSteps)
	case c.maxOrders < 1:
		return nil, fmt.Errorf("interleave: MaxExecutions(%d): at least 1", c.maxOrders)
	case c.ordersEach < 0:
		return nil, fmt.Errorf("interleave: OrdersEach(%d): at least 0", c.ordersEach)
	case c.preemptions != nil && *c.preemptions < 0:
		return nil, fmt.Errorf("interleave: Preemptions(%d): at least 0", *c.preemptions)
	case c.watchdog <= 0:
		return nil, fmt.Errorf("interleave: Watchdog(%v): more than 0", c.watchdog)
	}
	if !slices.Contains(Strategies(), c.strategy) {
		return nil, fmt.Errorf("interleave: no strategy %q (have %s)", c.strategy, strings.Join(Strategies(), ", "))
	}
	if c.serial != "" && !slices.Contains(SerialLevels(), c.serial) {
		return nil, fmt.Errorf("interleave: no serial level %q (have %s, %s)", c.serial, SerialState, SerialReplies)
	}
	if err := c.budgeted(); err != nil {
		return nil, err
	}
	if err := c.checkModes(); err != nil {
		return nil, err
	}
	var err error
	c.parsed, err = schedule.ParseConstraints(c.constraints)
	return c, err
}

// All is several options as one.
func All(options ...Option) Option {
	return func(c *config) {
		for _, o := range options {
			o(c)
		}
	}
}
