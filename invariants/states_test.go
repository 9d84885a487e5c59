package invariants_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/invariants"
)

// noted adds notes: "A in P" is one of A with the key in and the value P.
func (m *made) noted(lines ...string) *made {
	for _, line := range lines {
		words := strings.SplitN(line, " ", 3)
		m.trace.Notes = append(m.trace.Notes, interleave.Note{Actor: words[0], Key: words[1], Value: strings.Join(words[2:], " ")})
	}
	return m
}

// put adds a step that changes a key of any type: items as they are in an entry, none for a key that goes.
func (m *made) put(actor, key, kind string, items ...string) *made {
	m.step(actor, key)
	s := m.trace.Steps[len(m.trace.Steps)-1]
	var after *interleave.Entry
	if len(items) > 0 {
		after = &interleave.Entry{Type: kind, Items: items, Expires: -1}
	}
	s.Changes = []interleave.Change{{Key: key, Before: m.data[key], After: after}}
	m.data[key] = after
	return m
}

var computing = invariants.Computing{In: "in", Out: "out"}

func TestOneState(t *testing.T) {
	judge(t, computing.OneState(), []row{
		{"together", given().step("A", "").noted("A in P", "B in P", "A out", "B out"), held, 0, ""},
		{"one after the other", given().step("A", "").noted("A in P", "A out", "B in C", "B out"), held, 0, ""},
		{"both", given().step("A", "").noted("A in P", "B in C"), violated, 0, "A computes as P, and B as C"},
		{"the first of two has left", given().step("A", "").noted("A in P", "B in P", "A out", "C in C"), violated, 0, "B computes as P, and C as C"},
		{"one is dead", given().step("A!", "").noted("A in P", "B in C"), held, 0, ""},
		{"in twice", given().step("A", "").noted("A in P", "A in P", "A out", "B in C"), violated, 0, ""},
	})
}

func TestWaitingWhenIdle(t *testing.T) {
	judge(t, computing.WaitingWhenIdle("s", 2*time.Minute), []row{
		{"gone", given("s=P").put("A", "s", "string").noted("A in P", "A out"), held, 0, ""},
		{"somebody computes", given("s=P").step("A", "").noted("A in P"), held, 0, ""},
		{"nobody computes", given("s=P").step("A", "").noted("A in P", "A out"), violated, 0, "s is P, and nobody computes"},
		{"died just now", given("s=P").step("A!", "").step("", "").noted("A in P"), undecided, 0, "1m0s after the crash of A"},
		{"died before it has left", given("s=P").step("A!", "").step("", "").noted("A in P", "A out"), undecided, 0, "1m0s after the crash of A"},
		{"died long ago", given("s=P").step("A!", "").step("", "").step("", "").noted("A in P"), violated, 0, "nobody computes"},
	})
}

func TestReleasedByOwner(t *testing.T) {
	judgeSteps(t, invariants.ReleasedByOwner("l", false), []row{
		{"by itself", given().put("A", "l", "string", "a").put("A", "l", "string").put("B", "l", "string", "b"), held, 0, ""},
		{"by the clock", given().put("A", "l", "string", "a").put("", "l", "string"), held, 0, ""},
		{"by another", given().put("A", "l", "string", "a").put("B", "l", "string"), violated, 2, "B removes a from l, where A had put it"},
		{"replaced", given().put("A", "l", "string", "a").put("B", "l", "string", "b"), violated, 2, ""},
		{"the next one's", given().put("A", "l", "string", "a").put("", "l", "string").put("B", "l", "string", "b").put("A", "l", "string"),
			violated, 4, "A removes b"},
		{"given, so nobody's", given("l=x").put("A", "l", "string"), held, 0, ""},
	})
	lease := func(end time.Duration) string { return fmt.Sprint(946684800000 + end.Milliseconds()) }
	judgeSteps(t, invariants.ReleasedByOwner("h", true), []row{
		{"its own", given().put("A", "h", "zset", "a", lease(time.Hour)).put("B", "h", "zset", "a", lease(time.Hour), "b", lease(time.Hour)).
			put("A", "h", "zset", "b", lease(time.Hour)), held, 0, ""},
		{"another's", given().put("A", "h", "zset", "a", lease(time.Hour)).put("B", "h", "zset", "b", lease(time.Hour)), violated, 2, "B removes a"},
		{"another's that is over", given().put("A", "h", "zset", "a", lease(time.Minute)).put("B", "h", "zset", "b", lease(time.Hour)), held, 0, ""},
	})
}

func TestAnsweredIn(t *testing.T) {
	judge(t, invariants.AnsweredIn("asks", "answer", 5*time.Second), []row{
		{"in time", given().step("A", "").noted("A asks", "A answer 5s"), held, 0, ""},
		{"late", given().step("A", "").noted("A asks", "A answer 5.1s"), violated, 0, "A was answered after 5.1s (limit 5s)"},
		{"never", given().step("A", "").noted("A asks", "B asks", "B answer 0s"), violated, 0, "A was never answered"},
		{"dead", given().step("A!", "").noted("A asks"), held, 0, ""},
		{"no time", given().step("A", "").noted("A asks", "A answer soon"), undecided, 0, `"soon", which is no time`},
	})
}
