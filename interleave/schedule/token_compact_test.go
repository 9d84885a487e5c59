package schedule_test

import (
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/racebench/racebench/interleave/schedule"
)

// genCompact draws any token.
var genCompact = rapid.Custom(func(t *rapid.T) *schedule.Compact {
	prints, choices := []schedule.Print{}, []schedule.Choice{}
	for range rapid.IntRange(0, 30).Draw(t, "steps") {
		p := schedule.Print(rapid.IntRange(0, 4095).Draw(t, "print"))
		if rapid.IntRange(0, 9).Draw(t, "none") == 0 {
			p = schedule.AnyPrint
		}
		prints = append(prints, p)
		if !rapid.Bool().Draw(t, "choice") {
			continue
		}
		tok := genToken.Draw(t, "token")
		actor := 0
		if tok.Kind <= schedule.Deliver {
			actor = rapid.IntRange(1, 5).Draw(t, "actor")
		}
		choices = append(choices, schedule.Choice{Step: len(prints), Actor: actor, Token: tok})
	}
	return schedule.NewCompact(rapid.SampledFrom(compactNames).Draw(t, "name"), prints, choices, rapid.Bool().Draw(t, "open"))
})

var compactNames = []string{"", "A1.naive", "TestTwoStartsOneJob", "TestJobs/two_starts#01", "TestÄ", "a.b..", strings.Repeat("Test", 30)}

func TestCompactRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := genCompact.Draw(t, "token")
		text := c.String()
		back, err := schedule.ParseCompact(text)
		require.NoError(t, err)
		require.Equal(t, text, back.String())
		require.Equal(t, c.Name, back.Name)
		require.Equal(t, c.Prints, back.Prints)
		require.Equal(t, c.Digest, back.Digest)
		require.Equal(t, c.Open, back.Open)
		require.Len(t, back.Choices, len(c.Choices))
		for i, x := range c.Choices {
			y := back.Choices[i]
			require.Equal(t, x.Step, y.Step)
			require.Equal(t, x.Actor, y.Actor)
			y.Token.Actor, x.Token.Actor = "", ""
			require.True(t, x.Token.Equal(y.Token), "%v and %v", x.Token, y.Token)
		}
		for i, p := range c.Prints {
			require.True(t, back.Fits(i+1, p))
		}
	})
}

// Whatever happens to one letter, or to two neighbours, is noticed: that is what the checksum is for.
func TestCompactCorruption(t *testing.T) {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	rapid.Check(t, func(t *rapid.T) {
		text := genCompact.Draw(t, "token").String()
		at := rapid.IntRange(0, len(text)-1).Draw(t, "at")
		bad := []byte(text)
		switch rapid.IntRange(0, 3).Draw(t, "how") {
		case 0:
			bad[at] = letters[rapid.IntRange(0, 63).Draw(t, "letter")]
		case 1:
			bad = append(bad[:at:at], bad[at+1:]...)
		case 2:
			bad = append(bad[:at:at], append([]byte{'x'}, text[at:]...)...)
		default:
			if at > 0 {
				bad[at-1], bad[at] = bad[at], bad[at-1]
			}
		}
		if string(bad) == text {
			return
		}
		_, err := schedule.ParseCompact(string(bad))
		var e *schedule.Error
		require.ErrorAs(t, err, &e, "%s\n%s", text, bad)
	})
}

// lineRun draws a run as a world gives it: a few actors, that each say what they always say, on keys of their own and on
// shared ones.
func lineRun(t *rapid.T, choices int) ([]schedule.Print, []schedule.Choice) {
	actors := rapid.IntRange(2, 4).Draw(t, "actors")
	words := rapid.SliceOfN(rapid.SampledFrom(strings.Fields("GET SET HSET DEL EVAL HGETALL ZRANGEBYSCORE XREADGROUP LMOVE INCR EXPIRE SREM EXEC HINCRBY")), 2, 6).Draw(t, "commands")
	keys := rapid.IntRange(1, 8).Draw(t, "keys")
	printOf := make([]schedule.Print, keys)
	for i := range printOf {
		printOf[i] = schedule.Print(rapid.IntRange(0, 4095).Draw(t, "key"))
	}
	var prints []schedule.Print
	var out []schedule.Choice
	for len(out) < choices {
		for rapid.IntRange(0, 9).Draw(t, "forced") == 0 {
			prints = append(prints, schedule.Print(rapid.IntRange(0, 4095).Draw(t, "print")))
		}
		prints = append(prints, printOf[rapid.IntRange(0, keys-1).Draw(t, "which")])
		word := rapid.SampledFrom(words).Draw(t, "word")
		out = append(out, schedule.Choice{
			Step: len(prints), Actor: rapid.IntRange(1, actors).Draw(t, "actor"),
			Token: schedule.Token{Kind: schedule.Op, Match: schedule.Match{Command: word, Nth: 1}},
		})
	}
	for range rapid.IntRange(0, 8).Draw(t, "tail") {
		prints = append(prints, schedule.Print(rapid.IntRange(0, 4095).Draw(t, "print")))
	}
	return prints, out
}

