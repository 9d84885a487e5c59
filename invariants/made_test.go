package invariants_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/invariants"
)

// jobs are the jobs of these tests. Target "t" has the pointer p:t, job "1" the hash j:t:1 and the results j:t:1:r.
var jobs = invariants.Jobs{Pointer: "p:<target>", Hash: "j:<target>:<id>", Results: "j:<target>:<id>:r"}

const (
	held      = interleave.Held
	undecided = interleave.Undecided
	violated  = interleave.Violated
)

// made is a trace that is being made by hand, with the data that it leads to.
type made struct {
	trace interleave.Trace
	data  map[string]*interleave.Entry
}

// given begins a trace on some data: "p:t=1" is a string, "j:t:1=RUNNING" a hash with that status.
func given(data ...string) *made {
	m := &made{data: map[string]*interleave.Entry{}}
	for _, text := range data {
		key, e := entry(text)
		m.data[key] = e
		m.trace.Before = append(m.trace.Before, interleave.KeyState{Key: key, Value: e})
	}
	return m
}

// entry reads "key=value"; a value of "-" is none, and one with a "+" has more fields than the status.
func entry(text string) (string, *interleave.Entry) {
	key, value, _ := strings.Cut(text, "=")
	switch {
	case value == "-":
		return key, nil
	case strings.HasPrefix(key, "j:"):
		status, more, found := strings.Cut(value, "+")
		e := &interleave.Entry{Type: "hash", Items: []string{"status", status}, Expires: -1}
		if found {
			e.Items = append(e.Items, "more", more)
		}
		return key, e
	}
	return key, &interleave.Entry{Type: "string", Items: []string{value}, Expires: -1}
}

// step adds a step of an actor that names some keys, with what it changes. "A!" crashes after it, "" is the clock.
func (m *made) step(actor, keys string, changes ...string) *made {
	s := &interleave.Step{N: len(m.trace.Steps) + 1, Kind: interleave.StepOperation, Keys: strings.Fields(keys)}
	s.At = time.Duration(s.N) * time.Minute
	if s.Actor = strings.TrimSuffix(actor, "!"); s.Actor != actor {
		s.Fault = "crash"
	}
	if actor == "" {
		s.Kind = interleave.StepClock
	}
	for _, text := range changes {
		key, after := entry(text)
		s.Changes = append(s.Changes, interleave.Change{Key: key, Before: m.data[key], After: after})
		m.data[key] = after
	}
	m.trace.Steps = append(m.trace.Steps, s)
	return m
}

// undeclared adds what is found changed at the end and no step changed.
func (m *made) undeclared(text string) *made {
	key, after := entry(text)
	m.trace.Undeclared = append(m.trace.Undeclared, interleave.Change{Key: key, Before: m.data[key], After: after})
	m.data[key] = after
	return m
}

func (m *made) note(key string) *made {
	m.trace.Notes = append(m.trace.Notes, interleave.Note{Actor: "A", Key: key})
	return m
}

// states are what a judgement is asked about: the state after each step, and the final one.
func (m *made) states() (during []*interleave.State, final *interleave.State) {
	data := map[string]*interleave.Entry{}
	for _, k := range m.trace.Before {
		data[k.Key] = k.Value
	}
	at := time.Duration(0)
	for i, s := range m.trace.Steps {
		for _, c := range s.Changes {
			data[c.Key] = c.After
		}
		at = s.At
		part := interleave.Trace{Before: m.trace.Before, Steps: m.trace.Steps[:i+1]}
		during = append(during, interleave.NewState(&part, list(data), at, false))
	}
	return during, interleave.NewState(&m.trace, list(m.data), at, true)
}

func list(data map[string]*interleave.Entry) []interleave.KeyState {
	var out []interleave.KeyState
	for key, e := range data {
		if e != nil {
			out = append(out, interleave.KeyState{Key: key, Value: e})
		}
	}
	return out
}

// row is one case: what the judgement says at last, after which step it first says it (0 for only at the end), and
// words of the detail.
type row struct {
	name    string
	made    *made
	outcome interleave.Outcome
	step    int
	detail  string
}

// judgeSteps is judge for an invariant that, asked at the end alone, comes to the same.
func judgeSteps(t *testing.T, inv interleave.Invariant, rows []row) {
	t.Helper()
	judge(t, inv, rows)
	for _, r := range rows {
		_, final := r.made.states()
		v := inv.Judge(final)
		assert.Equal(t, r.outcome, v.Outcome, r.name)
		assert.Contains(t, v.Detail, r.detail, r.name)
	}
}

// judge asks as a world does: an invariant that holds always after every step, and each at the end.
func judge(t *testing.T, inv interleave.Invariant, rows []row) {
	t.Helper()
	assert.NotEmpty(t, rows)
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			during, final := r.made.states()
			step, verdict := 0, interleave.Verdict{}
			for i, s := range during {
				if inv.When == interleave.FinallyHolds {
					break
				}
				if v := inv.Judge(s); v.Outcome > verdict.Outcome {
					verdict, step = v, i+1
				}
			}
			last := inv.Judge(final)
			if last.Outcome > verdict.Outcome {
				verdict, step = last, 0
			}
			assert.Equal(t, r.outcome, verdict.Outcome, verdict.Detail)
			assert.Equal(t, r.step, step, "step")
			assert.Equal(t, r.outcome != held, verdict.Detail != "", "a detail goes with a verdict that is not held")
			assert.Contains(t, verdict.Detail, r.detail)
			assert.Equal(t, last, inv.Judge(final), "pure")
		})
	}
}
