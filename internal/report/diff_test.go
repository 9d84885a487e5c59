package report

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func explored(verdict string, violating, orders int, complete bool, invariants ...string) *Exploration {
	x := &Exploration{Scenario: "A1", Name: "n", Impl: "naive", Violating: violating, Orders: orders, Exhausted: complete}
	if err := x.Verdict.UnmarshalText([]byte(verdict)); err != nil {
		panic(err)
	}
	for _, i := range invariants {
		x.Violations = append(x.Violations, Violation{Invariant: i})
	}
	return x
}

func TestDiff(t *testing.T) {
	held, undecided, one := explored("held", 0, 14, true), explored("undecided", 0, 9, false), explored("violated", 2, 14, true, "i")
	two, more := explored("violated", 2, 14, true, "i", "k"), explored("violated", 3, 14, true, "i")
	cut := explored("violated", 1, 3, false, "i")
	for _, c := range []struct {
		what   string
		a, b   *Exploration
		worse  string
		better string
		other  string
	}{
		{"nothing", one, one, "", "", ""},
		{"held, then violated", held, one, "A1 n, naive: was held (0 of 14 orders violate); is violated (2 of 14 orders violate)", "A1 n, naive: was violated (2 of 14 orders violate); is held (0 of 14 orders violate)", ""},
		{"held, then nobody knows", held, undecided, "A1 n, naive: was held (0 of 14 orders violate); is undecided (0 of 9 (not all) orders violate)", "A1 n, naive: was undecided (0 of 9 (not all) orders violate); is held (0 of 14 orders violate)", ""},
		{"one more invariant", one, two, "A1 n, naive: new: k", "A1 n, naive: gone: k", ""},
		{"more orders", one, more, "A1 n, naive: 3 of 14 orders violate; were 2 of 14", "A1 n, naive: 2 of 14 orders violate; were 3 of 14", ""},
		{"a part of the orders", one, cut, "", "", "A1 n, naive: 1 of 3 (not all) orders violate; were 2 of 14"},
	} {
		d, err := Diff(c.a, c.b)
		require.NoError(t, err)
		require.Equal(t, []string{c.worse, c.other}, []string{only(d.Worse), only(d.Other)}, c.what)
		require.Empty(t, d.Better, c.what)
		back, err := Diff(c.b, c.a)
		require.NoError(t, err)
		require.Equal(t, c.better, only(back.Better), "%s, the other way round", c.what)
		require.Empty(t, back.Worse, "%s, the other way round", c.what)
	}
	_, err := Diff(one, &Run{})
	require.EqualError(t, err, "they are of different kinds: exploration and run")
}

func only(lines []string) string {
	if len(lines) == 1 {
		return lines[0]
	}
	return ""
}

// Of a run, what vanished is worse, and what is new is as good as it is.
func TestDiffOfRuns(t *testing.T) {
	good := Result{Scenario: "A1", Name: "n", Impl: "lua", AsExpected: true}
	bad := Result{Scenario: "A2", Name: "m", Impl: "lua", Differences: []string{"it's off"}}
	d, err := Diff(&Run{Backend: Backend{"embedded", "1"}, Results: []Result{good}}, &Run{Backend: Backend{"process", "7"}, Results: []Result{bad}})
	require.NoError(t, err)
	require.Equal(t, []string{"A2 m, lua: is new: not as the catalogue expects: it's off", "A1 n, lua: is not there any more; was as the catalogue expects"}, d.Worse)
	require.Equal(t, []string{"backend: was embedded 1, is process 7"}, d.Other)
	d, err = Diff(&Run{}, &Run{Results: []Result{good}})
	require.NoError(t, err)
	require.Equal(t, []string{"A1 n, lua: is new: as the catalogue expects"}, d.Other)
	require.Empty(t, d.Worse)
	require.Empty(t, d.Better)

	d, err = Diff(&Fuzz{Impls: []FuzzImpl{{Impl: "naive", Verdict: "undecided", Missing: []string{"A1"}}}}, &Fuzz{Impls: []FuzzImpl{{Impl: "naive", Verdict: "undecided", Missing: []string{"A1", "A2"}}}})
	require.NoError(t, err)
	require.Equal(t, []string{"drawn worlds, naive: new: A2 is not found"}, d.Worse)
}
