package schedule_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/interleave/schedule"
)

var update = flag.Bool("update", false, "rewrite testdata/*.golden; read the diff before it is committed")

// Each line of the file that begins with `schedule` or `constraints` holds a text as a Go string; below it stands what
// is said about it, Error first, then Caret.
func TestErrors(t *testing.T) {
	const file = "testdata/errors.golden"
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	var (
		out   strings.Builder
		cases int
	)
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		verb, quoted, _ := strings.Cut(line, " ")
		switch {
		case strings.HasPrefix(line, "# "):
			fmt.Fprintf(&out, "%s\n\n", line)
			continue
		case verb != "schedule" && verb != "constraints":
			continue
		}
		src, err := strconv.Unquote(quoted)
		require.NoError(t, err, line)
		var e *schedule.Error
		require.True(t, errors.As(parseAs(verb, src), &e), "%s parses", line)
		checkError(t, src, e)
		fmt.Fprintf(&out, "%s\n%s\n%s\n\n", line, e.Error(), e.Caret())
		cases++
	}
	require.Greater(t, cases, 80)
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(out.String()), 0o644))
		return
	}
	require.Equal(t, string(data), out.String(), "run with -update, and read the diff")
}

func parseAs(verb, src string) error {
	if verb == "constraints" {
		_, err := schedule.ParseConstraints(src)
		return err
	}
	_, err := schedule.Parse(src)
	return err
}

func TestLimits(t *testing.T) {
	full := strings.Repeat("A ", schedule.MaxTokens)
	s, err := schedule.Parse(full)
	require.NoError(t, err)
	require.Len(t, s, schedule.MaxTokens)
	require.NoError(t, s.Validate())
	require.ErrorContains(t, append(s, s[0]).Validate(), "100001 tokens, more than the 100000 allowed")

	_, err = schedule.Parse(full + "A")
	require.EqualError(t, err, "line 1, column 200001: more than the 100000 tokens allowed")

	_, err = schedule.Parse(strings.Repeat(" ", schedule.MaxSource))
	require.NoError(t, err)
	_, err = schedule.Parse(strings.Repeat(" ", schedule.MaxSource+1))
	require.EqualError(t, err, "line 1, column 1: the text has 1048577 bytes, more than the 1048576 allowed")

	_, err = schedule.ParseConstraints(strings.Repeat("A.X ", schedule.MaxTokens) + "< A.Y")
	require.ErrorContains(t, err, "more than the 100000 patterns allowed")

	hundredYears := schedule.Schedule{{Kind: schedule.Advance, Duration: schedule.MaxClock}}
	require.NoError(t, hundredYears.Validate())
	third := schedule.Token{Kind: schedule.Run, Duration: schedule.MaxClock/3 + 1}
	over := schedule.Schedule{third, third, third}
	require.ErrorContains(t, over.Validate(), "token 3: the clock moves of this schedule exceed 876000h together")
}

// A place far along one long line is cut to what fits a terminal.
func TestCaretCutsLongLines(t *testing.T) {
	for _, fill := range []string{"A.GET ", "A.GET(日本語) "} {
		src := strings.Repeat(fill, 1000) + "A!crahs " + strings.Repeat(fill, 1000)
		_, err := schedule.Parse(src)
		var e *schedule.Error
		require.True(t, errors.As(err, &e))
		lines := strings.Split(e.Caret(), "\n")
		assert.Equal(t, 102, len([]rune(lines[0])), lines[0])
		assert.True(t, strings.HasPrefix(lines[0], "…") && strings.HasSuffix(lines[0], "…"), lines[0])
		assert.Contains(t, lines[0], "A!crahs")
	}
}

// Positions of the tokens on one line of the largest size are found in one pass. A second one a token would take minutes.
func TestLongLineIsLinear(t *testing.T) {
	src := strings.Repeat("A.GET(k1) ", schedule.MaxTokens)
	start := time.Now()
	s, err := schedule.Parse(src[:len(src)-1])
	require.NoError(t, err)
	require.Equal(t, schedule.Pos{Offset: 999_990, Line: 1, Col: 999_991}, s[len(s)-1].Pos)
	require.Less(t, time.Since(start), 20*time.Second)
}
