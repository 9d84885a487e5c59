package schedule_test

import (
	"errors"
	"fmt"

	"github.com/racebench/racebench/interleave/schedule"
)

// Two actors both look before either acts: the order behind most races.
func ExampleParse() {
	s, err := schedule.Parse(`
		A.get(job:1) B.get(job:1)   # both find nothing
		A.. B..                     # both start the job
		+10m`)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, t := range s {
		fmt.Printf("line %d  %-9s  %s\n", t.Pos.Line, t.Kind, t)
	}
	fmt.Println(s)
	// Output:
	// line 2  operation  A.GET(job:1)
	// line 2  operation  B.GET(job:1)
	// line 3  drain      A..
	// line 3  drain      B..
	// line 4  advance    +10m
	// A.GET(job:1) B.GET(job:1) A.. B.. +10m
}

// An error points at the place and says what could have stood there.
func ExampleError_Caret() {
	_, err := schedule.Parse("A.GET B.SET!crahs A..")
	var e *schedule.Error
	if errors.As(err, &e) {
		fmt.Println(e)
		fmt.Println(e.Caret())
	}
	// Output:
	// line 1, column 12: unknown fault !crahs (did you mean !crash?); allowed: !crash, !lost, !unsent, !late
	// A.GET B.SET!crahs A..
	//            ^ unknown fault !crahs (did you mean !crash?)
	// allowed: !crash, !lost, !unsent, !late
}

// A schedule built in code prints as text that a person can edit.
func ExampleToken_String() {
	s := schedule.Schedule{
		{Kind: schedule.Until, Actor: "A", Match: schedule.Match{Command: "SET", Keys: []string{"job 1"}}},
		{Kind: schedule.Op, Actor: "A", Match: schedule.Match{Command: "SET", Nth: 2}, Fault: schedule.Lost},
		{Kind: schedule.Failover, N: 2},
	}
	fmt.Println(s, s.Validate())
	// Output: A..SET("job 1") A.SET@2!lost !failover(2) <nil>
}

// EVAL means the script, however the client sends it.
func ExampleMatch_Matches() {
	m := schedule.Match{Command: "EVAL", Keys: []string{"lock"}}
	fmt.Println(m.Matches("", "EVALSHA", []string{"lock", "queue"}), m.Matches("", "EVALSHA", []string{"queue"}))
	fmt.Println(schedule.Match{Command: "XGROUP"}.Matches("", "XGROUP CREATE", nil))
	// Output:
	// true false
	// true
}

// Constraints order some operations; the rest stays free.
func ExampleParseConstraints() {
	cs, err := schedule.ParseConstraints("A.GET B.GET < A.SET B.SET; *.DEL(lock) < C.GET")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range cs {
		fmt.Println(len(c.Before), len(c.After), c)
	}
	fmt.Println(cs[1].Before[0].Matches("B", "", "DEL", []string{"lock"}))
	// Output:
	// 2 2 A.GET B.GET < A.SET B.SET
	// 1 1 *.DEL(lock) < C.GET
	// true
}

// The help text is made from the table that the tests run.
func ExampleFormatGrammar() {
	fmt.Print(schedule.FormatGrammar(schedule.Grammar))
	fmt.Println()
	fmt.Print(schedule.FormatGrammar(schedule.ConstraintGrammar))
	// Output:
	// A                        A's next operation, whatever it is
	// A.GET                    A's next operation, which must be a GET
	// A.GET(job:1)             … and must touch that key
	// A.GET("odd key )")       a key with spaces, quotes, commas, # or parentheses is quoted as in Go
	// A.MGET(k1,k2)            … must touch all these keys
	// A@2                      the n-th of A's waiting operations, when A has several goroutines
	// A.GET(job:1)@2           the n-th of A's waiting operations that match
	// A.SET@r1(lock)           … and must be sent to that one of several servers
	// A@r1                     A's next operation on that server
	// A.point                  the goroutine of A that waits at a point (Actor.Point) goes on
	// A.point(renew)           … which must have that label
	// A..SET                   A runs until just before its next SET
	// A..SET(job:1)            A runs until just before its next SET of that key
	// A..                      A runs until it is done or waits
	// A!crash                  A dies before its waiting operation is sent
	// A.SET!crash              executed, then A dies before the reply
	// A.point(renew)!crash     A dies at that point
	// A.SET(job:1)!lost        executed, the reply is lost (connection closed)
	// A!lost                   the same for A's next operation, whatever it is
	// A.SET@2!unsent           not executed, connection closed
	// A!unsent                 the same for A's next operation, whatever it is
	// A.SET!late               A's client gives up, the command arrives later, as its own step
	// A!late                   the same for A's next operation, whatever it is
	// A.arrive                 A's late command arrives now
	// A.arrive@2               the n-th of A's late commands arrives now
	// A.deliver                the next pub/sub message (push) reaches A
	// A.deliver(jobs:done)     … of that channel
	// A.deliver(jobs:done)@2   the n-th of those that wait, when A has several subscribed connections
	// A.deliver!drop           the next pub/sub message for A is lost
	// +10m                     the clock moves, everything waiting stays waiting
	// run 30s                  everybody runs fairly for 30 virtual seconds
	// !restart                 the server restarts and has lost its memory
	// !failover                a replica takes over; the last write is lost
	// !failover(2)             a replica takes over; the last n writes are lost
	// !flushscripts            the server forgets its scripts
	// !evict(job:1)            the server evicts that key
	// !failover@r1(2)          one of several servers, by its name: !restart@r1, !flushscripts@r1, !evict@r1(key)
	//
	// A.GET < B.SET                        A's GET before B's SET
	// A.GET(job:1) < B.MSET(job:1,job:2)   … and they touch these keys
	// A.GET B.GET < A.SET B.SET            all on the left before any on the right
	// *.DEL(lock) < A.GET                  a command of any actor
	// A.SET@r1 < B.SET@r1(lock)            … sent to one of several servers
	// A.point(renew) < B.GET               a point of an actor
	// A.GET < B.SET; B.SET < C.DEL         both must hold
}
