package schedule

import (
	"strconv"
	"strings"
	"unicode"
)

// String prints the schedule on one line, in the form that Parse reads.
func (s Schedule) String() string {
	var b strings.Builder
	for i, t := range s {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(t.String())
	}
	return b.String()
}

// String prints the token in the form that Parse reads. A token that Validate refuses prints as well as it can.
func (t Token) String() string {
	switch t.Kind {
	case Op:
		return t.Actor + dotted(".", t.Match) + at(t.Match) + bang(t.Fault)
	case Until:
		return t.Actor + dotted("..", t.Match)
	case Drain:
		return t.Actor + ".."
	case Arrive:
		return t.Actor + ".arrive" + at(t.Match)
	case Deliver:
		s := t.Actor + ".deliver"
		if t.Key != "" {
			s += "(" + quoteKey(t.Key) + ")"
		}
		return s + at(t.Match) + bang(t.Fault)
	case Advance:
		return "+" + formatDuration(t.Duration)
	case Run:
		return "run " + formatDuration(t.Duration)
	case Restart, FlushScripts:
		return "!" + t.Kind.String() + on(t.Server)
	case Failover:
		if t.N == 1 {
			return "!failover" + on(t.Server)
		}
		return "!failover" + on(t.Server) + "(" + strconv.Itoa(t.N) + ")"
	case Evict:
		return "!evict" + on(t.Server) + "(" + quoteKey(t.Key) + ")"
	default:
		return "?" + t.Kind.String()
	}
}

// on prints the name of a server.
func on(server string) string {
	if server == "" {
		return ""
	}
	return "@" + server
}

// dotted prints the command, server and keys of a match behind dots, and nothing for the zero Match.
func dotted(dots string, m Match) string {
	if m.Command == "" && len(m.Keys) == 0 {
		return on(m.Server)
	}
	s := dots + m.Command + on(m.Server)
	if len(m.Keys) == 0 {
		return s
	}
	keys := make([]string, len(m.Keys))
	for i, k := range m.Keys {
		keys[i] = quoteKey(k)
	}
	return s + "(" + strings.Join(keys, ",") + ")"
}

func at(m Match) string {
	if m.Position() == 1 {
		return ""
	}
	return "@" + strconv.Itoa(m.Nth)
}

func bang(f Fault) string {
	if f == NoFault {
		return ""
	}
	return "!" + f.String()
}

// quoteKey prints a key bare where it can be read back bare, else as a Go string.
func quoteKey(k string) string {
	if k == "" {
		return `""`
	}
	for i, r := range k {
		// A broken byte is U+FFFD with no such character in the text; the quoted form tells the two apart.
		if !isBareKeyRune(r) || r == unicode.ReplacementChar && !strings.HasPrefix(k[i:], "\uFFFD") {
			return strconv.Quote(k)
		}
	}
	return k
}

// isBareKeyRune reports whether a key may hold r without being quoted.
func isBareKeyRune(r rune) bool {
	switch r {
	case '"', '\'', '`', '\\', '#', '(', ')', ',':
		return false
	}
	return r != ' ' && unicode.IsPrint(r)
}
