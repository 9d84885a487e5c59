package interleave

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

// Fuzz draws worlds, and one order for each, until rapid has had its number of them (100, or -rapid.checks), and fails the
// test with the first that violates an invariant. The shape of the world (how many actors, what they do, with which values)
// is what draw draws from its argument before it returns the world function; it must not depend on anything else. The order is
// drawn from the same source, so that pgregory.net/rapid makes shape and order simpler together. What it ends with is
// shrunk and explained like a finding of Explore, and rapid keeps it under testdata/rapid, to be run first the next time.
//
// Faults and Jumps let faults be drawn too, and OrdersEach has several orders of each shape explored. A world that is
// undecided is drawn anew, as one that calls SkipNow.
func Fuzz(t *testing.T, draw func(*rapid.T) func(*World), opts ...Option) {
	t.Helper()
	if *redisFlag != "" {
		opts = append([]Option{Redis(*redisFlag)}, opts...)
	}
	f := &fuzzing{r: openTest(t, opts), t: t, draw: draw}
	defer func() {
		t.Helper()
		if f.seen != nil {
			f.r.after(t, *f.seen)
		}
		if testing.Verbose() {
			how := "each order drawn with its world"
			if f.r.cfg.ordersEach > 0 {
				how = fmt.Sprintf("at most %d orders of each, %s", f.r.cfg.ordersEach, f.r.cfg.chooses())
			}
			t.Logf("interleave: %d worlds drawn, %s: %d orders run to their end; %d worlds undecided", f.drawn, how, f.orders, f.undecided)
		}
		if f.undecided > 0 {
			t.Logf("interleave: %d of %d worlds drawn were undecided: %s", f.undecided, f.drawn, f.why)
		}
	}()
	rapid.Check(t, f.property)
}

// MakeFuzz is Fuzz for go test -fuzz: the bytes of an input are what is drawn from, and zeros after their end, which stand for
// the simplest of everything.
//
//	func FuzzJobs(f *testing.F) { f.Fuzz(interleave.MakeFuzz(f, drawJobs)) }
func MakeFuzz(f *testing.F, draw func(*rapid.T) func(*World), opts ...Option) func(*testing.T, []byte) {
	f.Helper()
	if *redisFlag != "" {
		opts = append([]Option{Redis(*redisFlag)}, opts...)
	}
	r, err := Open(opts...)
	if err != nil {
		f.Fatalf("interleave: %s%s", strings.TrimPrefix(err.Error(), "interleave: "), hint(err))
	}
	f.Cleanup(func() {
		if err := r.Close(); err != nil {
			f.Errorf("interleave: %v", err)
		}
	})
	return func(t *testing.T, input []byte) {
		t.Helper()
		_ = t.Context().Done() // see openTest
		r.t = t
		x := &fuzzing{r: r, t: t, draw: draw}
		defer func() {
			if x.seen != nil && !fuzzes() {
				r.after(t, *x.seen)
			}
		}()
		rapid.MakeFuzz(x.property)(t, append(input[:len(input):len(input)], make([]byte, fuzzTail)...))
	}
}

// fuzzes reports whether go test -fuzz makes inputs, each of which may fail many times before it is the simplest; the failure
// that is left is run again as a test of its own.
func fuzzes() bool {
	f := flag.Lookup("test.fuzz")
	return f != nil && f.Value.String() != ""
}

// fuzzTail is how many zeros follow an input: enough for any world of ordinary size, at some 20 bytes a draw.
const fuzzTail = 1 << 16

// OrdersEach has Fuzz explore at most so many orders of each shape that it draws, with the strategy of the options, instead
// of drawing one. The default, 0, draws one.
func OrdersEach(n int) Option { return func(c *config) { c.ordersEach = n } }

// fuzzing is a test that draws worlds.
type fuzzing struct {
	r    *Runner
	t    *testing.T
	draw func(*rapid.T) func(*World)

	first            *target // how the first order that went wrong did: what it is shrunk to has to do the same
	drawn, undecided int
	orders           int    // run to their end
	why              string // of the last undecided
	held             bool   // the one world that was asked for
	seen             *Seen  // what goes wrong, when it is shown
}

// property is one draw of shape and order.
func (f *fuzzing) property(t *rapid.T) {
	t.Helper()
	if f.held {
		return
	}
	world := f.draw(t)
	if world == nil {
		t.Fatalf("interleave: Fuzz: no world function was drawn, but nil")
	}
	f.drawn++
	res := f.order(t, world)
	if f.r.broken != nil {
		f.t.Fatal(f.text(res, nil, world)) // it may still use the server: nothing can be run any more
	}
	goes, wrong := firstTarget(res)
	if wrong && f.first == nil {
		f.first = &goes
	}
	if wrong {
		_, wrong = f.first.in(res)
	}
	switch {
	case fatalTo(res.Err) != nil:
		f.fail(t, f.text(res, nil, world), headline(res.Err.Error()))
	case wrong: // from one place, or rapid takes it for something else
		f.violated(t, res, *f.first, world)
	case res.Outcome() == Undecided:
		f.undecided, f.why = f.undecided+1, undecidedBy(res)
		t.Skipf("interleave: undecided: %s", f.why)
	}
	f.held = *replayFlag != "" && !t.Failed()
}

