package invariants_test

import "testing"

func TestSingleRunning(t *testing.T) {
	judge(t, jobs.SingleRunning(), []row{
		{"none", given().step("A", ""), held, 0, ""},
		{"one after the other", given("j:t:1=RUNNING").step("A", "", "j:t:1=SUCCESS").step("B", "", "j:t:2=RUNNING"), held, 0, ""},
		{"two targets", given("j:t:1=RUNNING").step("A", "", "j:u:1=RUNNING"), held, 0, ""},
		{"two of one", given("j:t:1=RUNNING").step("A", "").step("B", "", "j:t:2=RUNNING"), violated, 2, "1 and 2 of t are both RUNNING"},
		{"for a moment", given("j:t:1=RUNNING").step("B", "", "j:t:2=RUNNING").step("B", "", "j:t:1=FAILED"), violated, 1, ""},
		{"results are no job", given("j:t:1=RUNNING").step("A", "", "j:t:1:r=RUNNING"), held, 0, ""},
	})
}

func TestNoUnreferenced(t *testing.T) {
	judge(t, jobs.NoUnreferenced(), []row{
		{"being started", given().step("A", "", "j:t:1=RUNNING").step("A", "", "p:t=1"), held, 0, ""},
		{"never named", given().step("A", "", "j:t:1=RUNNING").step("A", ""), violated, 0, "1 of t is RUNNING, but no pointer names it (nothing more can happen)"},
		{"maker crashes", given().step("A", "", "j:t:1=RUNNING").step("A!", "").step("B", ""), violated, 2, "A crashed on the way"},
		{"maker crashes after all", given().step("A", "", "j:t:1=RUNNING").step("A!", "", "p:t=1"), held, 0, ""},
		{"another crashes", given().step("A", "", "j:t:1=RUNNING").step("B!", "").step("A", "", "p:t=1"), held, 0, ""},
		{"overwritten", given("p:t=1", "j:t:1=RUNNING").step("B", "", "j:t:2=RUNNING").step("B", "", "p:t=2").step("B", ""),
			violated, 2, "the pointer names 2 (B took it away)"},
		{"deleted", given("p:t=1", "j:t:1=RUNNING").step("B", "", "p:t=-"), violated, 1, "no pointer names it (B took it away)"},
		{"expired", given("p:t=1", "j:t:1=RUNNING").step("", "", "p:t=-"), violated, 1, "(clock +0s took it away)"},
		{"ended, then deleted", given("p:t=1", "j:t:1=RUNNING").step("A", "", "j:t:1=FAILED").step("A", "", "p:t=-"), held, 0, ""},
		{"ended and deleted in one", given("p:t=1", "j:t:1=RUNNING").step("A", "", "j:t:1=FAILED", "p:t=-"), held, 0, ""},
		{"both expired", given("p:t=1", "j:t:1=RUNNING").step("", "", "p:t=-", "j:t:1=-"), held, 0, ""},
		{"given without a pointer, ends", given("j:t:1=RUNNING").step("A", "").step("A", "", "j:t:1=FAILED"), held, 0, ""},
		{"given without a pointer, stays", given("j:t:1=RUNNING").step("A", ""), violated, 0, "nothing more can happen"},
	})
}

func TestPointerNamesJob(t *testing.T) {
	judge(t, jobs.PointerNamesJob(), []row{
		{"being started", given().step("A", "", "p:t=1").step("A", "", "j:t:1=RUNNING"), held, 0, ""},
		{"never made", given().step("A", "", "p:t=1").step("A", ""), violated, 0, "p:t names 1, which does not exist"},
		{"claimer crashes", given().step("A!", "", "p:t=1").step("B", ""), violated, 1, "A crashed on the way"},
		{"claimer overtaken, then crashes", given().step("A", "", "p:t=1").step("B", "", "p:t=2").step("A!", "").step("B", "", "j:t:2=RUNNING"), held, 0, ""},
		{"the second claimer crashes", given("p:t=1", "j:t:1=FAILED").step("B!", "", "p:t=2"), violated, 1, "B crashed on the way"},
		{"another crashes", given().step("A", "", "p:t=1").step("B!", "").step("A", "", "j:t:1=RUNNING"), held, 0, ""},
		{"job goes first", given("p:t=1", "j:t:1=RUNNING").step("", "", "j:t:1=-"), violated, 1, "p:t names 1, which is gone (clock +0s)"},
		{"job and pointer go", given("p:t=1", "j:t:1=RUNNING").step("", "", "j:t:1=-", "p:t=-"), held, 0, ""},
		{"other keys", given("x:t=1").step("A", "", "p:=1"), held, 0, ""},
	})
}
