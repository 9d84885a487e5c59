package schedule_test

import (
	"fmt"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/racebench/racebench/interleave/schedule"
)

// Generators of syntax trees, and of text that owes nothing to the printer.

var (
	genActor = rapid.StringMatching(`[A-Za-z_][A-Za-z0-9_-]{0,6}`).
			Filter(func(s string) bool { return s != "run" })
	genCommand = rapid.OneOf(
		rapid.SampledFrom([]string{"GET", "SET", "EVALSHA", "XGROUP", "RESTORE-ASKING", "EVAL_RO", "UPDATE"}),
		rapid.StringMatching(`[A-Z][A-Z0-9_-]{0,5}`),
	).Filter(func(s string) bool { // what is one letter from a reserved word is refused
		return (schedule.Schedule{{Kind: schedule.Op, Actor: "A", Match: schedule.Match{Command: s}}}).Validate() == nil
	})
	genServer = rapid.OneOf(rapid.Just(""), rapid.StringMatching(`[A-Za-z_][A-Za-z0-9_-]{0,6}`))
	oddKeys   = []string{
		"", " ", "odd key )", `quo"te`, "it's", "`", `back\slash`, "#", "a,b", "(", ")", "\n", "\t", "\r\n", "\x00", "\xff",
		"ok\xf0\x9f", "\uFFFD", "\uFFFDx\xff", "\u00a0", "\u200b", "\u202e", "日本", "é", "{job:1}:running", "a<b;c", "A.GET!lost@2",
	}
	genKey = rapid.OneOf(
		rapid.SampledFrom(oddKeys),
		rapid.StringMatching(`[a-z]{1,4}(:[a-z0-9{}]{1,6}){0,2}`),
		rapid.String(),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
	)
	genNth      = rapid.OneOf(rapid.Just(1), rapid.IntRange(1, 9), rapid.IntRange(1, schedule.MaxN))
	genDuration = rapid.Custom(func(t *rapid.T) time.Duration {
		units := []time.Duration{1, time.Microsecond, time.Millisecond, time.Second, time.Minute, time.Hour}
		d := time.Duration(rapid.IntRange(1, 2000).Draw(t, "count")) * rapid.SampledFrom(units).Draw(t, "unit")
		if rapid.Bool().Draw(t, "uneven") {
			d += time.Duration(rapid.Int64Range(0, int64(48*time.Hour)).Draw(t, "more"))
		}
		return d
	})
)

func genMatch(t *rapid.T) schedule.Match {
	if rapid.IntRange(0, 7).Draw(t, "point") == 0 {
		m := schedule.Match{Command: schedule.Point, Nth: genNth.Draw(t, "nth")}
		if label := genKey.Draw(t, "label"); label != "" {
			m.Keys = []string{label}
		}
		return m
	}
	return schedule.Match{
		Command: genCommand.Draw(t, "command"),
		Server:  genServer.Draw(t, "server"),
		Keys:    rapid.SliceOfN(genKey, 0, 3).Draw(t, "keys"),
		Nth:     genNth.Draw(t, "nth"),
	}
}

// genToken draws any token that Validate accepts.
var genToken = rapid.Custom(func(t *rapid.T) schedule.Token {
	tok := schedule.Token{Kind: schedule.Kind(rapid.IntRange(int(schedule.Op), int(schedule.Evict)).Draw(t, "kind"))}
	if tok.Kind <= schedule.Deliver {
		tok.Actor = genActor.Draw(t, "actor")
	}
	switch tok.Kind {
	case schedule.Op:
		named := rapid.Bool().Draw(t, "named")
		faults := []schedule.Fault{schedule.NoFault, schedule.Lost, schedule.Unsent, schedule.Late, schedule.CrashBefore}
		if named {
			faults[len(faults)-1] = schedule.CrashAfter
			tok.Match = genMatch(t)
		}
		if tok.Match.Command == schedule.Point {
			faults = []schedule.Fault{schedule.NoFault, schedule.CrashAfter}
		}
		tok.Fault = rapid.SampledFrom(faults).Draw(t, "fault")
		if !named && tok.Fault != schedule.CrashBefore {
			tok.Match.Nth = genNth.Draw(t, "nth")
			tok.Match.Server = genServer.Draw(t, "server")
		}
	case schedule.Until:
		tok.Match = genMatch(t)
		tok.Match.Nth = 0
	case schedule.Arrive:
		tok.Match.Nth = genNth.Draw(t, "nth")
	case schedule.Deliver:
		tok.Key = genKey.Draw(t, "channel")
		tok.Match.Nth = genNth.Draw(t, "nth")
		tok.Fault = rapid.SampledFrom([]schedule.Fault{schedule.NoFault, schedule.Drop}).Draw(t, "fault")
	case schedule.Advance, schedule.Run:
		tok.Duration = genDuration.Draw(t, "duration")
	case schedule.Failover:
		tok.N = genNth.Draw(t, "writes")
	case schedule.Evict:
		tok.Key = genKey.Draw(t, "key")
	}
	switch tok.Kind {
	case schedule.Restart, schedule.Failover, schedule.FlushScripts, schedule.Evict:
		tok.Server = genServer.Draw(t, "server")
	}
	return tok
})

