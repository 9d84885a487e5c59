package interleave

import (
	"errors"
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/racebench/racebench/interleave/schedule"
)

var (
	modeFlag   = flag.String("interleave.mode", "", "what becomes of a schedule or token that does not fit: "+joinModes())
	noSaveFlag = flag.Bool("interleave.nosave", false, "do not save the orders that make a test fail")
)

// flagged are the options of a test with those that the flags of go test say.
func flagged(opts []Option) []Option {
	if *redisFlag != "" {
		opts = append([]Option{Redis(*redisFlag)}, opts...)
	}
	if *modeFlag != "" {
		opts = append([]Option{ReplayMode(Mode(*modeFlag))}, opts...)
	}
	if *noSaveFlag {
		opts = append([]Option{NoSave()}, opts...)
	}
	return opts
}

// testOrder reads the order of a test: that of the flag, if it is given, else its own.
func testOrder(t *testing.T, text string) (order, string) {
	t.Helper()
	if *replayFlag != "" {
		text = *replayFlag
	}
	o, err := parseOrder(text)
	if err != nil {
		what := "schedule"
		if schedule.IsCompact(text) {
			what = "token"
		}
		var at *schedule.Error
		if errors.As(err, &at) {
			t.Fatalf("interleave: bad %s\n%s", what, at.Caret())
		}
		t.Fatalf("interleave: %v", err)
	}
	if want := schedule.CompactName(t.Name()); *replayFlag != "" && o.compact != nil && o.compact.Name != want {
		t.Fatalf("interleave: this token is of %s, and the test is %s", o.compact.Name, want)
	}
	return o, text
}

// replayLines are the last lines of a failure: the token, and the command that runs the order again.
func replayLines(t *testing.T, res *Result, given string) string {
	var b strings.Builder
	token := res.Token(t.Name())
	if token != "" {
		fmt.Fprintf(&b, "token:   %s\n", token)
	}
	if !diverged(res.Err) {
		given = res.Trace.Schedule().String() // all of it; a schedule that does not fit has no other form than its own
		if len(given) > longSchedule && token != "" {
			given = token
		}
	}
	return b.String() + "replay:  " + replayCommand(t, given)
}

// replayCommand is the command that runs a schedule or a token again.
func replayCommand(t *testing.T, given string) string {
	if schedule.IsCompact(given) {
		given = strings.TrimSpace(given)
	} else {
		given = shellQuote(given)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "go test -run %s -interleave.replay=%s", shellQuote(runPattern(t.Name())), given)
	if *redisFlag != "" {
		fmt.Fprintf(&b, " -interleave.redis=%s", shellQuote(*redisFlag))
	}
	if *modeFlag != "" {
		fmt.Fprintf(&b, " -interleave.mode=%s", *modeFlag)
	}
	return b.String()
}

// longSchedule is the length of a schedule from which on the command that runs it again names the token instead.
const longSchedule = 200
