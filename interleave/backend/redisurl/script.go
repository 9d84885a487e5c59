package redisurl

import (
	"regexp"
	"slices"
	"strings"
)

// A script can do what a client may not. So only scripts of which the text tells every command are sent: each mention of
// redis.call names its command in a literal, and nothing is mentioned that could reach it in another way.

// Reasons for refusing a script; the name of a command stands before ": " in others.
const (
	bytecode = "a compiled script does not tell which commands it calls"
	computed = "a script calls a command whose name is no literal, and it could be one that concerns more than the run"
	reaches  = "a script uses %s, by which it could call any command unseen"
)

// unknown stands for a word of a script's command that the text does not tell. No command has such a word.
const unknown = "\x00"

// maxScripts bounds how many scripts are remembered; what is forgotten is read again.
const maxScripts = 256

// script refuses a script by its text.
func (k *keys) script(text string) string {
	if reason, seen := k.scripts[text]; seen {
		return reason
	}
	if k.scripts == nil || len(k.scripts) == maxScripts {
		k.scripts = map[string]string{}
	}
	reason := k.read(text)
	k.scripts[text] = reason
	return reason
}

func (k *keys) read(text string) string {
	if strings.HasPrefix(text, "\x1b") {
		return bytecode
	}
	toks := lex(text)
	calls := aliases(toks)
	for i, t := range toks {
		if t.kind != word || toks.is(i-1, ".") || toks.is(i-1, ":") {
			continue
		}
		next := i + 1
		switch {
		case hatches.MatchString(t.text):
			return strings.ReplaceAll(reaches, "%s", t.text)
		case t.text == "redis" || t.text == "server":
			if !toks.is(i+1, ".") || toks.at(i+2).kind != word {
				return strings.ReplaceAll(reaches, "%s", t.text+" itself")
			}
			if name := toks.at(i + 2).text; name != "call" && name != "pcall" {
				continue
			}
			if toks.aliasAt(i-3) != "" {
				continue
			}
			next = i + 3
		case calls[t.text]:
			if toks.aliasAt(i-1) != "" {
				continue
			}
		default:
			continue
		}
		if reason := k.call(toks, i, next); reason != "" {
			return reason
		}
	}
	return ""
}

// hatches are names that lead to everything there is: the table of globals, text that becomes code, and the functions
// that servers before 7.0 make of other scripts.
var hatches = regexp.MustCompile(`^(_G|getfenv|setfenv|load|loadstring|loadfile|dofile|require|debug|f_[0-9a-f]{40})$`)

// aliases finds the names given to redis.call by "local name = redis.call".
func aliases(toks tokens) map[string]bool {
	found := map[string]bool{}
	for i := range toks {
		if name := toks.aliasAt(i); name != "" {
			found[name] = true
		}
	}
	return found
}

// aliasAt is the name that a statement "local name = redis.call" which begins at i gives; "" where there is none.
func (ts tokens) aliasAt(i int) string {
	if !ts.is(i, "local") || ts.at(i+1).kind != word || !ts.is(i+2, "=") || !ts.is(i+3, "redis") && !ts.is(i+3, "server") ||
		!ts.is(i+4, ".") || !ts.is(i+5, "call") && !ts.is(i+5, "pcall") {
		return ""
	}
	if t := ts.at(i + 6); t.kind != word && t.kind != end && t.text != ";" || t.text == "and" || t.text == "or" {
		return ""
	}
	return ts[i+1].text
}

// call looks at a mention of redis.call, which ends before next: a call, or what pcall is to call.
func (k *keys) call(toks tokens, begin, next int) string {
	var args [][]token
	switch {
	case toks.at(next).kind == text:
		args = [][]token{toks[next : next+1]}
	case toks.is(next, "("):
		args = toks.list(next + 1)
	case toks.is(next, ",") && toks.is(begin-1, "(") && toks.is(begin-2, "pcall"):
		args = toks.list(next + 1)
	}
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = unknown
		if len(a) == 1 && a[0].kind == text {
			words[i] = a[0].text
		}
	}
	if len(words) == 0 || words[0] == unknown {
		return computed
	}
	// The last argument may stand for any number of words.
	open := words[len(words)-1] == unknown && slices.ContainsFunc(args[len(args)-1], func(t token) bool {
		return t.kind == sign && (t.text == "(" || t.text == "{" || t.text == ".") || t.kind == text
	})
	if reason := k.inScript(words, open); reason != "" {
		return "a script calls " + strings.ToUpper(words[0]) + ": " + reason
	}
	return ""
}

