package embedded

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/alicebob/miniredis/v2/server"

	"github.com/racebench/racebench/interleave/command"
	"github.com/racebench/racebench/interleave/wire"
)

// scriptRun is one script while miniredis runs it.
type scriptRun struct {
	x        *call
	sha      string
	readOnly bool
	lastErr  string // the error that the last command answered
}

const errNoScript = "NOSCRIPT No matching script. Please use EVAL."

// beforeCommand is called by miniredis before each command. Those that a script calls are taken over, so that they
// are checked, refused and noticed by WATCH as all others are.
func (s *Server) beforeCommand(p *server.Peer, name string, args ...string) bool {
	r := s.script
	if r == nil || s.passing || p == r.x.peer.p { // the last is the EVAL itself
		return false
	}
	reply := r.command(p, append([]string{name}, args...))
	p.WriteRaw(string(reply))
	return true
}

// command executes one command of a script and returns the reply in RESP2.
func (r *scriptRun) command(p *server.Peer, args []string) []byte {
	x := r.x
	fail := func(text string) []byte {
		r.lastErr = text
		return wire.AppendError(nil, text)
	}
	info, known := command.Lookup(args)
	switch {
	case x.refused != "":
		return fail("ERR refused")
	case !known || info.Container() && len(args) > 1:
		return fail("ERR Unknown Redis command called from script")
	case !info.ArityOK(len(args)):
		return fail("ERR Wrong number of args calling Redis command from script")
	case info.Flags.Has(command.NoScript):
		return fail("ERR This Redis command is not allowed from script")
	case r.readOnly && (info.Flags.Has(command.Write) || info.Name == "PUBLISH"):
		return fail("ERR Write commands are not allowed from read-only scripts.")
	}
	run, ok := handlers[info.Name]
	if !ok || info.Name == "SELECT" {
		x.refuse("a script calls %s, which is not proven equal to a real server", info.Name)
		return fail("ERR refused")
	}
	y := call{s: x.s, c: x.c, num: x.num, peer: nestedPeer(x.s.m.Server(), p), inMulti: true, inScript: true}
	y.proto = 2
	run(&y, args)
	if y.refused != "" {
		x.refuse("a script calls %s: %s", info.Name, y.refused)
		return fail("ERR refused")
	}
	if len(y.out) > 0 && y.out[0] == '-' {
		r.lastErr = string(y.out[1 : len(y.out)-2])
	}
	return y.out
}

// unfaithful are the words of scripts for which miniredis' Lua is not the server's: libraries that it lacks or that
// answer differently, chance, and syntax of later Luas.
var unfaithful = regexp.MustCompile(`\b(cjson|cmsgpack|struct|bit|os|coroutine|debug|load|loadstring|xpcall|_G|getfenv|setfenv|goto|` +
	`collectgarbage|upper|lower|setresp|random|randomseed|require|module|print|table\.sort|string\.format|sha1hex|breakpoint|dofile|newproxy)\b|^#!`)

// fractions are the signs of a script that computes numbers whose text may differ.
var fractions = regexp.MustCompile(`[^-]/|\^|\d\.\d|math\.(sqrt|log|exp|pow|sin|cos)`)

// loops that walk over a table in an order that is Lua's own.
var pairsLoop = regexp.MustCompile(`\b(pairs|next)\s*\(`)

// source is what the text of a script tells.
type source struct {
	unfaithful       string // the first word that is not faithful
	fractions, pairs bool
}

// maxSources bounds how many scripts are remembered; what is forgotten is read again.
const maxSources = 256

// read looks a script over, once for each text.
func (s *Server) read(text string) *source {
	if known, ok := s.sources[text]; ok {
		return known
	}
	if s.sources == nil || len(s.sources) == maxSources {
		s.sources = map[string]*source{}
	}
	found := &source{
		unfaithful: strings.TrimSpace(unfaithful.FindString(text)),
		fractions:  fractions.MatchString(text),
		pairs:      pairsLoop.MatchString(strings.ReplaceAll(text, "ipairs", "")),
	}
	s.sources[text] = found
	return found
}

