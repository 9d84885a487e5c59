package schedule

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Limits on what is parsed. Each has its own clear error.
const (
	MaxSource = 1 << 20                    // bytes of text
	MaxTokens = 100_000                    // tokens of a schedule, patterns of a list of constraints
	MaxN      = 1_000_000                  // @n and !failover(n)
	MaxClock  = 100 * 365 * 24 * time.Hour // all clock moves of one schedule together
)

// Kind says what a token asks for.
type Kind int

const (
	Op           Kind = iota + 1 // A, A.GET(k)@2!lost: one operation, perhaps with a fault
	Until                        // A..SET(k): A runs until just before its next SET
	Drain                        // A..: A runs until it is done or waits
	Arrive                       // A.arrive@2: a late command reaches the server
	Deliver                      // A.deliver(channel): a push reaches A, or is lost with Drop
	Advance                      // +10m: the clock moves
	Run                          // run 30s: everybody runs fairly while the clock moves
	Restart                      // !restart@server
	Failover                     // !failover@server(n)
	FlushScripts                 // !flushscripts@server
	Evict                        // !evict@server(key)
)

var kindNames = [...]string{
	"no kind", "operation", "until", "drain", "arrive", "deliver", "advance", "run",
	"restart", "failover", "flushscripts", "evict",
}

// String names the kind for messages.
func (k Kind) String() string {
	if k < 0 || int(k) >= len(kindNames) {
		return kindNames[0]
	}
	return kindNames[k]
}

// Fault says what goes wrong with the operation or push of a token.
type Fault int

const (
	NoFault     Fault = iota
	CrashBefore       // A!crash: the actor dies, its waiting operation is never sent
	CrashAfter        // A.SET!crash: executed, then the actor dies before the reply
	Lost              // A.SET!lost, A!lost: executed, the reply is lost, connection closed
	Unsent            // A.SET!unsent, A!unsent: not executed, connection closed
	Late              // A.SET!late, A!late: the client gives up, the command arrives later
	Drop              // A.deliver!drop: the push is lost
)

var faultWords = [...]string{"", "crash", "crash", "lost", "unsent", "late", "drop"}

// String is the word after the `!`, or "" for NoFault. Both crashes are "crash".
func (f Fault) String() string {
	if f < 0 || int(f) >= len(faultWords) {
		return "unknown"
	}
	return faultWords[f]
}

// Pos is a place in source text.
type Pos struct {
	Offset int // in bytes, from 0
	Line   int // from 1
	Col    int // in characters, from 1
}

// Match says which of an actor's waiting operations is meant. The zero value means the next one, whatever it is.
type Match struct {
	Command string   // upper case, one word, or [Point]; "" is any
	Server  string   // name of the server that it is sent to; "" is any
	Keys    []string // all must be touched; none is any. Of a [Point] its label
	Nth     int      // position among those that match, from 1; 0 is 1. Parse gives at least 1 where @n is legal.
}

// Position is Nth, with its default filled in.
func (m Match) Position() int { return cmp.Or(m.Nth, 1) }

// Point is the Command of a schedule point at an actor's local state, A.point(label). Unlike every other it is in lower
// case, so that no command can have this name.
const Point = "point"

// Matches reports whether an operation is one that m means; it does not look at Nth. command is upper case and may have a
// second word ("XGROUP CREATE"), which m does not need to name. server is the name of the server that the operation is
// sent to, empty for the one without a name.
//
// A script is one thing however it is sent: EVAL in m matches EVAL, EVALSHA, EVAL_RO and EVALSHA_RO, and EVAL_RO matches
// EVALSHA_RO too. EVALSHA and EVALSHA_RO in m match only themselves.
func (m Match) Matches(server, command string, keys []string) bool {
	if m.Server != "" && m.Server != server {
		return false
	}
	if m.Command != "" {
		first, _, _ := strings.Cut(command, " ")
		if first != m.Command && !slices.Contains(alsoMatches[m.Command], first) {
			return false
		}
	}
	for _, k := range m.Keys {
		if !slices.Contains(keys, k) {
			return false
		}
	}
	return true
}

var alsoMatches = map[string][]string{
	"EVAL":    {"EVALSHA", "EVAL_RO", "EVALSHA_RO"},
	"EVAL_RO": {"EVALSHA_RO"},
}

func (m Match) equal(o Match) bool {
	return m.Command == o.Command && m.Server == o.Server && slices.Equal(m.Keys, o.Keys) && m.Position() == o.Position()
}

// Token is one element of a schedule. Which fields count depends on Kind; the others are zero.
type Token struct {
	Kind     Kind
	Actor    string        // Op, Until, Drain, Arrive, Deliver
	Match    Match         // Op; Until without Nth; of Arrive and Deliver only Nth
	Fault    Fault         // Op, and Drop for Deliver
	Duration time.Duration // Advance, Run
	N        int           // Failover: how many of the last writes are lost, from 1
	Key      string        // Evict: the key. Deliver: the channel, "" is any
	Server   string        // Restart, Failover, FlushScripts, Evict: which server; "" is the one without a name
	Pos      Pos           // where it was read; not compared by Equal
}

// Equal reports whether two tokens mean the same; where they were read does not count.
func (t Token) Equal(o Token) bool {
	return t.Kind == o.Kind && t.Actor == o.Actor && t.Match.equal(o.Match) && t.Fault == o.Fault &&
		t.Duration == o.Duration && t.N == o.N && t.Key == o.Key && t.Server == o.Server
}

// Schedule is a list of tokens, in order.
type Schedule []Token

// Equal reports whether two schedules mean the same, token by token.
func (s Schedule) Equal(o Schedule) bool { return slices.EqualFunc(s, o, Token.Equal) }
