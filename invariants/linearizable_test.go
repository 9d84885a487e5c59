package invariants_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/invariants"
)

// told is a trace with a history: "A write 1" is a call, "A> ok" its return.
func told(lines ...string) *made {
	m := given()
	for _, line := range lines {
		actor, rest, _ := strings.Cut(line, " ")
		value := invariants.Call(rest)
		if a, isReturn := strings.CutSuffix(actor, ">"); isReturn {
			actor, value = a, invariants.Return(rest)
		}
		m.trace.Notes = append(m.trace.Notes, interleave.Note{Actor: actor, Key: "h", Value: value})
	}
	return m
}

func TestLinearizableRegister(t *testing.T) {
	judge(t, invariants.Linearizable("h", invariants.Register("0")), []row{
		{"one after the other", told("A write 1", "A> ok", "B read", "B> 1"), held, 0, ""},
		{"reads the new value beside the write", told("A write 1", "B read", "B> 1", "A> ok"), held, 0, ""},
		{"reads the old value beside the write", told("A write 1", "B read", "B> 0", "A> ok"), held, 0, ""},
		{"reads the old value after the write", told("A write 1", "A> ok", "B read", "B> 0"), violated, 0,
			"no order explains what register said: A write 1 → ok; B read → 0"},
		{"new, then old", told("A write 1", "B read", "B> 1", "C read", "C> 0", "A> ok"), violated, 0, ""},
		{"a write that never returned happened", told("A write 1", "B read", "B> 1"), held, 0, ""},
		{"or not", told("A write 1", "B read", "B> 0"), held, 0, ""},
		{"an unknown result may come late", told("A write 1", "A> ?", "B read", "B> 0", "B read", "B> 1"), held, 0, ""},
		{"but only once", told("A write 1", "A> ?", "B write 2", "B> ok", "B read", "B> 1", "B read", "B> 2"), violated, 0, ""},
		{"no history", told(), undecided, 0, "nobody made a note"},
		{"returns what was never called", told("A> ok"), undecided, 0, "neither the call"},
		{"two at a time", told("A read", "A read"), undecided, 0, "no history"},
		{"an operation that registers do not have", told("A pop", "A> 0"), violated, 0, ""},
	})
}

func TestLinearizableLock(t *testing.T) {
	judge(t, invariants.Linearizable("h", invariants.Lock()), []row{
		{"in turn", told("A lock", "A> ok", "A unlock", "A> ok", "B lock", "B> ok"), held, 0, ""},
		{"refused while it is held", told("A lock", "A> ok", "B lock", "B> refused"), held, 0, ""},
		{"two have it", told("A lock", "A> ok", "B lock", "B> ok"), violated, 0, ""},
		{"refused while it is free", told("B lock", "B> refused"), violated, 0, ""},
		{"another's is given back", told("A lock", "A> ok", "B unlock", "B> ok"), violated, 0, ""},
		{"another's is not", told("A lock", "A> ok", "B unlock", "B> refused"), held, 0, ""},
		{"the dead may have it", told("A lock", "B lock", "B> refused"), held, 0, ""},
	})
}

func TestLinearizableQueue(t *testing.T) {
	judge(t, invariants.Linearizable("h", invariants.FIFO()), []row{
		{"first in, first out", told("A put 1", "A> ok", "A put 2", "A> ok", "B take", "B> 1", "B take", "B> 2", "B take", "B> "), held, 0, ""},
		{"out of order", told("A put 1", "A> ok", "A put 2", "A> ok", "B take", "B> 2"), violated, 0, ""},
		{"puts beside each other", told("A put 1", "C put 2", "A> ok", "C> ok", "B take", "B> 2", "B take", "B> 1"), held, 0, ""},
		{"taken twice", told("A put 1", "A> ok", "B take", "B> 1", "C take", "C> 1"), violated, 0, ""},
		{"nothing, though there is something", told("A put 1", "A> ok", "B take", "B> "), violated, 0, ""},
	})
}

func TestLinearizableIsUndecidedWhenTooMuchOverlaps(t *testing.T) {
	var calls []string
	for i := range 15 {
		calls = append(calls, fmt.Sprintf("A%d read", i))
	}
	judge(t, invariants.Linearizable("h", invariants.Register("")), []row{
		{"14", told(calls[:14]...), held, 0, ""},
		{"15", told(calls...), undecided, 0, "15 operations overlap (at most 14 can be judged)"},
	})
	assert.ErrorContains(t, invariants.VisualizeHistory(&bytes.Buffer{}, &told(calls...).trace, "h", invariants.FIFO()), "15 operations overlap")
}

func TestVisualizeHistory(t *testing.T) {
	var page bytes.Buffer
	bad := told("A write 1", "A> ok", "B read", "B> 0")
	require.NoError(t, invariants.VisualizeHistory(&page, &bad.trace, "h", invariants.Register("0")))
	assert.Contains(t, page.String(), "<html")
	assert.Contains(t, page.String(), "B read → 0")
	assert.ErrorContains(t, invariants.VisualizeHistory(&page, &told("A> ok").trace, "h", invariants.Register("0")), "no history")
}
