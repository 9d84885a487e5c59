package schedule_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/racebench/racebench/interleave/schedule"
)

// print(parse(x)) = x for text in printed form, which is put together without the printer.
func TestPrintOfParseIsTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := strings.Join(genPrinted.Draw(t, "words"), " ")
		s, err := schedule.Parse(x)
		require.NoError(t, err)
		require.Equal(t, x, s.String())
	})
}

// Layout, comments, the case of commands and @1 do not change what a text means.
func TestLayoutDoesNotCount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := genPrinted.Draw(t, "words")
		want, err := schedule.Parse(strings.Join(words, " "))
		require.NoError(t, err)
		for i, w := range words {
			if name, op, ok := strings.Cut(w, "."); ok && strings.HasPrefix(op, "GET") {
				words[i] = name + ".gEt" + strings.TrimPrefix(op, "GET")
			}
			if w == "!failover" {
				words[i] = "!failover(1)"
			}
			if d, ok := strings.CutPrefix(w, "run "); ok {
				words[i] = "run \n " + d
			}
		}
		src := lay(t, words)
		got, err := schedule.Parse(src)
		require.NoError(t, err)
		require.True(t, got.Equal(want), "%q\n%s", src, explain(got))
	})
}

// parse(print(s)) = s for syntax trees built in code, odd keys included.
func TestParseOfPrintIsTheTree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := genSchedule.Draw(t, "schedule")
		require.LessOrEqual(t, clockOf(s), schedule.MaxClock)
		require.NoError(t, s.Validate())
		got, err := schedule.Parse(s.String())
		require.NoError(t, err)
		require.True(t, got.Equal(s), "text %s\ngot\n%swant\n%s", s, explain(got), explain(s))
		require.NoError(t, got.Validate())
	})
}

func TestConstraintsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cs := genConstraints.Draw(t, "constraints")
		text := schedule.FormatConstraints(cs)
		got, err := schedule.ParseConstraints(text)
		require.NoError(t, err)
		require.Len(t, got, len(cs))
		for i := range cs {
			require.True(t, got[i].Equal(cs[i]), text)
		}
		require.Equal(t, text, schedule.FormatConstraints(got))
	})
}

// What Validate accepts can be read back, and what it refuses either does not parse or means something else: a tree
// with one field changed is never taken for another one in silence.
func TestValidateIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tok := genToken.Draw(t, "token")
		switch rapid.IntRange(0, 9).Draw(t, "change") {
		case 0:
			tok.Actor = rapid.SampledFrom([]string{"", "run", "1", "a b", "A", "é", "*"}).Draw(t, "actor")
		case 1:
			tok.Match.Command = rapid.SampledFrom([]string{"", "get", "GET", "XGROUP CREATE", "A.B", "1", "DELIVER", "ARIVE", "POINT", "POINTS", "Point", schedule.Point}).Draw(t, "command")
		case 2:
			tok.Match.Keys = rapid.SampledFrom([][]string{nil, {}, {"k"}, {"a", " "}}).Draw(t, "keys")
		case 3:
			tok.Match.Nth = rapid.SampledFrom([]int{-1, 0, 1, 2, schedule.MaxN + 1}).Draw(t, "nth")
		case 4:
			tok.Fault = schedule.Fault(rapid.IntRange(-1, int(schedule.Drop)+1).Draw(t, "fault"))
		case 5:
			tok.Duration = rapid.SampledFrom([]time.Duration{-1, 0, 1, schedule.MaxClock + 1}).Draw(t, "duration")
		case 6:
			tok.N = rapid.SampledFrom([]int{-1, 0, 1, 2, schedule.MaxN + 1}).Draw(t, "n")
		case 7:
			tok.Kind = schedule.Kind(rapid.IntRange(-1, int(schedule.Evict)+1).Draw(t, "kind"))
		case 8:
			tok.Match.Server = rapid.SampledFrom([]string{"", "r1", "1", "a b", "é", "*"}).Draw(t, "server")
		case 9:
			tok.Server = rapid.SampledFrom([]string{"", "r1", "1", "a b", "é", "*"}).Draw(t, "server")
		}
		got, err := schedule.Parse(tok.String())
		same := err == nil && len(got) == 1 && got[0].Equal(tok)
		require.Equal(t, same, tok.Validate() == nil, "%s\nvalidate: %v\nparse: %v", explain(schedule.Schedule{tok}), tok.Validate(), err)
	})
}
