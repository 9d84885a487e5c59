package schedule

import (
	"slices"
	"strings"
	"time"
)

// What may stand at a place, for messages.
var (
	allowToken   = []string{"an operation (A, A.GET, A.GET(key))", "A..SET", "A..", "+10m", "run 30s", "!restart", "!failover(2)", "!flushscripts", "!evict(key)"}
	allowCommand = []string{"A.GET", "A.point", "A.deliver", "A.arrive", "A..SET", "A.."}
	allowUntil   = []string{"A..SET", "A..SET(key)", "A.."}
	allowRun     = []string{"run 30s"}

	operationFaults = []string{"crash", "lost", "unsent", "late"}
	serverFaults    = []string{"restart", "failover", "flushscripts", "evict"}
	reservedWords   = []string{"deliver", "arrive", Point}
)

// Parse reads a schedule. The error is an *Error. An empty text is an empty schedule.
func Parse(src string) (Schedule, error) {
	s, err := newScanner(src)
	if err != nil {
		return nil, err
	}
	var (
		out   Schedule
		clock time.Duration
	)
	for s.skipSpace(); !s.end(); s.skipSpace() {
		start := s.off
		if len(out) == MaxTokens {
			return nil, s.fail(start, nil, "more than the %d tokens allowed", MaxTokens)
		}
		pos := s.pos(start)
		t, err := s.token()
		if err != nil {
			return nil, err
		}
		t.Pos = pos
		if t.Duration > MaxClock-clock {
			return nil, s.fail(start, nil, "the clock moves of this schedule exceed %s together", formatDuration(MaxClock))
		}
		clock += t.Duration
		out = append(out, t)
	}
	return out, nil
}

func (s *scanner) token() (Token, error) {
	start := s.off
	switch c := s.peek(); {
	case c == '+':
		s.off++
		d, err := s.duration("+")
		return Token{Kind: Advance, Duration: d}, err
	case c == '!':
		return s.serverFault()
	case isLetter(c) || c == '_':
		name := s.word()
		if name == "run" {
			return s.run(start)
		}
		return s.actor(name)
	case isDigit(c):
		return Token{}, s.fail(start, []string{"+30s", "run 30s", "an actor's name begins with a letter or _"},
			"a token cannot begin with a digit")
	case c == '(':
		return Token{}, s.fail(start, []string{"A.GET(key)"}, "a parenthesis follows a command without a space")
	default:
		return Token{}, s.fail(start, allowToken, "a token cannot begin with %s", s.met(start))
	}
}

// run reads what follows the word run.
func (s *scanner) run(start int) (Token, error) {
	if !s.end() && !isSpace(s.peek()) && s.peek() != '#' {
		return Token{}, s.fail(start, allowRun, `"run" is reserved: an actor cannot have this name`)
	}
	for isSpace(s.peek()) {
		s.off++
	}
	d, err := s.duration("run")
	return Token{Kind: Run, Duration: d}, err
}

// actor reads what follows an actor's name.
func (s *scanner) actor(name string) (Token, error) {
	t := Token{Kind: Op, Actor: name}
	var err error
	switch {
	case s.peek() == '.' && s.peekAt(1) == '.':
		return s.until(name)
	case s.peek() == '.':
		s.off++
		start := s.off
		if t.Match.Command, err = s.command(allowCommand); err != nil {
			return Token{}, err
		}
		switch w := s.src[start:s.off]; {
		case w == "arrive":
			return s.arrive(name)
		case w == "deliver":
			return s.deliver(name)
		default:
			if hint := nearReserved(w); w != Point && hint != "" {
				return Token{}, s.fail(start, allowCommand, "no command is called %q%s", w, hint)
			}
		}
		if err = s.target(&t.Match); err != nil {
			return Token{}, err
		}
	case s.serverFollows():
		t.Match.Server = s.server()
	case s.peek() == '(':
		return Token{}, s.fail(s.off, []string{"A.GET(key)", "A"}, "a key needs a command before it")
	}
	at := s.off
	if t.Match.Nth, err = s.nth(); err != nil {
		return Token{}, err
	}
	if s.serverFollows() {
		return Token{}, s.fail(s.off, []string{"A.GET@server(key)@2", "A@server"}, wrongOrder, "a server")
	}
	if start := s.off; s.peek() == '!' {
		if t.Fault, err = s.operationFault(t.Match.Command != ""); err != nil {
			return Token{}, err
		}
		if t.Match.Command == Point && t.Fault != CrashAfter {
			return Token{}, s.fail(start, []string{"!crash"}, "a point is inside the process: nothing of it can be %s", faultPast[t.Fault])
		}
		if t.Fault == CrashBefore && t.Match.Server != "" {
			return Token{}, s.fail(at, []string{"A!crash", "A.SET@server!crash"}, "A!crash ends the whole actor: a server says nothing")
		}
		if t.Fault == CrashBefore && t.Match.Nth > 1 {
			return Token{}, s.fail(at, []string{"A!crash", "A.SET@2!crash"}, "A!crash ends the whole actor: a position says nothing")
		}
	}
	return t, s.tokenEnd(t)
}