// scriptOK refuses a script that miniredis may run differently.
func (x *call) scriptOK(text string) bool {
	found := x.s.read(text)
	if found.unfaithful != "" {
		x.refuse("a script uses %s, which is not proven equal to the server's Lua", found.unfaithful)
		return false
	}
	if found.fractions {
		x.s.note("a script computes with fractions, whose text may differ from a server's")
	}
	if found.pairs {
		x.s.note("a script walks over a table with pairs or next, in an order that may differ from a server's")
	}
	return true
}

// cmdEval is EVAL, EVALSHA and their read-only forms.
func cmdEval(bySha, readOnly bool) handler {
	return func(x *call, args []string) {
		if bySha && len(args[1]) != 40 {
			x.err(errNoScript)
			return
		}
		n, ok := parseInt(args[2])
		switch {
		case !ok:
			x.err(errNotInt)
			return
		case n > int64(len(args)-3):
			x.err("ERR Number of keys can't be greater than number of args")
			return
		case n < 0:
			x.err("ERR Number of keys can't be negative")
			return
		}
		line := append([]string(nil), args...)
		r := &scriptRun{x: x, readOnly: readOnly}
		if bySha {
			line[0], line[1] = "EVALSHA", strings.ToLower(args[1])
			r.sha = line[1]
		} else {
			if !x.scriptOK(args[1]) {
				return
			}
			r.sha = sha1Hex(args[1])
			// A server keeps a script even when it fails, miniredis doesn't.
			if v := x.value("SCRIPT", "LOAD", args[1]); v.IsErr() {
				x.refuse("the script does not compile, and the text of that error differs: %s", v.Str)
				return
			}
			line[0] = "EVAL"
		}
		x.s.script = r
		out := x.peer.do(line...)
		x.s.script = nil
		if x.refused == "" {
			x.scriptReply(r, out)
		}
	}
}

var luaError = regexp.MustCompile(`^ERR Error compiling script \(new function\): <string>:(\d+): ((?s).*)$`)

// scriptReply hands on what a script returned. An error that ended it is told in the server's words, as far as they
// can be known: those of a command, and of error().
func (x *call) scriptReply(r *scriptRun, out []byte) {
	v, _, err := wire.Parse(out)
	if err != nil {
		x.refuse("miniredis answers nonsense: %v", err)
		return
	}
	if !v.IsErr() || !strings.HasPrefix(v.Str, "ERR Error compiling") {
		x.convert(v)
		return
	}
	m := luaError.FindStringSubmatch(v.Str)
	if m == nil {
		x.refuse("an error inside the script whose text differs: %s", v.Str)
		return
	}
	line, _ := strconv.Atoi(m[1])
	text, _, _ := strings.Cut(m[2], "stack traceback")
	text = strings.TrimSpace(text)
	if r.lastErr == "" || !strings.Contains(text, r.lastErr) {
		x.refuse("an error inside the script whose text differs: %s", v.Str)
		return
	}
	x.err(r.lastErr + " script: " + r.sha + ", on @user_script:" + strconv.Itoa(line) + ".")
}

func cmdScriptLoad(x *call, args []string) {
	if !x.scriptOK(args[2]) {
		return
	}
	v := x.value("SCRIPT", "LOAD", args[2])
	if v.IsErr() {
		x.refuse("the script does not compile, and the text of that error differs: %s", v.Str)
		return
	}
	x.bulk(v.Str)
}

func cmdScriptExists(x *call, args []string) {
	x.arrayLen(len(args) - 2)
	for _, sha := range args[2:] {
		x.int(x.value("SCRIPT", "EXISTS", strings.ToLower(sha)).Elems[0].Int)
	}
}

func cmdScriptFlush(x *call, args []string) {
	if len(args) > 3 || len(args) == 3 && !strings.EqualFold(args[2], "SYNC") && !strings.EqualFold(args[2], "ASYNC") {
		x.err("ERR SCRIPT FLUSH only support SYNC|ASYNC option")
		return
	}
	x.raw(x.do("SCRIPT", "FLUSH"))
}
