package command_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/racebench/racebench/interleave/command"
	"github.com/racebench/racebench/interleave/wire"
	"github.com/stretchr/testify/require"
)

// keyLines are command lines whose keys are hard to tell. "~" marks one for which Keys says that it can't tell.
var keyLines = []string{
	"GET a", "get a", "SET a 1", "SET a 1 GET", "SET a 1 NX GET EX 10", "SET get 1", "MSET a 1 b 2 c 3", "MGET a b a",
	"DEL a b c", "RENAME a b", "COPY a b REPLACE", "LCS a b", "OBJECT ENCODING a", "MEMORY USAGE a",
	"BITFIELD a GET u8 0", "BITFIELD a GET u8 0 SET u8 0 1", "BITFIELD a OVERFLOW SAT INCRBY u8 0 1", "BITOP AND d a b",
	"EVAL s 2 a b x y", "EVAL s 0", "EVAL s 0 x", "EVALSHA h 1 a", "EVAL_RO s 1 a x", "FCALL f 2 a b x",
	"XREAD STREAMS a b 0 0", "XREAD COUNT 2 BLOCK 0 STREAMS a $", "XREADGROUP GROUP g c STREAMS a b > >",
	"XREADGROUP GROUP STREAMS c NOACK STREAMS a >", "XADD a * f v", "XGROUP CREATE a g $ MKSTREAM", "XINFO STREAM a FULL",
	"XCLAIM a g c 0 1-1", "XAUTOCLAIM a g c 0 0", "XPENDING a g", "XACK a g 1-1", "XTRIM a MAXLEN 3",
	"ZUNIONSTORE d 2 a b WEIGHTS 1 2", "ZINTERSTORE d 1 a", "ZDIFFSTORE d 2 a b", "ZUNION 2 a b WITHSCORES", "ZINTERCARD 2 a b",
	"ZRANGESTORE d a 0 -1", "ZMPOP 2 a b MIN", "BZMPOP 0 2 a b MAX COUNT 2", "BZPOPMIN a b 0",
	"LMPOP 2 a b LEFT", "BLMPOP 0 2 a b RIGHT COUNT 3", "BLPOP a b 0", "BRPOPLPUSH a b 0", "BLMOVE a b LEFT RIGHT 0", "LMOVE a b LEFT LEFT",
	"SINTERCARD 2 a b LIMIT 1", "SDIFFSTORE d a b", "SMOVE a b m", "SUNION a b", "PFCOUNT a b", "PFMERGE d a b",
	"GEORADIUS a 1 1 1 m", "GEORADIUS a 1 1 1 m STORE b", "GEORADIUS a 1 1 1 m STOREDIST b",
	"GEORADIUSBYMEMBER a m 1 m STORE b", "GEOSEARCHSTORE d a FROMMEMBER m BYRADIUS 1 m",
	"SORT a", "SORT a LIMIT 0 1 ALPHA STORE b", "SORT a STORE b STORE c", "SORT_RO a", "SORT a GET #",
	"~SORT a BY w*", "~SORT a GET o_* STORE b", "~SORT_RO a BY w*",
	"MIGRATE h 1 a 0 1", "MIGRATE h 1 a 0 1 COPY AUTH keys", "MIGRATE h 1 '' 0 1 KEYS a b",
	"WATCH a b", "TOUCH a b", "DUMP a", "RESTORE a 0 x", "GETEX a", "HSET a f v", "HGETALL a", "INCR a", "EXPIRE a 1",
	"SPUBLISH ch m", "PING", "PUBLISH ch m", "SUBSCRIBE ch", "MULTI", "EXEC", "TIME",
	"~KEYS *", "~SCAN 0", "~FLUSHALL", "~DBSIZE", "~MOVE a 1", "~COPY a b DB 1", "~NONSENSE a", "~GET", "~GET a b", "~XGROUP NONSENSE a",
	"~EVAL s x a", "~EVAL s 2 a", "~ZUNIONSTORE d 3 a b", "~EVAL s -1 a", "~XGROUP",
}

// TestKeysAgainstServer asks a real server for the keys and flags of the same command lines.
func TestKeysAgainstServer(t *testing.T) {
	s := startRealServer(t)
	for _, line := range keyLines {
		unknown := strings.HasPrefix(line, "~")
		args := strings.Fields(strings.TrimPrefix(line, "~"))
		for i := range args {
			if args[i] == "''" {
				args[i] = ""
			}
		}
		keys, ok := command.Keys(args)
		require.Equal(t, !unknown, ok, line)
		if !unknown {
			require.Equal(t, serverKeys(t, s, args), describe(keys), line)
		}
	}
}

// TestKeysOfMadeUpLines makes up command lines for every command of the table, the same in every run: wherever the server
// finds keys and we say that we know, both must be the same; and nothing may panic.
func TestKeysOfMadeUpLines(t *testing.T) {
	const perCommand = 40
	s := startRealServer(t)
	rng := rand.New(rand.NewPCG(1, 1))
	words := []string{"a", "b", "0", "1", "2", "3", "-1", "*", "GET", "STORE", "STREAMS", "KEYS",
		"LIMIT", "BLOCK", "COUNT", "GROUP", "AUTH", "u8", "SET", "#"}
	compared := 0
	for _, name := range command.Names() {
		for range perCommand {
			args := strings.Fields(name)
			for range rng.IntN(9) {
				args = append(args, words[rng.IntN(len(words))])
			}
			keys, ok := command.Keys(args)
			if !ok || name == "SORT" && strings.Contains(strings.Join(args, " "), "STORE STORE") {
				continue // the server's own answer to SORT a STORE STORE ALPHA is ALPHA
			}
			v := s.do(t, append([]string{"COMMAND", "GETKEYSANDFLAGS"}, args...)...)
			if v.IsErr() {
				// A line that the server calls invalid may have keys for us: it fails without touching them.
				continue
			}
			if want := parseServerKeys(v); fmt.Sprint(want) != fmt.Sprint(describe(keys)) {
				t.Errorf("%q: server %v, we %v", args, want, describe(keys))
			}
			compared++
		}
	}
	if compared < 1000 {
		t.Errorf("only %d lines were compared", compared)
	}
}

func serverKeys(t *testing.T, s *realServer, args []string) []string {
	v := s.do(t, append([]string{"COMMAND", "GETKEYSANDFLAGS"}, args...)...)
	if v.IsErr() {
		require.Regexp(t, "no key arguments|Invalid arguments specified for command|wrong number of arguments for 'command.getkeysandflags'", v.Str)
		return []string{}
	}
	return parseServerKeys(v)
}

func parseServerKeys(v wire.Value) []string {
	out := []string{}
	for _, key := range v.Elems {
		flags := words(key.Elems[1])
		if strings.Contains(flags, "not_key") {
			continue
		}
		first, _, _ := strings.Cut(flags, ",")
		access := map[string]string{"RO": "R", "RW": "RW", "OW": "W", "RM": "W"}[first]
		out = append(out, key.Elems[0].Text()+" "+access)
	}
	return out
}

func describe(keys []command.Key) []string {
	out := []string{}
	for _, k := range keys {
		out = append(out, k.Name+" "+k.Access.String())
	}
	return out
}