// faultPast says in a sentence what a fault does to an operation.
var faultPast = map[Fault]string{Lost: "lost", Unsent: "unsent", Late: "late"}

// wrongOrder is what is said of a part that stands too late.
const wrongOrder = "the order is command, @server, (keys), @n, !fault: %s cannot stand here"

// target reads what says where a command goes, @server and (keys), and brings the word point into its own form.
func (s *scanner) target(m *Match) (err error) {
	point := m.Command == strings.ToUpper(Point) // in another case it has been refused
	if point {
		m.Command = Point
	}
	if start := s.off; s.serverFollows() {
		if point {
			return s.fail(start, []string{"A.point(label)"}, "a point is inside the process: it has no server")
		}
		m.Server = s.server()
	}
	if start := s.off; s.peek() == '(' {
		if m.Keys, err = s.keys(); err != nil {
			return err
		}
		if point && (len(m.Keys) != 1 || m.Keys[0] == "") {
			return s.fail(start, []string{"A.point", "A.point(label)"}, "a point has one label")
		}
	}
	return nil
}

// serverFollows reports whether @ and the name of a server come next; @ and a number are a position.
func (s *scanner) serverFollows() bool {
	c := s.peekAt(1)
	return s.peek() == '@' && (isLetter(c) || c == '_')
}

// server reads @name, which is next.
func (s *scanner) server() string {
	s.off++
	return s.word()
}

// nearReserved gives the hint for a command that is a reserved word in the wrong case or mistyped by one letter.
// No Redis command and no SQL statement is that near.
func nearReserved(w string) string {
	near := slices.DeleteFunc(slices.Clone(reservedWords), func(r string) bool { return distance(strings.ToLower(w), r) > 1 })
	return didYouMean(w, "", near)
}

func (s *scanner) until(actor string) (Token, error) {
	s.off += len("..")
	if s.peek() == '.' {
		return Token{}, s.fail(s.off, allowUntil, "two dots, not three")
	}
	if !isWordByte(s.peek()) {
		t := Token{Kind: Drain, Actor: actor}
		return t, s.tokenEnd(t)
	}
	t, start := Token{Kind: Until, Actor: actor}, s.off
	var err error
	if t.Match.Command, err = s.command(allowUntil); err != nil {
		return Token{}, err
	}
	if w := s.src[start:s.off]; w != Point && (slices.Contains(reservedWords, w) || nearReserved(w) != "") {
		return Token{}, s.fail(start, allowUntil, "A.. runs until a command, and %q is none", w)
	}
	if err = s.target(&t.Match); err != nil {
		return Token{}, err
	}
	return t, s.tokenEnd(t)
}

func (s *scanner) arrive(actor string) (Token, error) {
	t := Token{Kind: Arrive, Actor: actor}
	var err error
	if t.Match.Nth, err = s.nth(); err != nil {
		return Token{}, err
	}
	return t, s.tokenEnd(t)
}

