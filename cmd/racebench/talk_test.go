package main

import (
	"bytes"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestToASCII(t *testing.T) {
	for text, want := range map[string]string{
		"A.GET → nil…":         "A.GET -> nil...",
		"✗ ▶ ─┼─ │":            "x > -+- |",
		"job:é = 日":            `job:\u00e9 = \u65e5`,
		"a\xffb":               `a\xffb`,
		"plain, {} \"quoted\"": "plain, {} \"quoted\"",
	} {
		require.Equal(t, want, toASCII(text))
	}
}

func TestLocale(t *testing.T) {
	for text, utf8 := range map[string]bool{
		"": true, "LANG=C": false, "LANG=en_US.UTF-8": true, "LANG=C LC_ALL=C.utf8": true, "LC_ALL=POSIX LANG=ko_KR.UTF-8": false, "LC_CTYPE=de_DE.ISO-8859-1": false,
	} {
		env := map[string]string{}
		for _, f := range strings.Fields(text) {
			name, value, _ := strings.Cut(f, "=")
			env[name] = value
		}
		require.Equal(t, utf8, utf8Locale(func(name string) string { return env[name] }), text)
	}
}

// printed is what a command prints, on standard output and on standard error.
func printed(t *testing.T, line string) (out, said string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	run(strings.Fields(line), nil, &stdout, &stderr)
	return stdout.String(), stderr.String()
}

// --ascii is about what a person reads; a program gets what there is.
func TestASCIIEverywhere(t *testing.T) {
	beyond := regexp.MustCompile(`[^\x00-\x7f]`)
	for _, line := range []string{"run A1 B10 C3 --repeat 1 --out " + t.TempDir(), "replay A1", "explore A2 --why", "fuzz A1 --impl naive --max 60", "show B4", "list", "help schedule", "explore X1 A7 --strategy all --trials 1 --max 9"} {
		out, said := printed(t, line+" --ascii")
		require.NotEmpty(t, out)
		require.NotRegexp(t, beyond, out+said, line)
	}
	for _, line := range []string{"replay A1 --json", "replay A1 --svg -", "replay A1 --html -"} {
		with, _ := printed(t, line+" --ascii")
		without, _ := printed(t, line)
		require.Equal(t, without, with, line)
	}
}

func TestQuietAndVerbose(t *testing.T) {
	for _, line := range []string{"replay A1", "explore A1", "fuzz A1 --impl naive --max 60", "run A1 --repeat 1 --out " + t.TempDir()} {
		usual, nothing := printed(t, line)
		quiet, _ := printed(t, line+" --quiet")
		again, said := printed(t, line+" -v")
		require.Empty(t, nothing, line)
		require.Contains(t, usual, "│", line)
		require.NotContains(t, quiet, "│", line)
		require.NotContains(t, quiet, "story:", line)
		require.Equal(t, len(strings.Split(usual, "\n")), len(strings.Split(again, "\n")), "times differ, lines do not: %s", line)
		require.Regexp(t, `(?m)^racebench: .*\d`, said, line)
	}
	_, said := printed(t, "replay A1 -q -v")
	require.Equal(t, "racebench: --quiet and --verbose say the opposite\nhint: leave one of them out\n", said)
}

// --wide leaves nothing out, however long it is.
func TestWide(t *testing.T) {
	folded, _ := printed(t, "replay A1")
	wide, _ := printed(t, "replay A1 --wide")
	const whole = "HSET job:{doc-1}:a1 status RUNNING total 3 processed 0 created_at 946684800000 → 4"
	require.NotContains(t, folded, whole)
	require.Contains(t, wide, whole)
}

// --watch shows every order that is run, at the pace that is asked for.
func TestWatch(t *testing.T) {
	shown, _ := printed(t, "explore X1 --watch --pace 0")
	require.Equal(t, 4, len(regexp.MustCompile(`(?m)^order \d+$`).FindAllString(shown, -1)))
	require.Equal(t, 2+1, strings.Count(shown, "\nviolated: \"every addition counts\" after step 4"), "two of the four, and the one that is explained at the end")
	plain, _ := printed(t, "explore X1")
	require.True(t, strings.HasSuffix(shown, plain), "it ends as it does without")
	// Where nobody reads it, it does not wait for anybody to look: this would take hours.
	r, broken, err := os.Pipe()
	require.NoError(t, err)
	require.NoError(t, r.Close())
	require.Equal(t, codeUnexpected, run(strings.Fields("explore X1 --watch --pace 1h"), nil, broken, io.Discard))
	require.NoError(t, broken.Close())
	began := time.Now()
	run(strings.Fields("explore X1 --watch --pace 5ms"), nil, io.Discard, io.Discard)
	require.GreaterOrEqual(t, time.Since(began), 4*(4+1+3)*5*time.Millisecond, "four orders of four steps, each with its verdict")
}

// merge says as much as explore would.
func TestMergeTalks(t *testing.T) {
	dir := t.TempDir()
	for i, shard := range []string{"1/2", "2/2"} {
		_, said := printed(t, "explore X1 --shard "+shard+" --out "+dir+"/"+string(rune('a'+i))+".json")
		require.NotContains(t, said, "racebench: ")
	}
	merged := "merge " + dir + "/a.json " + dir + "/b.json"
	usual, _ := printed(t, merged)
	quiet, _ := printed(t, merged+" --quiet")
	require.Contains(t, usual, "│")
	require.NotContains(t, quiet, "│")
	require.Contains(t, quiet, "2 of 4 orders violate, all explored")
	_, said := printed(t, merged+" -v")
	require.Contains(t, said, "racebench: embedded miniredis")
}
