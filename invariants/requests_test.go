package invariants_test

import (
	"testing"
	"time"

	"github.com/racebench/racebench/invariants"
)

var requests = invariants.Requests{Computing: computing, Asks: "asks", Refused: "refused", Done: "done"}

func TestAlone(t *testing.T) {
	judge(t, computing.Alone(), []row{
		{"one after the other", given().step("A", "").noted("A in a", "A out", "B in b"), held, 0, ""},
		{"both", given().step("A", "").noted("A in P", "B in P"), violated, 0, "A computes as P, and B as P"},
	})
}

func TestTogether(t *testing.T) {
	judge(t, requests.Together(), []row{
		{"at once", given().step("A", "").noted("A asks P", "B asks P", "A in P", "B in P", "A out", "B out"), held, 0, ""},
		{"one queues up", given().step("A", "").noted("A asks P", "B asks P", "A in P", "A out", "B in P"), violated, 0, "B had asked before A ended"},
		{"asked afterwards", given().step("A", "").noted("A asks P", "A in P", "A out", "B asks P", "B in P"), held, 0, ""},
		{"behind another state", given().step("A", "").noted("A asks P", "B asks C", "A in P", "A out", "B in C"), held, 0, ""},
	})
}

func TestRefusedForCause(t *testing.T) {
	judge(t, requests.RefusedForCause(30*time.Second), []row{
		{"the other computes", given().step("A", "").noted("A asks P", "B asks C", "A in P", "B refused C at 1s: it is P"), held, 0, ""},
		{"the other has gone", given().step("A", "").noted("A asks P", "A done", "B asks C", "B refused C at 1s: it is P"), violated, 0, "B was refused, C at 1s"},
		{"the other wants the same", given().step("A", "").noted("A asks P", "B asks P", "B refused P at 1s: it is X"), violated, 0, ""},
		{"the other is dead", given().step("A!", "").noted("A asks P", "B asks C", "B refused C at 29s: it is P"), held, 0, ""},
		{"the other is long dead", given().step("A!", "").noted("A asks P", "B asks C", "B refused C at 31m0s: it is P"), violated, 0, ""},
		{"no time", given().step("A", "").noted("A asks P", "B asks C", "B refused C"), undecided, 0, "names no state and time"},
	})
}

func TestOneOf(t *testing.T) {
	judge(t, invariants.OneOf("s", "P", "C"), []row{
		{"a state", given().put("A", "s", "string", "P"), held, 0, ""},
		{"none", given().step("A", "s"), held, 0, ""},
		{"another word", given().put("A", "s", "string", "X"), violated, 1, "want P or C"},
	})
}
