package wire_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/racebench/racebench/interleave/wire"
)

func TestCommandsRoundTripAndArriveInPieces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		args := rapid.SliceOfN(rapid.String(), 1, 5).Draw(t, "args")
		raw := wire.AppendCommand(nil, args...)
		for cut := range raw {
			got, n, err := wire.ReadCommand(raw[:cut])
			if got != nil || n != 0 || err != nil {
				t.Fatalf("the first %d of %d bytes are a command: %q, %d, %v", cut, len(raw), got, n, err)
			}
		}
		got, n, err := wire.ReadCommand(append(raw, "*1"...))
		if err != nil || n != len(raw) || fmt.Sprint(got) != fmt.Sprint(args) {
			t.Fatalf("%q, %d, %v", got, n, err)
		}
	})
}

func TestInlineAndBrokenCommands(t *testing.T) {
	args, n, err := wire.ReadCommand([]byte("GET  k\r\nrest"))
	require.NoError(t, err)
	require.Equal(t, []string{"GET", "k"}, args)
	require.Equal(t, 8, n)
	for _, text := range []string{"*x\r\n", "*1\r\n:1\r\n", "*1\r\n$x\r\n", "*1\r\n$-1\r\n", "*9999999\r\n", "*1\r\n$999999999999\r\n"} {
		_, _, err := wire.ReadCommand([]byte(text))
		require.ErrorIs(t, err, wire.ErrProtocol, "%q", text)
	}
}

func TestValues(t *testing.T) {
	for raw, text := range map[string]string{
		"+OK\r\n":                         "OK",
		"-ERR no\r\n":                     "ERR no",
		":-7\r\n":                         "-7",
		"$5\r\na b\rc\r\n":                `"a b\rc"`,
		"$0\r\n\r\n":                      `""`,
		"$-1\r\n":                         "nil",
		"*-1\r\n":                         "nil",
		"_\r\n":                           "nil",
		"#t\r\n":                          "true",
		",1.5\r\n":                        "1.5",
		"(12345678901234567890\r\n":       "12345678901234567890",
		"!5\r\nERR x\r\n":                 "ERR x",
		"=7\r\ntxt:abc\r\n":               "abc",
		"*2\r\n:1\r\n*1\r\n$1\r\nx\r\n":   "[1, [x]]",
		"~2\r\n:1\r\n:2\r\n":              "[1, 2]",
		"%1\r\n$1\r\nk\r\n:1\r\n":         "{k: 1}",
		">2\r\n+message\r\n$1\r\nm\r\n":   "[message, m]",
		"|1\r\n+ttl\r\n:9\r\n$1\r\nv\r\n": "v",
	} {
		v, n, err := wire.Parse([]byte(raw + "+next\r\n"))
		require.NoError(t, err, "%q", raw)
		require.Equal(t, len(raw), n, "%q", raw)
		require.Equal(t, text, v.String(), "%q", raw)
		for cut := range raw {
			_, n, err := wire.Parse([]byte(raw[:cut]))
			require.NoError(t, err, "%q", raw[:cut])
			require.Zero(t, n, "%q", raw[:cut])
		}
	}
	all, err := wire.ParseAll([]byte(":1\r\n:2\r\n"))
	require.NoError(t, err)
	require.Len(t, all, 2)
	_, err = wire.ParseAll([]byte(":1\r\n:2"))
	require.ErrorIs(t, err, wire.ErrProtocol)
	_, _, err = wire.Parse([]byte(strings.Repeat("*1\r\n", 100) + ":1\r\n"))
	require.ErrorIs(t, err, wire.ErrProtocol, "nested too deep")
}

// FuzzParse: no bytes make a reader panic or read beyond what it was given.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"+OK\r\n", "*2\r\n$1\r\na\r\n", "%1\r\n+k\r\n:1\r\n", "|1\r\n+a\r\n:1\r\n+b\r\n", "*1048577\r\n", "$-2\r\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if v, n, err := wire.Parse(b); err == nil {
			if n < 0 || n > len(b) {
				t.Fatalf("%d of %d bytes", n, len(b))
			}
			_ = v.String()
		}
		if _, n, err := wire.ReadCommand(b); err == nil && (n < 0 || n > len(b)) {
			t.Fatalf("%d of %d bytes", n, len(b))
		}
	})
}
