package schedule

import (
	"slices"
	"strings"
)

var allowPattern = []string{"A.GET", "A.GET(key)", "*.GET", "A.GET@server"}

// AnyActor is the actor of a pattern that every actor's operations match.
const AnyActor = "*"

// Constraint says that some operations come before others. An operation that matches a pattern of After waits until, for
// each pattern of Before, an operation that matches it has been executed. Neither list is empty.
type Constraint struct {
	Before, After []Pattern
	Pos           Pos // where it was read; not compared by Equal
}

// Pattern names operations: an actor or AnyActor, a command, perhaps keys. Match.Nth is 0.
type Pattern struct {
	Actor string
	Match Match
	Pos   Pos // where it was read; not compared by Equal
}

// Matches reports whether an operation is one that p means. server, command and keys are as for Match.Matches.
func (p Pattern) Matches(actor, server, command string, keys []string) bool {
	return (p.Actor == AnyActor || p.Actor == actor) && p.Match.Matches(server, command, keys)
}

// Equal reports whether two patterns mean the same.
func (p Pattern) Equal(o Pattern) bool { return p.Actor == o.Actor && p.Match.equal(o.Match) }

// Equal reports whether two constraints mean the same, pattern by pattern.
func (c Constraint) Equal(o Constraint) bool {
	return slices.EqualFunc(c.Before, o.Before, Pattern.Equal) && slices.EqualFunc(c.After, o.After, Pattern.Equal)
}

// String prints the pattern in the form that ParseConstraints reads.
func (p Pattern) String() string { return p.Actor + dotted(".", p.Match) }

// String prints the constraint in the form that ParseConstraints reads.
func (c Constraint) String() string {
	return joinPatterns(c.Before) + " < " + joinPatterns(c.After)
}

// FormatConstraints prints constraints on one line, in the form that ParseConstraints reads.
func FormatConstraints(cs []Constraint) string {
	out := make([]string, len(cs))
	for i, c := range cs {
		out[i] = c.String()
	}
	return strings.Join(out, "; ")
}

func joinPatterns(ps []Pattern) string {
	out := make([]string, len(ps))
	for i, p := range ps {
		out[i] = p.String()
	}
	return strings.Join(out, " ")
}

// ParseConstraints reads constraints separated by `;`; one more `;` may end the text. The error is an *Error. An empty
// text is no constraint.
func ParseConstraints(src string) ([]Constraint, error) {
	s, err := newScanner(src)
	if err != nil {
		return nil, err
	}
	var (
		out   []Constraint
		total int
	)
	for s.skipSpace(); !s.end(); s.skipSpace() {
		c := Constraint{Pos: s.pos(s.off)}
		if c.Before, err = s.patterns(&total, "before"); err != nil {
			return nil, err
		}
		if s.peek() != '<' {
			return nil, s.fail(s.off, []string{"A.GET B.GET < A.SET"}, "a constraint needs a <, not %s", s.met(s.off))
		}
		s.off++
		if c.After, err = s.patterns(&total, "after"); err != nil {
			return nil, err
		}
		switch s.peek() {
		case ';':
			s.off++
		case '<':
			return nil, s.fail(s.off, []string{"A.GET < A.SET; A.SET < A.DEL"}, "a constraint has one <")
		}
		out = append(out, c)
	}
	return out, nil
}

// ParsePattern reads one operation as it stands in a constraint: A.GET(key), or *.GET for any actor. The error is an *Error.
func ParsePattern(src string) (Pattern, error) {
	s, err := newScanner(src)
	if err != nil {
		return Pattern{}, err
	}
	s.skipSpace()
	p, err := s.pattern()
	if err != nil {
		return p, err
	}
	if s.skipSpace(); !s.end() {
		return p, s.fail(s.off, nil, "one operation is enough: %s cannot follow it", s.met(s.off))
	}
	return p, nil
}

// patterns reads one side of a constraint, up to `<`, `;` or the end.
func (s *scanner) patterns(total *int, side string) ([]Pattern, error) {
	var out []Pattern
	for s.skipSpace(); !s.end() && s.peek() != '<' && s.peek() != ';'; s.skipSpace() {
		if *total++; *total > MaxTokens {
			return nil, s.fail(s.off, nil, "more than the %d patterns allowed", MaxTokens)
		}
		p, err := s.pattern()
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	if len(out) == 0 {
		return nil, s.fail(s.off, allowPattern, "an operation is missing %s the <, where %s stands", side, s.met(s.off))
	}
	return out, nil
}

func (s *scanner) pattern() (Pattern, error) {
	start := s.off
	p := Pattern{Pos: s.pos(start)}
	switch c := s.peek(); {
	case c == '*':
		s.off++
		p.Actor = AnyActor
	case isLetter(c) || c == '_':
		p.Actor = s.word()
	default:
		return p, s.fail(start, allowPattern, "an operation cannot begin with %s", s.met(start))
	}
	if p.Actor == "run" {
		return p, s.fail(start, allowPattern, `"run" is reserved: an actor cannot have this name`)
	}
	if s.peek() != '.' {
		return p, s.fail(s.off, allowPattern, "an operation in a constraint needs a command, not %s", s.met(s.off))
	}
	s.off++
	at := s.off
	var err error
	if p.Match.Command, err = s.command(allowPattern); err != nil {
		return p, err
	}
	if w := s.src[at:s.off]; w != Point && (slices.Contains(reservedWords, w) || nearReserved(w) != "") {
		return p, s.fail(at, allowPattern, "a constraint orders commands, and %q is none", w)
	}
	if err := s.target(&p.Match); err != nil {
		return p, err
	}
	switch c := s.peek(); {
	case s.end(), isSpace(c), c == '#', c == '<', c == ';':
		return p, nil
	case s.serverFollows():
		return p, s.fail(s.off, allowPattern, "the order is command, @server, (keys): a server cannot stand here")
	case c == '@':
		return p, s.fail(s.off, allowPattern, "an operation in a constraint takes no position")
	case c == '!':
		return p, s.fail(s.off, allowPattern, "an operation in a constraint takes no fault")
	default:
		allowed := []string{"a space", `"<"`, `";"`}
		if len(p.Match.Keys) == 0 {
			allowed = append(allowed, "(key)")
		}
		return p, s.fail(s.off, allowed, "%s cannot follow %s", s.met(s.off), p)
	}
}