// 30 choices fit a line, with the name of a test.
func TestCompactFitsALine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		prints, choices := lineRun(t, 30)
		c := schedule.NewCompact("TestTwoStartsOneJob", prints, choices, false)
		if n := len(c.String()); n > schedule.MaxLine {
			t.Fatalf("%d characters: %s", n, c)
		}
		back, err := schedule.ParseCompact(c.String())
		require.NoError(t, err)
		require.Len(t, back.Choices, 30)
	})
}

// A token survives a shell without quotes, and a URL without escapes.
func TestCompactIsSafe(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("needs a shell: any POSIX sh on PATH")
	}
	rapid.Check(t, func(t *rapid.T) {
		text := genCompact.Draw(t, "token").String()
		require.Equal(t, text, url.QueryEscape(text))
		require.Equal(t, text, url.PathEscape(text))
		require.False(t, strings.HasPrefix(text, "-"))
		require.True(t, schedule.IsCompact(text))
		_, err := schedule.Parse(text)
		require.Error(t, err, "no schedule looks like a token")
	})
	text := genCompact.Example(7).String()
	out, err := exec.Command(sh, "-c", "printf %s "+text).Output()
	require.NoError(t, err)
	assert.Equal(t, text, string(out))
}

func TestCompactErrors(t *testing.T) {
	good := schedule.NewCompact("A1.naive", []schedule.Print{1, 2}, nil, false).String()
	for text, want := range map[string]string{ // any order: each is looked at alone
		"":                                    "this is no whole token",
		"1":                                   "this is no whole token",
		"1.A1":                                "this is no whole token",
		"1.A1.":                               "ends too early",
		"2" + good[1:]:                        "a token of version 2; allowed: version 1",
		good + "é":                            `a token has no 'é'; allowed: letters, digits, _, - and dots`,
		good[:len(good)-1]:                    "the checksum of this token is wrong",
		strings.Replace(good, "A1", "A2", 1):  "the checksum of this token is wrong",
		"1.A1.A" + good[len("1.A1.naive.B"):]: "does not begin with A",
	} {
		_, err := schedule.ParseCompact(text)
		var e *schedule.Error
		require.ErrorAs(t, err, &e, "%q", text)
		assert.Contains(t, e.Error(), want, "%q", text)
	}
}

func TestCompactName(t *testing.T) {
	assert.Equal(t, "TestJobs.two_st_01", schedule.CompactName("TestJobs/two st#01"))
	long := schedule.CompactName("TestThatHasAVeryLongNameIndeed")
	assert.Len(t, long, 19)
	assert.NotEqual(t, long, schedule.CompactName("TestThatHasAVeryLongNameIndeeD"))
}

// TestCompactFormat keeps what version 1 is. A token that was printed once must be read for ever.
func TestCompactFormat(t *testing.T) {
	op := func(step, actor int, command string) schedule.Choice {
		return schedule.Choice{Step: step, Actor: actor, Token: schedule.Token{Kind: schedule.Op, Match: schedule.Match{Command: command, Nth: 1}}}
	}
	c := schedule.NewCompact("A1.naive", []schedule.Print{5, 5, 9, 3, 9, 3}, []schedule.Choice{
		op(1, 1, "GET"), op(2, 2, "GET"), op(3, 1, "HSET"), op(4, 1, "SET"),
	}, false)
	want, err := os.ReadFile("testdata/compact.txt")
	require.NoError(t, err)
	require.Equal(t, strings.TrimSpace(string(want)), c.String(), "the format of version %s has changed", "1")
}

func FuzzCompact(f *testing.F) {
	for i := range 20 {
		f.Add(genCompact.Example(i).String())
	}
	f.Add("1.A1.naive.BAAAAA")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := schedule.ParseCompact(text)
		if err != nil {
			var e *schedule.Error
			require.ErrorAs(t, err, &e)
			return
		}
		require.Equal(t, strings.TrimSpace(text), c.String())
	})
}

func ExampleParseCompact() {
	c, err := schedule.ParseCompact("1.A1.naive.X")
	fmt.Println(c, err)
	// Output: <nil> line 1, column 12: the checksum of this token is wrong: a character was lost or has changed
}
