package remote

import (
	_ "embed"
	"regexp"
	"strconv"
	"strings"

	"github.com/racebench/racebench/interleave/wire"
)

//go:embed preamble.lua
var preambleText string

// preamble is one line, so that the lines of the script keep their numbers in error messages.
var preamble = strings.Join(strings.Fields(preambleText), " ") + " "

// source is a script of a client.
type source struct {
	text      string
	rewritten string // with the preamble; empty if it has nothing to do with time
	reads     bool   // it asks for the time
}

var (
	// timely finds words of commands that set, read or depend on a time, and calls whose command is no literal.
	timely = regexp.MustCompile(`(?i)['"](p?expire(at|time)?|p?ttl|time|p?setex|getex|restore|xadd|ex|px|exat|pxat)['"]|call\s*\(\s*[^'"\s]|call\s*[^(\s]`)
	// clockRead finds the name of TIME, wherever it is called.
	clockRead = regexp.MustCompile(`(?i)['"]time['"]`)
)

// The notes that go with them.
const (
	noteScriptTime   = "a script reads TIME; it was given the virtual time by rewriting the script, since the server keeps its own clock"
	noteFunctionTime = "a function has to do with time (TIME, TTL or expiry), which can't be made virtual on a server that keeps its own clock"
)

// read analyses a script.
func (sh *shift) read(text string) (sha string, src source) {
	sha = sh.s.scripts.sha(text)
	if src, ok := sh.sources[sha]; ok {
		return sha, src
	}
	src = source{text: text, reads: clockRead.MatchString(text)}
	if timely.MatchString(text) {
		src.rewritten = withPreamble(text)
		sh.rewrote[sha] = sh.s.scripts.sha(src.rewritten)
	}
	sh.sources[sha] = src
	return sha, src
}

// withPreamble puts the preamble in front, but behind a first line such as "#!lua flags=no-writes".
func withPreamble(text string) string {
	if !strings.HasPrefix(text, "#!") {
		return preamble + text
	}
	line, rest, _ := strings.Cut(text, "\n")
	return line + "\n" + preamble + rest
}

// script translates commands about scripts.
func (sh *shift) script(name string, args []string) translation {
	same := translation{args: args}
	switch name {
	case "EVAL", "EVAL_RO":
		if len(args) < 3 {
			return same
		}
		sha, src := sh.read(args[1])
		return sh.run(args, sha, src, src.rewritten)
	case "EVALSHA", "EVALSHA_RO":
		if len(args) < 3 {
			return same
		}
		sha := strings.ToLower(args[1])
		return sh.run(args, sha, sh.sources[sha], sh.rewrote[sha])
	case "SCRIPT":
		return sh.scriptSub(args)
	case "FUNCTION":
		for _, a := range args[1:] {
			sh.function = sh.function || timely.MatchString(a)
		}
	case "FCALL", "FCALL_RO":
		sh.expect(0)
		if sh.function {
			sh.s.Note(noteFunctionTime)
		}
	}
	return same
}

// run replaces a script, or its digest, by the rewritten one and passes the time as the last argument.
func (sh *shift) run(args []string, sha string, src source, instead string) translation {
	if src.reads {
		sh.s.Note(noteScriptTime)
	}
	if n, err := strconv.Atoi(args[2]); instead == "" || err != nil || n < 0 || n > len(args)-3 {
		return translation{args: args}
	}
	sh.expect(0) // its deadlines are not known: look at all when the clock moves
	out := append([]string(nil), args...)
	out[1] = instead
	out = append(out, strconv.FormatInt(sh.s.now.UnixMicro(), 10))
	return translation{args: out, timed: true, post: func(raw []byte) []byte {
		if raw[0] != '-' {
			return raw
		}
		// An error names the digest of the script.
		return []byte(strings.ReplaceAll(string(raw), sh.rewrote[sha], sha))
	}}
}

func (sh *shift) scriptSub(args []string) translation {
	same := translation{args: args}
	if len(args) < 3 {
		return same
	}
	switch strings.ToUpper(args[1]) {
	case "LOAD":
		sha, src := sh.read(args[2])
		if src.rewritten == "" {
			return same
		}
		return translation{args: []string{args[0], args[1], src.rewritten}, post: func(raw []byte) []byte {
			if raw[0] != '$' {
				return raw
			}
			return wire.AppendBulk(nil, sha)
		}}
	case "EXISTS":
		out := append([]string(nil), args...)
		for i, a := range out[2:] {
			if sha := sh.rewrote[strings.ToLower(a)]; sha != "" {
				out[i+2] = sha
			}
		}
		return translation{args: out}
	}
	return same
}
