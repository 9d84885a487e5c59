package command_test

import (
	"flag"
	"fmt"
	"os"
	"sort"
	"strings"
	"testing"

	"github.com/racebench/racebench/interleave/command"
	"github.com/racebench/racebench/interleave/wire"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write table.txt anew from the redis-server on PATH")

const tableHead = `# What redis-server 7.0 answers to COMMAND. Made by: go test ./interleave/command -run TestTable -update
# NAME arity flags, then one key spec a column: access and flags : begin : keys
#   begin  iN        at word N             kWORD,N  after WORD, looked for from word N (backwards when negative)
#   keys   rL,S,H    last key, step, limit nC,F,S   where the count stands, first key, step
`

// TestTable compares the table with a real server.
func TestTable(t *testing.T) {
	s := startRealServer(t)
	version := s.do(t, "INFO", "server").Text()
	if !strings.Contains(version, "redis_version:7.0.") {
		if requires("redis-7.0") || *update {
			t.Fatalf("needs a redis-server 7.0, have\n%s", version)
		}
		t.Skip("the table is of redis-server 7.0, another version is on PATH: apt-get install redis-server (Debian 12)")
	}
	var lines []string
	for _, c := range s.do(t, "COMMAND").Elems {
		own := []string{commandLine(t, c)}
		for _, sub := range c.Elems[9].Elems {
			own = append(own, commandLine(t, sub))
		}
		sort.Strings(own[1:])
		lines = append(lines, strings.Join(own, ""))
	}
	sort.Strings(lines)
	got := tableHead + strings.Join(lines, "")
	if *update {
		require.NoError(t, os.WriteFile("table.txt", []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile("table.txt")
	require.NoError(t, err)
	require.Equal(t, string(want), got)
	require.Greater(t, len(lines), 200)
}

func requires(word string) bool {
	for _, w := range strings.Split(os.Getenv("RACEBENCH_REQUIRE"), ",") {
		if w == word {
			return true
		}
	}
	return false
}

// commandLine is one command of COMMAND's reply as a line of the table.
func commandLine(t *testing.T, c wire.Value) string {
	line := fmt.Sprintf("%s %d %s", strings.ToUpper(c.Elems[0].Text()), c.Elems[1].Int, words(c.Elems[2]))
	for _, spec := range c.Elems[8].Elems {
		line += " " + specText(t, field(spec, "flags"), field(spec, "begin_search"), field(spec, "find_keys"))
	}
	return line + "\n"
}

func specText(t *testing.T, flags, begin, keys wire.Value) string {
	text := words(flags)
	args := field(begin, "spec")
	switch kind := field(begin, "type").Text(); kind {
	case "index":
		text += ":i" + field(args, "index").Text()
	case "keyword":
		text += ":k" + field(args, "keyword").Text() + "," + field(args, "startfrom").Text()
	case "unknown":
		text += ":i0"
	default:
		t.Fatalf("begin_search %q", kind)
	}
	args = field(keys, "spec")
	switch kind := field(keys, "type").Text(); kind {
	case "range":
		return text + ":r" + field(args, "lastkey").Text() + "," + field(args, "keystep").Text() + "," + field(args, "limit").Text()
	case "keynum":
		return text + ":n" + field(args, "keynumidx").Text() + "," + field(args, "firstkey").Text() + "," + field(args, "keystep").Text()
	case "unknown":
		return text + ":unknown"
	default:
		t.Fatalf("find_keys %q", kind)
		return ""
	}
}

func words(v wire.Value) string {
	var w []string
	for _, e := range v.Elems {
		w = append(w, e.Text())
	}
	if len(w) == 0 {
		return "-"
	}
	return strings.Join(w, ",")
}

func field(v wire.Value, name string) wire.Value {
	for i := 0; i+1 < len(v.Elems); i += 2 {
		if v.Elems[i].Text() == name {
			return v.Elems[i+1]
		}
	}
	return wire.Value{}
}

func TestLookup(t *testing.T) {
	for line, want := range map[string]string{
		"get k":                "GET",
		"xgroup create k g $":  "XGROUP CREATE",
		"XGROUP":               "XGROUP",
		"xgroup nonsense":      "XGROUP",
		"cLiEnT sEtInFo lib x": "CLIENT",
		"client setname x":     "CLIENT SETNAME",
		"nonsense":             "",
		"":                     "",
		"a-name-that-is-longer-than-any-command-can-be": "",
	} {
		info, ok := command.Lookup(strings.Fields(line))
		if want == "" {
			require.False(t, ok, line)
			continue
		}
		require.True(t, ok, line)
		require.Equal(t, want, info.Name, line)
	}
	info, _ := command.Lookup([]string{"blpop", "k", "0"})
	require.True(t, info.Flags.Has(command.Write|command.Blocking))
	require.Equal(t, -3, info.Arity)
	require.True(t, info.ArityOK(4))
	require.False(t, info.ArityOK(2))
}

func TestLookupAndKeysDontAllocate(t *testing.T) {
	line := []string{"xReadGroup", "group", "g", "c", "streams", "a", "b", ">", ">"}
	buf := make([]command.Key, 0, 8)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		info, _ := command.Lookup(line)
		if keys, ok := info.AppendKeys(buf, line); !ok || len(keys) != 2 {
			t.Fatal(keys, ok)
		}
	}))
	require.EqualValues(t, 1, testing.AllocsPerRun(100, func() { command.Keys(line) }))
}

func BenchmarkLookupAndKeys(b *testing.B) {
	line := []string{"hset", "k", "f", "v"}
	b.ReportAllocs()
	for b.Loop() {
		command.Keys(line)
	}
}
