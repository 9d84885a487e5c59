package remote

import (
	"bytes"
	"crypto/sha1"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
)

// scripts is the script cache as one world sees it.
//
// A server keeps scripts until SCRIPT FLUSH, which makes a new interpreter and takes as long as ten commands. So scripts
// of earlier worlds stay there, and a command that names one that this world has not loaded is sent with a digest that
// no script has: the server's answer is then its own.
type scripts struct {
	world  map[string]bool
	server map[string]bool
	digest map[string]string // of sources seen, by source
}

// absent is the digest of no script.
const absent = "0000000000000000000000000000000000000000"

// maxScripts bounds what a server accumulates. It is below the number at which a server forgets scripts by itself.
const maxScripts = 400

func newScripts() scripts {
	return scripts{world: map[string]bool{}, server: map[string]bool{}, digest: map[string]string{}}
}

func (s *scripts) reset()              { clear(s.world) }
func (s *scripts) full() bool          { return len(s.server) > maxScripts }
func (s *scripts) load(sha string)     { s.world[sha], s.server[sha] = true, true }
func (s *scripts) has(sha string) bool { return s.world[sha] }

// forget is for when the server itself has lost all scripts.
func (s *scripts) forget() {
	clear(s.world)
	clear(s.server)
}

// sha is the digest of a source.
func (s *scripts) sha(source string) string {
	if d, ok := s.digest[source]; ok {
		return d
	}
	sum := sha1.Sum([]byte(source))
	d := hex.EncodeToString(sum[:])
	if len(s.digest) > maxScripts {
		clear(s.digest)
	}
	s.digest[source] = d
	return d
}

// script executes EVAL, EVALSHA and SCRIPT.
func (c *conn) script(k kind, args []string) ([]byte, error) {
	s := c.s
	s.mayExpire = true
	switch {
	case k == evalsha && len(args) > 1:
		if !c.loaded(args[1]) {
			args = append([]string(nil), args...)
			args[1] = absent
		}
	case k == eval && len(args) > 2:
		raw, err := c.roundTrip(args)
		if err == nil && compiled(args, raw) {
			c.load(s.scripts.sha(args[1]))
		}
		return bytes.Clone(raw), err
	case k == script && len(args) > 1:
		return c.scriptSub(args)
	}
	raw, err := c.roundTrip(args)
	return bytes.Clone(raw), err
}

func (c *conn) scriptSub(args []string) ([]byte, error) {
	s := c.s
	switch strings.ToUpper(args[1]) {
	case "EXISTS":
		sent := append([]string(nil), args...)
		for i, sha := range sent[2:] {
			if !c.loaded(sha) {
				sent[i+2] = absent
			}
		}
		args = sent
	case "FLUSH":
		if len(args) == 2 && c.quiet() {
			s.scripts.reset()
			return bytes.Clone(replyOK), nil
		}
		if s.opts.Shared {
			return nil, s.refuse(args, "the scripts of this server are not the run's alone")
		}
		s.scripts.forget()
	case "LOAD":
		raw, err := c.roundTrip(args)
		if err == nil && len(args) == 3 && raw[0] != '-' {
			c.load(s.scripts.sha(args[2]))
		}
		return bytes.Clone(raw), err
	}
	raw, err := c.roundTrip(args)
	return bytes.Clone(raw), err
}

// load notes that a script is in the cache; inside a transaction, that it will be.
func (c *conn) load(sha string) {
	if c.multi {
		c.tx = append(c.tx, sha)
		return
	}
	c.s.scripts.load(sha)
}

// loaded reports whether the world has loaded a script, or will have when the commands queued here are executed.
func (c *conn) loaded(sha string) bool {
	sha = strings.ToLower(sha)
	if c.s.scripts.has(sha) {
		return true
	}
	for _, t := range c.tx {
		if t == sha {
			return true
		}
	}
	return false
}

// compiled tells from an EVAL and its reply whether the server has put the script in its cache: also one that fails when
// it runs, but not one that is no Lua, whose keys are counted wrongly, or that was refused before it was looked at.
func compiled(args []string, raw []byte) bool {
	if n, err := strconv.Atoi(args[2]); err != nil || n < 0 || n > len(args)-3 {
		return false
	}
	if raw[0] != '-' || bytes.Contains(raw, []byte(" script: ")) {
		return true
	}
	return !slices.ContainsFunc(unread, func(prefix []byte) bool { return bytes.HasPrefix(raw, prefix) })
}

// unread begin the errors of an EVAL whose script was not looked at, or is none.
var unread = [][]byte{[]byte("-ERR Error compiling script"), []byte("-ERR Can't execute 'eval"), []byte("-NOPERM"), []byte("-NOAUTH"),
	[]byte("-OOM"), []byte("-MISCONF"), []byte("-BUSY"), []byte("-LOADING")}
