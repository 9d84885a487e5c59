package invariants_test

import "testing"

func TestTerminalStays(t *testing.T) {
	judgeSteps(t, jobs.TerminalStays(), []row{
		{"ends once", given("j:t:1=RUNNING").step("A", "", "j:t:1=SUCCESS").step("A", ""), held, 0, ""},
		{"ends again the same way", given("j:t:1=FAILED").step("A", "", "j:t:1=FAILED+x"), held, 0, ""},
		{"goes away", given("j:t:1=SUCCESS").step("", "", "j:t:1=-"), held, 0, ""},
		{"comes back", given("j:t:1=SUCCESS").step("", "", "j:t:1=-").step("A", "", "j:t:1=RUNNING"), held, 0, ""},
		{"FAILED to SUCCESS", given("j:t:1=FAILED").step("A", "").step("B", "", "j:t:1=SUCCESS").step("B", ""),
			violated, 2, "B turns 1 of t from FAILED into SUCCESS"},
		{"SUCCESS to FAILED", given("j:t:1=SUCCESS").step("B", "", "j:t:1=FAILED"), violated, 1, "from SUCCESS into FAILED"},
		{"back to RUNNING", given("j:t:1=FAILED").step("B", "", "j:t:1=RUNNING"), violated, 1, "into RUNNING"},
		{"to nothing readable", given("j:t:1=FAILED").step("B", "", "j:t:1=odd"), violated, 1, "into without a status"},
		{"found at the end", given("j:t:1=FAILED").step("B", "").undeclared("j:t:1=SUCCESS"), violated, 0, "somebody, unseen by any step, turns 1"},
	})
}

func TestNoProgressAfterEnd(t *testing.T) {
	judgeSteps(t, jobs.NoProgressAfterEnd(), []row{
		{"while running", given("j:t:1=RUNNING").step("A", "", "j:t:1=RUNNING+1").step("A", "", "j:t:1:r=one"), held, 0, ""},
		{"the end itself", given("j:t:1=RUNNING+1").step("A", "", "j:t:1=SUCCESS+2"), held, 0, ""},
		{"another status", given("j:t:1=FAILED").step("A", "", "j:t:1=SUCCESS"), held, 0, ""},
		{"counted", given("j:t:1=FAILED+1").step("A", "").step("A", "", "j:t:1=FAILED+2"), violated, 2, "A writes j:t:1 although 1 is FAILED"},
		{"first result", given("j:t:1=SUCCESS").step("A", "", "j:t:1:r=one"), violated, 1, "writes j:t:1:r although 1 is SUCCESS"},
		{"another result", given("j:t:1=SUCCESS", "j:t:1:r=one").step("A", "", "j:t:1:r=two"), violated, 1, ""},
		{"only the TTL", given("j:t:1=SUCCESS").step("A", "", "j:t:1=SUCCESS"), held, 0, ""},
		{"results expire", given("j:t:1=SUCCESS", "j:t:1:r=one").step("", "", "j:t:1:r=-"), held, 0, ""},
		{"job gone", given("j:t:1=SUCCESS").step("", "", "j:t:1=-").step("A", "", "j:t:1:r=one"), held, 0, ""},
	})
}

func TestSuccessOwnsPointer(t *testing.T) {
	judgeSteps(t, jobs.SuccessOwnsPointer(), []row{
		{"owner, two steps", given("p:t=1", "j:t:1=RUNNING").step("A", "", "j:t:1=SUCCESS").step("A", "", "p:t=-"), held, 0, ""},
		{"owner, one step", given("p:t=1", "j:t:1=RUNNING").step("A", "", "j:t:1=SUCCESS", "p:t=-"), held, 0, ""},
		{"another owns", given("p:t=2", "j:t:1=RUNNING").step("A", "").step("A", "", "j:t:1=SUCCESS"), violated, 2, "A turns 1 of t into SUCCESS, but the pointer names 2"},
		{"nobody owns", given("j:t:1=RUNNING").step("A", "", "j:t:1=SUCCESS"), violated, 1, "but no pointer names it"},
		{"takes the pointer in the same step", given("j:t:1=RUNNING").step("A", "", "j:t:1=SUCCESS", "p:t=1"), violated, 1, ""},
		{"FAILED needs none", given("j:t:1=RUNNING").step("A", "", "j:t:1=FAILED"), held, 0, ""},
		{"SUCCESS again", given("j:t:1=SUCCESS").step("A", "", "j:t:1=SUCCESS+x"), held, 0, ""},
		{"found at the end", given("p:t=1", "j:t:1=RUNNING").step("A", "").undeclared("j:t:1=SUCCESS"), undecided, 0, "no step made it so"},
	})
}

func TestPointerDeletedOnlyByOwner(t *testing.T) {
	judgeSteps(t, jobs.PointerDeletedOnlyByOwner(), []row{
		{"owner, named in an earlier step", given("p:t=1").step("A", "j:t:1").step("B", "j:t:2").step("A", "p:t", "p:t=-"), held, 0, ""},
		{"owner, named in the same step", given("p:t=1").step("A", "j:t:2").step("A", "j:t:1 p:t", "p:t=-"), held, 0, ""},
		{"owner, by its results", given("p:t=1").step("A", "j:t:1:r").step("A", "p:t", "p:t=-"), held, 0, ""},
		{"another job", given("p:t=2").step("B", "j:t:2").step("A", "j:t:1").step("A", "p:t", "p:t=-"), violated, 3, "A, working for 1, deletes the pointer of t, which names 2"},
		{"another job, in the same step", given("p:t=2").step("A", "j:t:1 p:t", "p:t=-"), violated, 1, ""},
		{"the job it named last", given("p:t=1").step("A", "j:t:1").step("A", "j:t:2").step("A", "p:t", "p:t=-"), violated, 3, "working for 2"},
		{"a job of another target", given("p:t=1").step("A", "j:t:1").step("A", "j:u:2").step("A", "p:t", "p:t=-"), held, 0, ""},
		{"overwritten", given("p:t=1").step("A", "j:t:2").step("A", "p:t", "p:t=2"), held, 0, ""},
		{"expired", given("p:t=1").step("", "", "p:t=-"), held, 0, ""},
		{"for nobody knows whom", given("p:t=1").step("B", "j:t:2").step("A", "p:t", "p:t=-"), undecided, 2, "A deletes the pointer of t, and has named no job of it before"},
		{"found at the end", given("p:t=1").step("A", "j:t:1").undeclared("p:t=-"), undecided, 0, "no step deleted it"},
	})
}
