package schedule

import "strings"

// tokenEnd checks that a token ends here, and explains what cannot follow it.
func (s *scanner) tokenEnd(t Token) error {
	if s.end() || isSpace(s.peek()) || s.peek() == '#' {
		return nil
	}
	allowed := mayFollow(s.src[:s.off], t)
	switch c := s.peek(); {
	case c == '(' && strings.HasSuffix(s.src[:s.off], ")"):
		return s.fail(s.off, allowed, "a token has one parenthesis; several keys are separated by commas")
	case c == '(' && takesKeys(t):
		return s.fail(s.off, allowed, "the order is command, (keys), @n, !fault: a parenthesis cannot stand here")
	case c == '@' && takesPosition(t) && t.Fault != NoFault:
		return s.fail(s.off, allowed, "the order is command, (keys), @n, !fault: a position cannot stand here")
	case c == '@':
		return s.fail(s.off, allowed, "%s takes no position", t)
	case c == '!' && t.Fault != NoFault:
		return s.fail(s.off, allowed, "a token has one fault")
	case c == '!':
		return s.fail(s.off, allowed, "%s takes no fault", t)
	case c == '(':
		return s.fail(s.off, allowed, "%s takes no parenthesis", t)
	default:
		return s.fail(s.off, allowed, "%s cannot follow %s: tokens are separated by spaces", s.met(s.off), t)
	}
}

func takesKeys(t Token) bool {
	return (t.Kind == Op || t.Kind == Until) && t.Match.Command != "" || t.Kind == Deliver
}

func takesPosition(t Token) bool {
	return t.Kind == Op && t.Fault != CrashBefore || t.Kind == Arrive || t.Kind == Deliver
}

// mayFollow lists what could have stood after the part of a token already read.
func mayFollow(read string, t Token) []string {
	allowed := []string{"a space"}
	closed := strings.HasSuffix(read, ")")
	if t.Fault != NoFault {
		return allowed
	}
	if takesPosition(t) && t.Match.Position() == 1 {
		if takesKeys(t) && !closed {
			allowed = append(allowed, "(key)")
		}
		allowed = append(allowed, "@2")
	} else if t.Kind == Until && !closed {
		allowed = append(allowed, "(key)")
	}
	switch t.Kind {
	case Op:
		allowed = append(allowed, bangs(operationFaults)...)
	case Deliver:
		allowed = append(allowed, "!drop")
	}
	return allowed
}

func bangs(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = "!" + w
	}
	return out
}
