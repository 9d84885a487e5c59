package schedule_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/racebench/racebench/interleave/schedule"
)

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		pattern, command string
		want             bool
	}{
		{"", "GET", true},
		{"GET", "GET", true},
		{"GET", "GETEX", false},
		{"GET", "SET", false},
		{"XGROUP", "XGROUP CREATE", true},
		{"XGROUP", "XGROUPS CREATE", false},
		{"CREATE", "XGROUP CREATE", false},
		{"EVAL", "EVAL", true},
		{"EVAL", "EVALSHA", true},
		{"EVAL", "EVAL_RO", true},
		{"EVAL", "EVALSHA_RO", true},
		{"EVAL", "FCALL", false},
		{"EVAL_RO", "EVALSHA_RO", true},
		{"EVAL_RO", "EVALSHA", false},
		{"EVALSHA", "EVALSHA", true},
		{"EVALSHA", "EVAL", false},
		{"EVALSHA_RO", "EVAL_RO", false},
	} {
		assert.Equal(t, c.want, schedule.Match{Command: c.pattern}.Matches("", c.command, nil), "%q in a pattern, %q", c.pattern, c.command)
	}
	for _, c := range []struct {
		pattern, keys []string
		want          bool
	}{
		{nil, nil, true},
		{nil, []string{"a"}, true},
		{[]string{"a"}, []string{"b", "a"}, true},
		{[]string{"a", "b"}, []string{"b", "a", "c"}, true},
		{[]string{"a", "b"}, []string{"a"}, false},
		{[]string{""}, nil, false},
		{[]string{"a"}, []string{"A"}, false},
	} {
		assert.Equal(t, c.want, schedule.Match{Command: "MGET", Keys: c.pattern}.Matches("", "MGET", c.keys), "%q in a pattern, %q", c.pattern, c.keys)
	}
}

func TestPatternMatches(t *testing.T) {
	get := schedule.Match{Command: "GET", Keys: []string{"k"}}
	assert.True(t, schedule.Pattern{Actor: "A", Match: get}.Matches("A", "", "GET", []string{"k"}))
	assert.False(t, schedule.Pattern{Actor: "A", Match: get}.Matches("B", "", "GET", []string{"k"}))
	assert.True(t, schedule.Pattern{Actor: schedule.AnyActor, Match: get}.Matches("B", "", "GET", []string{"k"}))
	assert.False(t, schedule.Pattern{Actor: schedule.AnyActor, Match: get}.Matches("B", "", "GET", nil))
}

// Equal ignores places and spells out the default position; every other field counts.
func TestEqual(t *testing.T) {
	base := schedule.Token{Kind: schedule.Op, Actor: "A", Match: schedule.Match{Command: "GET", Keys: []string{"k"}}}
	same := base
	same.Pos, same.Match.Nth = schedule.Pos{Offset: 7, Line: 2, Col: 3}, 1
	assert.True(t, base.Equal(same))
	for field, change := range map[string]func(*schedule.Token){
		"Kind":          func(t *schedule.Token) { t.Kind = schedule.Until },
		"Actor":         func(t *schedule.Token) { t.Actor = "B" },
		"Match.Command": func(t *schedule.Token) { t.Match.Command = "SET" },
		"Match.Keys":    func(t *schedule.Token) { t.Match.Keys = []string{"k", "l"} },
		"Match.Nth":     func(t *schedule.Token) { t.Match.Nth = 2 },
		"Fault":         func(t *schedule.Token) { t.Fault = schedule.Lost },
		"Duration":      func(t *schedule.Token) { t.Duration = 1 },
		"N":             func(t *schedule.Token) { t.N = 1 },
		"Key":           func(t *schedule.Token) { t.Key = "k" },
	} {
		other := base
		change(&other)
		assert.False(t, base.Equal(other), field)
	}
	assert.False(t, schedule.Schedule{base}.Equal(schedule.Schedule{base, base}))
	assert.True(t, schedule.Schedule(nil).Equal(schedule.Schedule{}))
}

func TestCrashForms(t *testing.T) {
	s, err := schedule.Parse("A!crash A.SET!crash A.SET(k)@2!crash")
	assert.NoError(t, err)
	assert.Equal(t, schedule.CrashBefore, s[0].Fault)
	assert.Equal(t, schedule.CrashAfter, s[1].Fault)
	assert.Equal(t, schedule.CrashAfter, s[2].Fault)
}

func TestCheckActor(t *testing.T) {
	for _, name := range []string{"A", "_", "worker-1", "Run", "run30s", "a_B-9"} {
		assert.NoError(t, schedule.CheckActor(name), name)
	}
	for name, want := range map[string]string{
		"":    "an actor needs a name",
		"run": `"run" is reserved for "run 30s": an actor cannot have this name`,
		"1a":  `actor "1a": a name begins with a letter or _`,
		"a.b": `actor "a.b": a name has only letters, digits, _ and - (ASCII)`,
		"é":   `actor "é": a name begins with a letter or _`,
	} {
		assert.EqualError(t, schedule.CheckActor(name), want)
	}
}