var genSchedule = rapid.Custom(func(t *rapid.T) schedule.Schedule {
	return rapid.SliceOfN(genToken, 0, 12).Draw(t, "tokens")
})

var genConstraints = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) schedule.Constraint {
	patterns := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) schedule.Pattern {
		m := genMatch(t)
		m.Nth = 0
		return schedule.Pattern{Actor: rapid.OneOf(rapid.Just("*"), genActor).Draw(t, "actor"), Match: m}
	}), 1, 3)
	return schedule.Constraint{Before: patterns.Draw(t, "before"), After: patterns.Draw(t, "after")}
}), 0, 4)

// genPrinted draws the words of a schedule in printed form, put together here from the grammar.
var genPrinted = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
	pick := func(label string, from ...string) string { return rapid.SampledFrom(from).Draw(t, label) }
	actor := genActor.Draw(t, "actor")
	nth := pick("nth", "", "", "@2", "@17", "@1000000")
	keys := pick("keys", "", "", "(k)", "(job:{a}:b)", "(k1,k2)", `("")`, `("odd key )",k)`, `("a\"b\\c\n")`, `("\xff")`, `("#")`)
	server := pick("server", "", "", "@r1", "@_", "@Zone-b")
	op := "." + genCommand.Draw(t, "command") + server + keys
	switch rapid.IntRange(0, 9).Draw(t, "form") {
	case 0:
		return actor + server + nth + pick("fault", "", "!lost", "!unsent", "!late")
	case 1:
		return actor + op + nth + pick("fault", "", "!crash", "!lost", "!unsent", "!late")
	case 2:
		return actor + "." + op
	case 3:
		return actor + pick("tail", "..", "!crash")
	case 4:
		return actor + ".arrive" + nth
	case 5:
		return actor + ".deliver" + pick("channel", "", "(ch)", `("a b")`) + nth + pick("fault", "", "!drop")
	case 6:
		return pick("clock", "+", "run ") + pick("duration", "1ns", "1.5us", "250ms", "1.5s", "30s", "10m", "1h", "1h30m", "1h0m1s", "48h")
	case 7:
		return actor + pick("point", ".point", ".point(renew)", `.point("a b")`, "..point", "..point(x)", ".point@2", ".point(x)@17!crash", ".point!crash")
	default:
		return pick("fault", "!restart", "!failover", "!failover@r1", "!failover(2)", "!failover@r1(2)", "!flushscripts", "!flushscripts@_x",
			"!evict(k)", "!evict@r1(k)", `!evict("a b")`, "!restart@r1")
	}
}), 0, 12)

// genLayout draws white space and comments; at least one character where must is set.
func genLayout(t *rapid.T, must bool) string {
	least := 0
	if must {
		least = 1
	}
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(
		[]string{" ", "\n", "\t", "\r\n", "# note ) \" !crash é\n", "#\n"}), least, 3).Draw(t, "layout"), "")
}

// lay puts words together with drawn layout between them.
func lay(t *rapid.T, words []string) string {
	var b strings.Builder
	for i, w := range words {
		b.WriteString(genLayout(t, i > 0))
		b.WriteString(w)
	}
	return b.String() + genLayout(t, false)
}

func clockOf(s schedule.Schedule) (sum time.Duration) {
	for _, t := range s {
		sum += t.Duration
	}
	return sum
}

// explain prints a schedule with its fields, for failure messages.
func explain(s schedule.Schedule) string {
	var b strings.Builder
	for _, t := range s {
		fmt.Fprintf(&b, "%s %q %+v %d %s %d %q %q\n", t.Kind, t.Actor, t.Match, t.Fault, t.Duration, t.N, t.Key, t.Server)
	}
	return b.String()
}
