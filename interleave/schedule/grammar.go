package schedule

import (
	"strings"
	"unicode/utf8"
)

// Rule is one form of a grammar. Example is text that parses and prints as itself.
type Rule struct {
	Form, Example, Meaning string
}

// Grammar is the grammar of schedules, one row a form, in reading order. Help texts and documents are made from it.
var Grammar = []Rule{
	{"A", "A", "A's next operation, whatever it is"},
	{"A.COMMAND", "A.GET", "A's next operation, which must be a GET"},
	{"A.COMMAND(key)", "A.GET(job:1)", "… and must touch that key"},
	{`A.COMMAND("key")`, `A.GET("odd key )")`, "a key with spaces, quotes, commas, # or parentheses is quoted as in Go"},
	{"A.COMMAND(k1,k2)", "A.MGET(k1,k2)", "… must touch all these keys"},
	{"A@n", "A@2", "the n-th of A's waiting operations, when A has several goroutines"},
	{"A.COMMAND(key)@n", "A.GET(job:1)@2", "the n-th of A's waiting operations that match"},
	{"A.COMMAND@server", "A.SET@r1(lock)", "… and must be sent to that one of several servers"},
	{"A@server", "A@r1", "A's next operation on that server"},
	{"A.point", "A.point", "the goroutine of A that waits at a point (Actor.Point) goes on"},
	{"A.point(label)", "A.point(renew)", "… which must have that label"},
	{"A..COMMAND", "A..SET", "A runs until just before its next SET"},
	{"A..COMMAND(key)", "A..SET(job:1)", "A runs until just before its next SET of that key"},
	{"A..", "A..", "A runs until it is done or waits"},
	{"A!crash", "A!crash", "A dies before its waiting operation is sent"},
	{"A.COMMAND!crash", "A.SET!crash", "executed, then A dies before the reply"},
	{"A.point!crash", "A.point(renew)!crash", "A dies at that point"},
	{"A.COMMAND!lost", "A.SET(job:1)!lost", "executed, the reply is lost (connection closed)"},
	{"A!lost", "A!lost", "the same for A's next operation, whatever it is"},
	{"A.COMMAND!unsent", "A.SET@2!unsent", "not executed, connection closed"},
	{"A!unsent", "A!unsent", "the same for A's next operation, whatever it is"},
	{"A.COMMAND!late", "A.SET!late", "A's client gives up, the command arrives later, as its own step"},
	{"A!late", "A!late", "the same for A's next operation, whatever it is"},
	{"A.arrive", "A.arrive", "A's late command arrives now"},
	{"A.arrive@n", "A.arrive@2", "the n-th of A's late commands arrives now"},
	{"A.deliver", "A.deliver", "the next pub/sub message (push) reaches A"},
	{"A.deliver(channel)", "A.deliver(jobs:done)", "… of that channel"},
	{"A.deliver@n", "A.deliver(jobs:done)@2", "the n-th of those that wait, when A has several subscribed connections"},
	{"A.deliver!drop", "A.deliver!drop", "the next pub/sub message for A is lost"},
	{"+duration", "+10m", "the clock moves, everything waiting stays waiting"},
	{"run duration", "run 30s", "everybody runs fairly for 30 virtual seconds"},
	{"!restart", "!restart", "the server restarts and has lost its memory"},
	{"!failover", "!failover", "a replica takes over; the last write is lost"},
	{"!failover(n)", "!failover(2)", "a replica takes over; the last n writes are lost"},
	{"!flushscripts", "!flushscripts", "the server forgets its scripts"},
	{"!evict(key)", "!evict(job:1)", "the server evicts that key"},
	{"!fault@server", "!failover@r1(2)", "one of several servers, by its name: !restart@r1, !flushscripts@r1, !evict@r1(key)"},
}

// ConstraintGrammar is the grammar of constraints, one row a form. The rest of the order stays free.
var ConstraintGrammar = []Rule{
	{"A.COMMAND < B.COMMAND", "A.GET < B.SET", "A's GET before B's SET"},
	{"A.COMMAND(key) < …", "A.GET(job:1) < B.MSET(job:1,job:2)", "… and they touch these keys"},
	{"A.C1 B.C1 < A.C2 B.C2", "A.GET B.GET < A.SET B.SET", "all on the left before any on the right"},
	{"*.COMMAND < …", "*.DEL(lock) < A.GET", "a command of any actor"},
	{"A.COMMAND@server < …", "A.SET@r1 < B.SET@r1(lock)", "… sent to one of several servers"},
	{"A.point(label) < …", "A.point(renew) < B.GET", "a point of an actor"},
	{"…; …", "A.GET < B.SET; B.SET < C.DEL", "both must hold"},
}

// FormatGrammar prints rules as two aligned columns, example and meaning, one rule a line.
func FormatGrammar(rules []Rule) string {
	widest := 0
	for _, r := range rules {
		widest = max(widest, utf8.RuneCountInString(r.Example))
	}
	var b strings.Builder
	for _, r := range rules {
		b.WriteString(r.Example)
		b.WriteString(strings.Repeat(" ", widest-utf8.RuneCountInString(r.Example)+3))
		b.WriteString(r.Meaning)
		b.WriteByte('\n')
	}
	return b.String()
}