// order runs a world of the shape that was drawn, in an order that is drawn, or in those of an exploration: then the result is
// of one that goes wrong, if any does.
func (f *fuzzing) order(t *rapid.T, world func(*World)) (res *Result) {
	t.Helper()
	cfg := f.r.cfg
	if *replayFlag != "" {
		o, err := parseOrder(*replayFlag)
		if err != nil {
			f.t.Fatalf("interleave: bad schedule: %v", err)
		}
		return f.r.runOrder(o, world)
	}
	if cfg.ordersEach > 0 {
		return f.explored(world)
	}
	// A generator of its own keeps each choice out of the log: the order that they come to is what a person reads.
	rapid.Custom(func(t *rapid.T) string {
		st := &drawn{t: t, budget: cfg.budget}
		res = f.r.once(st, cfg.needs(), world)
		if st.failed != nil {
			panic(st.failed) // what rapid said to the scheduler, it has to be told here
		}
		return res.Trace.Schedule().String()
	}).Draw(t, "order")
	f.orders++
	return res
}

// explored is the first order of an exploration that goes wrong, or else one that is held or undecided as the whole is, where
// not having run all orders is no doubt.
func (f *fuzzing) explored(world func(*World)) *Result {
	cfg := *f.r.cfg
	was := f.r.cfg
	cfg.maxOrders, cfg.firstOnly, cfg.unexplained = cfg.ordersEach, true, true
	f.r.cfg = &cfg
	defer func() { f.r.cfg = was }()
	var last *Result
	x := f.r.explore(f.t.Context(), world, func(res *Result) {
		if last == nil || res.Outcome() != Held {
			last = res
		}
	})
	f.orders += x.Orders
	switch {
	case len(x.Found) > 0:
		return x.Found[0].First
	case x.Err != nil:
		return &Result{Trace: &Trace{}, Err: x.Err}
	case last == nil:
		return &Result{Trace: &Trace{Bound: x.Bound}}
	}
	return last
}

// violated fails a draw that goes wrong in the given way.
func (f *fuzzing) violated(t *rapid.T, res *Result, goes target, world func(*World)) {
	t.Helper()
	text := ""
	if t.Output() != io.Discard { // somebody reads it: rapid has shrunk what it found
		text = f.text(res, &goes, world)
	}
	f.fail(t, text, fmt.Sprintf("%q is violated", goes.what))
}

// fail fails a draw. What it says in the end must be the same when it is drawn again, or rapid calls the test flaky: the text,
// where a subject's random ids can be, comes by another way.
func (f *fuzzing) fail(t *rapid.T, text, what string) {
	t.Helper()
	t.Errorf("interleave: %s", what)
	if text != "" { // below everything that rapid says of this draw
		t.Log(text)
	}
}

// text is what a person is told about a draw that fails.
func (f *fuzzing) text(res *Result, goes *target, world func(*World)) string {
	f.r.replayWith = f.again()
	if goes == nil {
		return f.r.failure(f.t, res, "", world)
	}
	found := Finding{What: goes.what, First: res}
	if x, _ := f.r.explainShrunk(f.t.Context(), res, *goes, world); x != nil {
		found.Explanation = *x
	}
	shown := found.First
	if found.Shrunk != nil {
		shown = found.Shrunk
	}
	f.seen = &Seen{Result: shown, Explanation: &found.Explanation}
	return f.r.foundText(f.t, &found, world)
}

// again is how the shape of the draw that failed is had again: by the file that rapid keeps.
func (f *fuzzing) again() string {
	if v := flag.Lookup("rapid.failfile"); v != nil && v.Value.String() != "" {
		return " -rapid.failfile=" + shellQuote(v.Value.String())
	}
	name := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_' {
			return r
		}
		return '_'
	}, f.t.Name())
	// rapid names it after the test, the time and the process.
	files, _ := filepath.Glob(filepath.Join("testdata", "rapid", name, name+"-*-"+strconv.Itoa(os.Getpid())+".fail"))
	if len(files) == 0 {
		return ""
	}
	return " -rapid.failfile=" + shellQuote(files[len(files)-1])
}

// headline is the first line of a text.
func headline(text string) string {
	line, _, _ := strings.Cut(strings.TrimPrefix(text, "interleave: "), "\n")
	return line
}
