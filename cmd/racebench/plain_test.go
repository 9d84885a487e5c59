package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/scenarios"
)

func TestPlain(t *testing.T) {
	require.Equal(t, "│ é 漢 \u00a0 ▶ → \ufffd\n", plain("│ é 漢 \u00a0 ▶ → \ufffd\n"))
	require.Equal(t, `a\x1b[31m\r\t\x00\xff\u0085\u202e`, plain("a\x1b[31m\r\t\x00\xff\u0085\u202e"))
	require.Equal(t, `a\nb`, plainLine("a\nb"))
}

func TestClip(t *testing.T) {
	require.Equal(t, strings.Repeat("é", 300), clip(strings.Repeat("é", 300)))
	long := clip("<" + strings.Repeat("é", 1000) + ">")
	require.Len(t, []rune(long), 300)
	require.True(t, strings.HasPrefix(long, "<é") && strings.HasSuffix(long, "é>") && strings.Contains(long, "é…é"), long)
}

// A program that keeps what is bad for a terminal in its keys, values, notes and errors.
func TestNothingRawReachesTheTerminal(t *testing.T) {
	spoil(t, "A1", func(v *scenarios.Variant) {
		v.World = func(w *interleave.World, _ string) {
			w.Actor("A", func(a *interleave.Actor) error {
				ctx := a.Context()
				a.Redis().Set(ctx, "key\x1b[2J\n\xff", "value\x1b]0;x\a"+strings.Repeat("long", 200)+"end", 0)
				a.Redis().LPush(ctx, "key\x1b[2J\n\xff", "\x1b[31m")
				a.Note("note\x1b[2J", "\x1b[31m\x9b")
				return errors.New("first \x1b[2J\rline\nsecond\x9b")
			})
		}
		v.Count = nil
	})
	dir := t.TempDir()
	for _, args := range [][]string{
		{"replay", "A1", "", "--changes"},
		{"replay", "A1", "A.GET"},
		{"replay", "A1", "A.SET A.GET"},
		{"explore", "A1"},
		{"run", "A1", "--impl", "naive", "--repeat", "1", "--out", dir},
	} {
		code, stdout, stderr := outputs(t, args...)
		require.Contains(t, []int{codeUnexpected, codeUsage}, code, args)
		require.NotRegexp(t, "[\\x00-\\x09\\x0b-\\x1f\\x7f]", stdout+stderr, args)
		require.NotContains(t, stdout+stderr, "\xff", args)
		require.NotContains(t, stdout+stderr, "\x9b", args)
		require.NotContains(t, stdout, "\nsecond", "an error of an actor stays on its line")
	}
	_, stdout, _ := outputs(t, "replay", "A1", "", "--changes")
	require.Contains(t, stdout, `  "key\x1b[2J\n\xff" = "value\x1b]0;x\a`)
	require.Contains(t, stdout, `long…`)
	require.Contains(t, stdout, `first \x1b[2J\rline\nsecond\x9b`)
	_, stdout, _ = outputs(t, "replay", "A1", "", "--json")
	require.Contains(t, stdout, strings.Repeat("long", 200), "JSON keeps all")
}
