package main

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What comes out of a world is the program's: keys, values, errors of actors. On a terminal it must not be able to move
// the cursor, change colours or pretend to be lines of ours.

// plain is s with everything that does not print, new lines aside, written as in Go: \x1b.
func plain(s string) string { return escape(s, true) }

// plainLine is plain for what is one line.
func plainLine(s string) string { return escape(s, false) }

func escape(s string, lines bool) string {
	ok := func(r rune, size int) bool {
		return unicode.IsGraphic(r) && (r != utf8.RuneError || size > 1) || r == '\n' && lines
	}
	var b strings.Builder
	for i, size := 0, 0; i < len(s); i += size {
		var r rune
		r, size = utf8.DecodeRuneInString(s[i:])
		if ok(r, size) {
			b.WriteString(s[i : i+size])
			continue
		}
		quoted := strconv.Quote(s[i : i+size])
		b.WriteString(quoted[1 : len(quoted)-1])
	}
	return b.String()
}

// clip leaves out the middle of what is too long to be read. JSON has it all.
func clip(s string) string {
	const most = 300
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	r := []rune(s)
	return string(r[:most/2]) + "…" + string(r[len(r)-most/2+1:])
}
