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
		return s.fail(s.off, allowed, wrongOrder, "a parenthesis")
	case s.serverFollows() && t.Server == "" && serverKind(t.Kind):
		return s.fail(s.off, allowed, "the server comes before the parenthesis: !%s@server(…)", t.Kind)
	case s.serverFollows() && (t.Kind == Op || t.Kind == Until):
		return s.fail(s.off, allowed, wrongOrder, "a server")
	case s.serverFollows() && t.Server != "":
		return s.fail(s.off, allowed, "a token has one server")
	case s.serverFollows():
		return s.fail(s.off, allowed, "%s takes no server", t)
	case c == '@' && takesPosition(t) && t.Fault != NoFault:
		return s.fail(s.off, allowed, wrongOrder, "a position")
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

func serverKind(k Kind) bool { return Restart <= k && k <= Evict }

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
	switch {
	case t.Match.Command == Point && t.Kind == Op:
		allowed = append(allowed, "!crash")
	case t.Kind == Op:
		allowed = append(allowed, bangs(operationFaults)...)
	case t.Kind == Deliver:
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