// inScript refuses a command of a script.
func (k *keys) inScript(words []string, open bool) string {
	switch strings.ToUpper(words[0]) {
	case "SELECT": // nobody translates the number
		if k.db != 0 || len(words) != 2 || words[1] != "0" {
			return oneDB
		}
	case "COPY":
		if open || slices.Contains(words[min(3, len(words)):], unknown) {
			return oneDB
		}
	case "SCRIPT":
		return notOurs
	}
	return refusal(words)
}

// list returns the arguments from i on to the parenthesis that closes them.
func (ts tokens) list(i int) [][]token {
	var args [][]token
	from, depth := i, 0
	for ; ts.at(i).kind != end; i++ {
		if ts[i].kind != sign {
			if ts[i].kind == word && ts[i].text == "function" {
				return nil // its body may hold anything
			}
			continue
		}
		switch ts[i].text {
		case "(", "{", "[":
			depth++
		case ")", "}", "]":
			if depth == 0 {
				return append(args, ts[from:i])
			}
			depth--
		case ",":
			if depth == 0 {
				args = append(args, ts[from:i])
				from = i + 1
			}
		}
	}
	return nil
}

// kind of a token.
type kind uint8

const (
	end  kind = iota // behind the last
	word             // a name, a keyword or a number
	text             // a string, as it is when the script runs
	sign             // one character of anything else
)

type token struct {
	kind kind
	text string
}

type tokens []token

func (ts tokens) at(i int) token {
	if i < 0 || i >= len(ts) {
		return token{}
	}
	return ts[i]
}

// is reports whether a token that is no string has this text.
func (ts tokens) is(i int, want string) bool {
	t := ts.at(i)
	return t.kind != text && t.text == want
}

// lex splits a script as Lua 5.1 does. What Lua would not compile may be split in any way, since it does not run.
func lex(s string) tokens {
	if strings.HasPrefix(s, "#!") {
		_, s, _ = strings.Cut(s, "\n")
	}
	var out tokens
	for s != "" {
		var t token
		switch c := s[0]; {
		case c == ' ' || '\t' <= c && c <= '\r':
			s = s[1:]
			continue
		case strings.HasPrefix(s, "--"):
			if _, rest, long := longString(s[2:]); long {
				s = rest
			} else if i := strings.IndexAny(s, "\r\n"); i >= 0 {
				s = s[i:]
			} else {
				s = ""
			}
			continue
		case c == '"' || c == '\'':
			t.kind = text
			t.text, s = shortString(s)
		case isWord(c):
			n := 1
			for n < len(s) && isWord(s[n]) {
				n++
			}
			t, s = token{word, s[:n]}, s[n:]
		default:
			body, rest, long := longString(s)
			if long {
				t, s = token{text, body}, rest
			} else {
				t, s = token{sign, s[:1]}, s[1:]
			}
		}
		out = append(out, t)
	}
	return out
}

func isWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// longString reads [[…]] or [=[…]=]; ok is false when s does not begin with one.
func longString(s string) (body, rest string, ok bool) {
	if s == "" || s[0] != '[' {
		return "", s, false
	}
	level := len(s[1:]) - len(strings.TrimLeft(s[1:], "="))
	if level+1 >= len(s) || s[level+1] != '[' {
		return "", s, false
	}
	body, rest, _ = strings.Cut(s[level+2:], "]"+strings.Repeat("=", level)+"]")
	for _, newline := range []string{"\r\n", "\n\r", "\n", "\r"} {
		if strings.HasPrefix(body, newline) {
			return body[len(newline):], rest, true
		}
	}
	return body, rest, true
}

var escapes = map[byte]byte{'a': '\a', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v'}

// shortString reads a string in quotes.
func shortString(s string) (body, rest string) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == s[0]:
			return b.String(), s[i+1:]
		case c != '\\' || i+1 == len(s):
			b.WriteByte(c)
		default:
			i++
			c = s[i]
			switch e, known := escapes[c]; {
			case known:
				b.WriteByte(e)
			case '0' <= c && c <= '9':
				n := int(c - '0')
				for more := 0; more < 2 && i+1 < len(s) && '0' <= s[i+1] && s[i+1] <= '9'; more++ {
					i++
					n = n*10 + int(s[i]-'0')
				}
				b.WriteByte(byte(n))
			default:
				if (c == '\r' || c == '\n') && i+1 < len(s) && (s[i+1] == '\r' || s[i+1] == '\n') && s[i+1] != c {
					i++
				}
				b.WriteByte(c)
			}
		}
	}
	return b.String(), ""
}