func (s *scanner) deliver(actor string) (Token, error) {
	t := Token{Kind: Deliver, Actor: actor}
	var err error
	if start := s.off; s.peek() == '(' {
		if t.Key, err = s.oneKey("deliver", "A.deliver(channel)"); err != nil {
			return Token{}, err
		}
		if t.Key == "" {
			return Token{}, s.fail(start, []string{"A.deliver", "A.deliver(channel)"}, "a channel has a name")
		}
	}
	if t.Match.Nth, err = s.nth(); err != nil {
		return Token{}, err
	}
	if start := s.off; s.peek() == '!' {
		s.off++
		switch w := s.word(); w {
		case "drop":
			t.Fault = Drop
		case "":
			return Token{}, s.fail(start, []string{"!drop"}, "a fault is missing after the !")
		default:
			return Token{}, s.fail(start, []string{"!drop"}, "deliver has no fault !%s%s", shorten(w), didYouMean(w, "!", []string{"drop"}))
		}
	}
	return t, s.tokenEnd(t)
}

// oneKey reads a parenthesis that must hold exactly one key.
func (s *scanner) oneKey(what, form string) (string, error) {
	open := s.off
	keys, err := s.keys()
	if err != nil {
		return "", err
	}
	if len(keys) != 1 {
		return "", s.fail(open, []string{form}, "%s takes one name, not %d", what, len(keys))
	}
	return keys[0], nil
}

// nth reads @n if it is next, and gives 1 if not.
func (s *scanner) nth() (int, error) {
	if s.peek() != '@' {
		return 1, nil
	}
	s.off++
	return s.number("a position")
}

func (s *scanner) operationFault(named bool) (Fault, error) {
	start := s.off
	s.off++
	switch w := s.word(); w {
	case "crash":
		if named {
			return CrashAfter, nil
		}
		return CrashBefore, nil
	case "lost":
		return Lost, nil
	case "unsent":
		return Unsent, nil
	case "late":
		return Late, nil
	case "":
		return NoFault, s.fail(start, bangs(operationFaults), "a fault is missing after the !")
	case "drop":
		return NoFault, s.fail(start, bangs(operationFaults), "only a message can be dropped: A.deliver!drop")
	default:
		if slices.Contains(serverFaults, w) {
			return NoFault, s.fail(start, bangs(operationFaults), "!%s is a fault of the server: a token of its own", w)
		}
		return NoFault, s.fail(start, bangs(operationFaults), "unknown fault !%s%s", shorten(w), didYouMean(w, "!", operationFaults))
	}
}

func (s *scanner) serverFault() (Token, error) {
	start := s.off
	s.off++
	allowed := []string{"!restart", "!failover(2)", "!flushscripts", "!evict(key)"}
	w := s.word()
	var t Token
	if slices.Contains(serverFaults, w) && s.peek() == '@' {
		if !s.serverFollows() {
			return Token{}, s.fail(s.off, []string{"!" + w + "@server"}, "after the @ comes the name of a server, which begins with a letter or _")
		}
		t.Server = s.server()
	}
	switch w {
	case "restart":
		t.Kind = Restart
	case "flushscripts":
		t.Kind = FlushScripts
	case "failover":
		t.Kind, t.N = Failover, 1
		if s.peek() == '(' {
			s.off++
			n, err := s.number("failover")
			if err != nil {
				return Token{}, err
			}
			if s.peek() != ')' {
				return Token{}, s.fail(s.off, []string{`")"`}, "failover takes one number, then \")\", not %s", s.met(s.off))
			}
			s.off++
			t.N = n
		}
	case "evict":
		if s.peek() != '(' {
			return Token{}, s.fail(start, []string{"!evict(key)"}, "evict needs the key")
		}
		k, err := s.oneKey("evict", "!evict(key)")
		if err != nil {
			return Token{}, err
		}
		t.Kind, t.Key = Evict, k
	case "":
		return Token{}, s.fail(start, allowed, "a fault is missing after the !")
	default:
		if slices.Contains(operationFaults, w) {
			return Token{}, s.fail(start, allowed, "!%s is a fault of an actor: A!%s, without a space", w, w)
		}
		return Token{}, s.fail(start, allowed, "unknown server fault !%s%s", shorten(w), didYouMean(w, "!", serverFaults))
	}
	return t, s.tokenEnd(t)
}
