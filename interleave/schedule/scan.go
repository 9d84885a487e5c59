package schedule

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A scanner walks over source text. Schedules and constraints are read with the same one.
type scanner struct {
	src  string
	off  int
	mark Pos // last position asked for; the next one is counted from here, so that a long line stays linear
}

func newScanner(src string) (*scanner, error) {
	s := &scanner{src: src, mark: Pos{Line: 1, Col: 1}}
	if len(src) > MaxSource {
		return nil, s.fail(0, nil, "the text has %d bytes, more than the %d allowed", len(src), MaxSource)
	}
	if !utf8.ValidString(src) {
		off := strings.IndexFunc(src, func(r rune) bool { return r == utf8.RuneError })
		for strings.HasPrefix(src[off:], "\uFFFD") {
			off += 3
			off += strings.IndexFunc(src[off:], func(r rune) bool { return r == utf8.RuneError })
		}
		return nil, s.fail(off, []string{`a quoted key with an escape, such as A.GET("\xff")`},
			"byte 0x%02x is not UTF-8", src[off])
	}
	return s, nil
}

// pos gives line and column of an offset.
func (s *scanner) pos(off int) Pos {
	p := s.mark
	if off < p.Offset {
		p = Pos{Line: 1, Col: 1}
	}
	for _, r := range s.src[p.Offset:off] {
		p.Col++
		if r == '\n' {
			p.Line++
			p.Col = 1
		}
	}
	p.Offset = off
	s.mark = p
	return p
}

func (s *scanner) fail(off int, allowed []string, format string, args ...any) *Error {
	p := s.pos(off)
	return &Error{
		Src: s.src, Offset: off, Line: p.Line, Col: p.Col,
		Msg: fmt.Sprintf(format, args...), Allowed: allowed,
	}
}

func (s *scanner) end() bool { return s.off >= len(s.src) }

// peek is the next byte, or 0 at the end.
func (s *scanner) peek() byte { return s.peekAt(0) }

func (s *scanner) peekAt(n int) byte {
	if s.off+n >= len(s.src) {
		return 0
	}
	return s.src[s.off+n]
}

// met describes what stands at an offset, for messages.
func (s *scanner) met(off int) string {
	if off >= len(s.src) {
		return "the end"
	}
	r, _ := utf8.DecodeRuneInString(s.src[off:])
	switch {
	case r == '\n' || r == '\r':
		return "the end of the line"
	case r == ' ':
		return "a space"
	case r == '"':
		return "a quote"
	case r < utf8.RuneSelf && strconv.IsPrint(r):
		return strconv.Quote(string(r))
	default:
		return fmt.Sprintf("%q (%U)", r, r)
	}
}

// skipSpace moves over white space and comments.
func (s *scanner) skipSpace() {
	for !s.end() {
		switch c := s.peek(); {
		case isSpace(c):
			s.off++
		case c == '#':
			if i := strings.IndexByte(s.src[s.off:], '\n'); i >= 0 {
				s.off += i
			} else {
				s.off = len(s.src)
			}
		default:
			return
		}
	}
}

// skipBlanks moves over spaces and tabs, which may stand around the keys of a list.
func (s *scanner) skipBlanks() {
	for s.peek() == ' ' || s.peek() == '\t' {
		s.off++
	}
}

// word reads letters, digits, `_` and `-`; it may be empty.
func (s *scanner) word() string {
	start := s.off
	for isWordByte(s.peek()) {
		s.off++
	}
	return s.src[start:s.off]
}

// chunk reads up to white space or a comment.
func (s *scanner) chunk() string {
	start := s.off
	for !s.end() && !isSpace(s.peek()) && s.peek() != '#' {
		s.off++
	}
	return s.src[start:s.off]
}

// command reads a command's word and gives it in upper case.
func (s *scanner) command(allowed []string) (string, error) {
	start := s.off
	w := s.word()
	switch {
	case w == "":
		return "", s.fail(start, allowed, "a command was expected, not %s", s.met(start))
	case !isLetter(w[0]):
		return "", s.fail(start, allowed, "a command begins with a letter, not %s", s.met(start))
	case s.peek() == '.':
		return "", s.fail(s.off, allowed, "a command is one word without dots; write the actor alone for whatever is next")
	}
	return strings.ToUpper(w), nil
}

// keys reads (k1,"k 2"); the opening parenthesis is next.
func (s *scanner) keys() ([]string, error) {
	open := s.off
	s.off++
	var keys []string
	for {
		s.skipBlanks()
		k, err := s.key(open)
		if err != nil {
			return nil, err
		}
		keys = append(keys, k)
		s.skipBlanks()
		switch {
		case s.peek() == ',':
			s.off++
		case s.peek() == ')':
			s.off++
			return keys, nil
		case s.end() || s.peek() == '\n' || s.peek() == '\r':
			return nil, s.fail(open, []string{`(key)`, `(key1,key2)`, `("odd key")`}, "this parenthesis is not closed")
		default:
			return nil, s.fail(s.off, []string{`","`, `")"`, `the whole key in quotes: ("odd key")`},
				"%s cannot follow a key", s.met(s.off))
		}
	}
}

func (s *scanner) key(open int) (string, error) {
	start := s.off
	if s.peek() == '"' {
		q, err := strconv.QuotedPrefix(s.src[s.off:])
		if err != nil {
			return "", s.failQuoted(start)
		}
		k, err := strconv.Unquote(q)
		if err != nil {
			return "", s.failQuoted(start)
		}
		s.off += len(q)
		return k, nil
	}
	for !s.end() {
		r, n := utf8.DecodeRuneInString(s.src[s.off:])
		if !isBareKeyRune(r) {
			break
		}
		s.off += n
	}
	if s.off > start {
		return s.src[start:s.off], nil
	}
	switch {
	case s.end() || s.peek() == '\n' || s.peek() == '\r':
		return "", s.fail(open, []string{`(key)`, `(key1,key2)`, `("odd key")`}, "this parenthesis is not closed")
	case s.peek() == ')' || s.peek() == ',':
		return "", s.fail(s.off, []string{`a key`, `("") for the empty key`}, "a key is missing before %s", s.met(s.off))
	default:
		return "", s.fail(s.off, []string{`a key in quotes, as in Go: ("odd key")`},
			"a key that begins with %s is written in quotes", s.met(s.off))
	}
}

func (s *scanner) failQuoted(start int) *Error {
	return s.fail(start, []string{`a Go string on one line, such as "odd key"`, `escapes such as \" \\ \n \x00`},
		"this quoted key is not a Go string: a quote is not closed or an escape is unknown")
}

// number reads a number from 1 to MaxN; what names it in messages.
func (s *scanner) number(what string) (int, error) {
	start := s.off
	for isDigit(s.peek()) {
		s.off++
	}
	digits := s.src[start:s.off]
	allowed := []string{fmt.Sprintf("a number from 1 to %d", MaxN)}
	if digits == "" {
		return 0, s.fail(start, allowed, "%s needs a number, not %s", what, s.met(start))
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n > MaxN {
		return 0, s.fail(start, allowed, "%s %s is too large", what, shorten(digits))
	}
	if n == 0 {
		return 0, s.fail(start, allowed, "%s is counted from 1", what)
	}
	return n, nil
}

func isSpace(c byte) bool    { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
func isDigit(c byte) bool    { return '0' <= c && c <= '9' }
func isLetter(c byte) bool   { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
func isWordByte(c byte) bool { return isLetter(c) || isDigit(c) || c == '_' || c == '-' }
