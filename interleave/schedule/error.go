package schedule

import (
	"fmt"
	"strings"
	"unicode"
)

// Error says what is wrong with a text, where, and what was allowed there.
type Error struct {
	Src     string   // the whole text
	Offset  int      // in bytes, from 0
	Line    int      // from 1
	Col     int      // in characters, from 1
	Msg     string   // what was met
	Allowed []string // what was allowed; may be empty
}

// Error is one line: place, what was met, what was allowed.
func (e *Error) Error() string {
	s := fmt.Sprintf("line %d, column %d: %s", e.Line, e.Col, e.Msg)
	if len(e.Allowed) > 0 {
		s += "; allowed: " + strings.Join(e.Allowed, ", ")
	}
	return s
}

// Caret says what Error says with the source line and a ^ under the place. A long line is cut around the place. The
// text has no newline at its end.
func (e *Error) Caret() string {
	before, after := e.lineAround()
	line := visible(before) + visible(after)
	s := line + "\n" + padding(before) + "^ " + e.Msg
	if len(e.Allowed) > 0 {
		s += "\nallowed: " + strings.Join(e.Allowed, ", ")
	}
	return s
}

// lineAround gives the line of the error, before and from its place, at most caretBefore and caretAfter characters.
func (e *Error) lineAround() (before, after string) {
	const caretBefore, caretAfter = 60, 40
	off := min(max(e.Offset, 0), len(e.Src))
	before, after = e.Src[:off], e.Src[off:]
	before = before[strings.LastIndexByte(before, '\n')+1:]
	after, _, _ = strings.Cut(after, "\n")
	after = strings.TrimSuffix(after, "\r")
	// Cut bytes first: the line may be very long, and a character has at most four.
	if r := []rune(before[max(0, len(before)-4*(caretBefore+2)):]); len(r) > caretBefore {
		before = "…" + string(r[len(r)-caretBefore:])
	}
	if r := []rune(after[:min(len(after), 4*(caretAfter+2))]); len(r) > caretAfter {
		after = string(r[:caretAfter]) + "…"
	}
	return before, after
}

// visible replaces what a terminal would obey or hide, one character for one; tabs stay.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' || unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, s)
}

// padding is white space as wide as visible(s). Tabs stay tabs, so that both lines reach the same tab stop.
func padding(s string) string {
	var b strings.Builder
	for _, r := range visible(s) {
		if r == '\t' {
			b.WriteByte('\t')
			continue
		}
		b.WriteString(strings.Repeat(" ", width(r)))
	}
	return b.String()
}

// width is the number of columns that terminals give a character: two for most East Asian letters and for emoji.
func width(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana),
		0x3000 <= r && r <= 0x303E, 0xFF01 <= r && r <= 0xFF60, 0xFFE0 <= r && r <= 0xFFE6,
		0x1F300 <= r && r <= 0x1F64F, 0x1F680 <= r && r <= 0x1F6FF, 0x1F900 <= r && r <= 0x1FAFF:
		if 0xFF61 <= r && r <= 0xFFDC {
			return 1 // half-width forms
		}
		return 2
	default:
		return 1
	}
}
