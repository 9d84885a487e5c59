package schedule_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/racebench/racebench/interleave/schedule"
)

// Whatever the text: no panic; an error points into the text; and what parses prints as text that means the same and
// prints as itself.
func FuzzParse(f *testing.F) {
	for _, r := range schedule.Grammar {
		f.Add(r.Example)
	}
	for _, k := range oddKeys {
		f.Add(schedule.Token{Kind: schedule.Evict, Key: k}.String())
	}
	for _, src := range []string{
		"", "#", "A.GET B.GET A.. B..  # both look, then both act", "A.GET A!crahs", "A.get(k , \"b\")@01!lost\r\n\trun\n1.5h", "run", "A.",
		"A.GET(\"\xff\")", "+9223372036854775807ns", "A.GET(k", "\ufeffA", "!failover(0)", "A…SET", "A.GET@99999999999999999999",
		"A@r1@2!late", "A.SET@r1 !restart@", "!failover@r1(2)@r2", "A.point(a,b)", "A.point@r1", "A..point(\"\")!crash", "A.POINT",
	} {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		s, err := schedule.Parse(src)
		if err != nil {
			checkError(t, src, err)
			return
		}
		if err := s.Validate(); err != nil {
			t.Fatalf("parsed but not valid: %v", err)
		}
		for _, tok := range s {
			checkPos(t, src, tok.Pos)
		}
		text := s.String()
		again, err := schedule.Parse(text)
		if err != nil {
			t.Fatalf("%q was printed as %q, which does not parse: %v", src, text, err)
		}
		if !again.Equal(s) {
			t.Fatalf("%q was printed as %q, which means something else:\n%swant\n%s", src, text, explain(again), explain(s))
		}
		if again.String() != text {
			t.Fatalf("%q prints as %q and then as %q", src, text, again)
		}
	})
}

func FuzzParseConstraints(f *testing.F) {
	for _, r := range schedule.ConstraintGrammar {
		f.Add(r.Example)
	}
	for _, src := range []string{"", ";", "A.GET<B.SET;", "A.GET < ", "*.GET(\"a b\") < run.SET", "A.GET < B.SET < C.DEL", "A.GET@2 < B", "A.SET@r1(k) < *.point(x)"} {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		cs, err := schedule.ParseConstraints(src)
		if err != nil {
			checkError(t, src, err)
			return
		}
		text := schedule.FormatConstraints(cs)
		again, err := schedule.ParseConstraints(text)
		if err != nil {
			t.Fatalf("%q was printed as %q, which does not parse: %v", src, text, err)
		}
		if got := schedule.FormatConstraints(again); got != text || len(again) != len(cs) {
			t.Fatalf("%q prints as %q and then as %q", src, text, got)
		}
	})
}

func checkError(t *testing.T, src string, err error) {
	t.Helper()
	var e *schedule.Error
	if !errors.As(err, &e) {
		t.Fatalf("not an *Error: %T", err)
	}
	if e.Src != src || e.Msg == "" {
		t.Fatalf("incomplete: %+v", e)
	}
	checkPos(t, src, schedule.Pos{Offset: e.Offset, Line: e.Line, Col: e.Col})
	if strings.ContainsAny(e.Error(), "\n\r") {
		t.Fatalf("more than one line: %q", e.Error())
	}
	lines := strings.Split(e.Caret(), "\n")
	want := 2
	if len(e.Allowed) > 0 {
		want = 3
	}
	if len(lines) != want || !strings.Contains(lines[1], "^ ") || strings.ContainsAny(e.Caret(), "\r\x1b\x00") {
		t.Fatalf("odd caret text: %q", e.Caret())
	}
}

// checkPos counts line and column again, the slow way.
func checkPos(t *testing.T, src string, p schedule.Pos) {
	t.Helper()
	if p.Offset < 0 || p.Offset > len(src) {
		t.Fatalf("offset %d is outside of %d bytes", p.Offset, len(src))
	}
	before := src[:p.Offset]
	line := strings.Count(before, "\n") + 1
	col := utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
	if p.Line != line || p.Col != col {
		t.Fatalf("offset %d is %d:%d, not %d:%d", p.Offset, line, col, p.Line, p.Col)
	}
}
