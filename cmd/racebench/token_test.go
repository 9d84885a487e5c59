package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/interleave/schedule"
	"github.com/racebench/racebench/scenarios"
)

// everyWorld calls f with each variant of the catalogue, and with another number of actors where there is one.
func everyWorld(t *testing.T, f func(s *scenarios.Scenario, impl string, v *scenarios.Variant)) {
	for _, s := range scenarios.All() {
		for _, c := range s.Cases {
			for i := range c.Variants {
				v := &c.Variants[i]
				f(s, c.Impl, v)
				if v.Sized != nil {
					sized, err := v.With(v.Sizes.Most)
					require.NoError(t, err)
					f(s, c.Impl, sized)
				}
			}
		}
	}
}

// The name in a token is enough to have the world again, and no name is so long that tokens would cut it.
func TestNamesOfTokens(t *testing.T) {
	seen := map[string]bool{}
	everyWorld(t, func(s *scenarios.Scenario, impl string, v *scenarios.Variant) {
		name := scenarios.Name(s, impl, v)
		require.Equal(t, name, schedule.CompactName(name))
		require.False(t, seen[name], "two worlds are called %s", name)
		seen[name] = true
		gotS, gotImpl, got, err := ofToken(name)
		require.NoError(t, err)
		require.Equal(t, []any{s.ID, impl, v.Name, v.Actors}, []any{gotS.ID, gotImpl, got.Name, got.Actors}, name)
	})
	require.True(t, seen["A1.naive"] && seen["A6.naive.2"] && seen["X1.naive.a8"], "%v", seen)
	for name, why := range map[string]string{ // any order: each is looked at alone
		"A1":           "it names no implementation",
		"Z9.naive":     "there is no race Z9",
		"A1.nobody":    `A1 says nothing about the implementation "nobody"`,
		"A1.naive.2":   `A1 on naive has 1 variants, and no "2"`,
		"A1.naive.a3":  "3 actors: the number of its actors is fixed",
		"X1.naive.a99": "99 actors: it has from 2 to 8 actors",
		"X1.naive.a3.": `"a3." is no number of actors`,
		"X1.naive.x":   `and no "x"`,
	} {
		_, _, _, err := ofToken(name)
		require.ErrorContains(t, err, why, name)
	}
}

// Every violation of the catalogue has a token, which gives the same run; with 30 choices or fewer it fits a line.
func TestTokensOfTheCatalogue(t *testing.T) {
	runner, err := interleave.Open(interleave.For(t))
	require.NoError(t, err)
	defer func() { require.NoError(t, runner.Close()) }()
	violations, longest := 0, 0
	everyWorld(t, func(s *scenarios.Scenario, impl string, v *scenarios.Variant) {
		world := func(w *interleave.World) { v.World(w, scenarios.Target) }
		res, err := runner.Run(v.Schedule, world)
		require.NoError(t, err)
		if res.Outcome() != interleave.Violated {
			return
		}
		violations++
		name := scenarios.Name(s, impl, v)
		token := runner.Token(res, name, world)
		c, err := schedule.ParseCompact(token)
		require.NoError(t, err, name)
		if len(c.Choices) <= 30 {
			longest = max(longest, len(token))
			require.LessOrEqual(t, len(token), schedule.MaxLine, "%s: %d choices", token, len(c.Choices))
		}
		again, err := runner.Run(token, world)
		require.NoError(t, err)
		require.NoError(t, again.Err, token)
		require.Equal(t, res.Trace.String(), again.Trace.String(), token)
		require.Equal(t, res.Verdicts, again.Verdicts, token)
	})
	require.Greater(t, violations, 15)
	t.Logf("%d violations; the longest token has %d characters", violations, longest)
}

// A long schedule is shown as its token in the command that replays it.
func TestLongScheduleIsShownAsItsToken(t *testing.T) {
	code, stdout, _ := outputs(t, "replay", "X2")
	require.Equal(t, codeUnexpected, code)
	_, token, ok := strings.Cut(stdout, "\ntoken:   ")
	require.True(t, ok, stdout)
	token, command, _ := strings.Cut(token, "\n")
	require.Equal(t, "replay:  racebench replay "+token+"\n", command)
	_, again, _ := outputs(t, "replay", token)
	require.Equal(t, stdout, again)
}
