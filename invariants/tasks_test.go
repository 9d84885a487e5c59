package invariants_test

import (
	"errors"
	"testing"

	"github.com/racebench/racebench/invariants"
)

// queue is how the tasks of these tests are kept; naive has no place for those at their end.
func queue(rows ...invariants.TaskRow) invariants.Tasks {
	q := naive(rows...)
	q.Done, q.Dead = "done", "dead"
	return q
}

func naive(rows ...invariants.TaskRow) invariants.Tasks {
	return invariants.Tasks{Ready: "ready", Active: "active", Rows: func() ([]invariants.TaskRow, error) { return rows, nil }}
}

func taskRow(status string, retries int) invariants.TaskRow {
	return invariants.TaskRow{ID: "1", Status: status, Retries: retries}
}

func TestNeverInTwo(t *testing.T) {
	judge(t, queue().NeverInTwo(), []row{
		{"moves", given().put("A", "ready", "list", "1").put("A", "ready", "list").put("A", "active", "zset", "1", "5"), held, 0, ""},
		{"two places", given().put("A", "ready", "list", "2", "1").put("A", "active", "zset", "1", "5").put("A", "ready", "list"), violated, 2,
			"task 1 is in ready and active"},
		{"twice in one", given().put("A", "ready", "list", "1", "1"), violated, 1, "ready and ready"},
		{"a score is no task", given().put("A", "active", "zset", "1", "5").put("A", "ready", "list", "5"), held, 0, ""},
	})
}

func TestNoneLost(t *testing.T) {
	at := func(key string) *made { return given().put("A", key, "list", "1") }
	judge(t, queue(taskRow("pending", 0)).NoneLost(), []row{
		{"ready", at("ready"), held, 0, ""},
		{"elsewhere than the row says", at("done"), held, 0, ""},
		{"nowhere", given().step("A", ""), violated, 0, "task 1 is in nowhere, and its row says pending"},
		{"two", at("ready").put("A", "done", "list", "1"), violated, 0, "ready and done"},
	})
	judge(t, naive(taskRow("done", 0)).NoneLost(), []row{
		{"done by its row", given().step("A", ""), held, 0, ""},
		{"done and ready", at("ready"), violated, 0, "task 1 is in ready, and its row says done"},
	})
	judge(t, queue().NoneLost(), []row{{"no rows", at("ready"), undecided, 0, "no rows"}})
	broken := invariants.Tasks{Rows: func() ([]invariants.TaskRow, error) { return nil, errors.New("disk on fire") }}
	judge(t, broken.NoneLost(), []row{{"unreadable", at("ready"), undecided, 0, "disk on fire"}})
}

func TestAllEnd(t *testing.T) {
	for status, want := range map[string]row{
		"done":       {"done", given().step("A", ""), held, 0, ""},
		"dead":       {"dead", given().step("A", ""), held, 0, ""},
		"processing": {"processing", given().step("A", ""), violated, 0, "task 1 is processing"},
		"failed":     {"failed", given().step("A", ""), violated, 0, "task 1 is failed"},
	} {
		judge(t, queue(taskRow("done", 0), taskRow(status, 0)).AllEnd(), []row{want})
	}
}

func TestRowAgrees(t *testing.T) {
	agree := map[string]string{"ready": "pending", "active": "processing", "done": "done", "dead": "dead"}
	for key := range agree {
		for _, status := range agree {
			want := row{key + " " + status, given().put("A", key, "list", "1"), violated, 0, "the row of task 1 says " + status}
			if agree[key] == status {
				want.outcome, want.detail = held, ""
			}
			judge(t, queue(taskRow(status, 0)).RowAgrees(), []row{want})
		}
	}
	judge(t, naive(taskRow("done", 0)).RowAgrees(), []row{{"by the row alone", given().step("A", ""), held, 0, ""}})
}

func TestRetriesCounted(t *testing.T) {
	added := func() *made { return given().put("P", "ready", "list", "2", "1") }
	taken := func() *made { return added().put("A", "ready", "list", "2").put("A", "active", "list", "1") }
	back := func() *made {
		return taken().put("R", "active", "list").put("R", "ready", "list", "1", "2")
	}
	judge(t, queue(taskRow("pending", 0)).RetriesCounted(), []row{
		{"added", added(), held, 0, ""},
		{"taken", taken(), held, 0, ""},
		{"put back", back(), violated, 0, "task 1 was put back 1 times, and its row says 0"},
		{"never there", given().step("A", ""), held, 0, ""},
	})
	judge(t, queue(taskRow("pending", 1)).RetriesCounted(), []row{
		{"counted", back(), held, 0, ""},
		{"counted, and not put back", taken(), violated, 0, "put back 0 times"},
	})
}

func TestOneOwnerAndAtMostOnce(t *testing.T) {
	judge(t, invariants.OneOwner("attempt"), []row{
		{"each its own", given().step("A", "").noted("A attempt 1/1", "A attempt 1/1", "B attempt 1/2"), held, 0, ""},
		{"two", given().step("A", "").noted("A attempt 1/1", "B attempt 1/1"), violated, 0, "attempt 1/1 is A's and B's"},
	})
	judge(t, invariants.AtMostOnce("done"), []row{
		{"once each", given().step("A", "").noted("A done 1", "B done 2"), held, 0, ""},
		{"twice", given().step("A", "").noted("A done 1", "B done 1"), violated, 0, `"1" was done by A, and again by B`},
	})
}

func TestEndedByLast(t *testing.T) {
	judge(t, invariants.EndedByLast("begun", "ended"), []row{
		{"its own", given().step("A", "").noted("A begun task 1, attempt 1", "A ended task 1"), held, 0, ""},
		{"after it was given back", given().step("A", "").noted("A begun task 1, attempt 1", "B begun task 1, attempt 2", "B ended task 1"), held, 0, ""},
		{"another task", given().step("A", "").noted("A begun task 1", "B begun task 2", "A ended task 1"), held, 0, ""},
		{"overtaken", given().step("A", "").noted("A begun task 1, attempt 1", "B begun task 1, attempt 2", "A ended task 1"), violated, 0,
			`A has recorded "task 1", which B was the last to begin`},
	})
}
