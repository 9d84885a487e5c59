package remote

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/racebench/racebench/interleave/wire"
)

// state is what a server keeps of a connection and what lasts as long as the connection does.
type state struct {
	proto   int
	db      int
	name    string
	lib     string // CLIENT SETINFO LIB-NAME
	version string // CLIENT SETINFO LIB-VER
}

// fresh is a connection just made.
var fresh = state{proto: 2}

// link is one connection to the server. It outlives the worlds that use it.
type link struct {
	sock socket
	seq  int // in the order of dialling, so that each world gets the same links in the same order

	have      state // as the server has it
	authed    bool
	dirty     bool // the server keeps more of this connection than have describes: WATCH, MULTI, CLIENT TRACKING …
	stale     bool // … for a client that is gone: RESET comes first
	listening bool // subscribed, or tracking: the server may send what nobody asked for
	hello     [4][]byte

	out  []byte
	skip []skipped // replies to what was put in front of the command
	in   []byte
	pos  int // in[pos:] is unread
	held []byte
}

// skipped is a reply that nobody waits for, with what it answers.
type skipped struct {
	what  string
	proto int // of a HELLO, whose reply is worth keeping
}

// queue adds a command in front of the next one; its reply must not be an error.
func (l *link) queue(args ...string) {
	l.out = wire.AppendCommand(l.out, args...)
	l.skip = append(l.skip, skipped{what: args[0]})
}

// ping adds a PING behind what is queued, whose answer untilPong looks for.
func (l *link) ping() { l.out = wire.AppendCommand(l.out, "PING") }

// untilPong reads up to the answer of a ping, and returns the frames before it that were no pushes.
func (l *link) untilPong() ([]byte, error) {
	var frames []byte
	for {
		f, err := l.reply()
		if err != nil {
			return nil, err
		}
		if isPong(f) {
			return frames, nil
		}
		frames = append(frames, f...)
	}
}

// reconcile queues what brings the connection to the wanted state.
func (l *link) reconcile(want *state, auth []string) {
	if l.stale {
		l.queue("RESET")
		// RESET leaves what CLIENT SETINFO said.
		l.have = state{proto: 2, lib: l.have.lib, version: l.have.version}
		l.stale, l.listening, l.authed = false, false, false
	}
	if !l.authed {
		if auth != nil {
			l.queue(auth...)
		}
		l.authed = true
	}
	if l.have == *want {
		return
	}
	if l.have.proto != want.proto {
		l.queue("HELLO", strconv.Itoa(want.proto))
		l.skip[len(l.skip)-1].proto = want.proto
	}
	if l.have.db != want.db {
		l.queue("SELECT", strconv.Itoa(want.db))
	}
	if l.have.name != want.name {
		l.queue("CLIENT", "SETNAME", want.name)
	}
	if l.have.lib != want.lib {
		l.queue("CLIENT", "SETINFO", "LIB-NAME", want.lib)
	}
	if l.have.version != want.version {
		l.queue("CLIENT", "SETINFO", "LIB-VER", want.version)
	}
	l.have = *want
}

// send writes what is queued.
func (l *link) send() error {
	err := l.sock.Write(l.out)
	l.out = l.out[:0]
	return err
}

// readBuffer is where a reply buffer starts; it doubles for a reply that does not fit.
const readBuffer = 16 << 10

// frame returns the next frame, valid until the next call.
func (l *link) frame() ([]byte, error) {
	for {
		if l.pos < len(l.in) {
			n, err := wire.FrameLen(l.in[l.pos:])
			if err != nil {
				return nil, err
			}
			if n > 0 {
				f := l.in[l.pos : l.pos+n]
				l.pos += n
				return f, nil
			}
		}
		if err := l.fill(); err != nil {
			return nil, err
		}
	}
}

// fill reads more behind what is unread.
func (l *link) fill() error {
	if l.pos > 0 {
		n := copy(l.in, l.in[l.pos:])
		l.in, l.pos = l.in[:n], 0
	}
	if cap(l.in)-len(l.in) < readBuffer/4 {
		grown := make([]byte, len(l.in), max(readBuffer, 2*cap(l.in)))
		copy(grown, l.in)
		l.in = grown
	}
	n, err := l.sock.Read(l.in[len(l.in):cap(l.in)])
	if err != nil {
		return err
	}
	l.in = l.in[:len(l.in)+n]
	return nil
}

// reply returns the next frame that answers a command, after those that nobody waits for. Pushes on the way are held.
func (l *link) reply() ([]byte, error) {
	for {
		f, err := l.frame()
		if err != nil {
			return nil, err
		}
		if l.isPush(f) {
			l.held = append(l.held, f...)
			continue
		}
		if len(l.skip) == 0 {
			return f, nil
		}
		s := l.skip[0]
		l.skip = l.skip[:copy(l.skip, l.skip[1:])]
		if f[0] == '-' {
			l.skip = l.skip[:0]
			return nil, fmt.Errorf("the server answered %s with %q", s.what, bytes.TrimSpace(f[1:]))
		}
		if s.proto != 0 {
			l.hello[s.proto] = bytes.Clone(f)
		}
	}
}

// isPush tells a frame that the server sent on its own from a reply. RESP3 marks it; in RESP2 a message is an array that
// no command allowed on a subscribed connection answers with.
func (l *link) isPush(f []byte) bool {
	if f[0] == '>' {
		return !confirms(f)
	}
	return l.listening && f[0] == '*' && isMessage(f)
}

// confirms reports whether a frame is the answer to a command of the SUBSCRIBE family.
func confirms(f []byte) bool { return hasWord(f, confirmations) }

func isMessage(f []byte) bool { return hasWord(f, messages) }

var (
	confirmations = [][]byte{[]byte("subscribe"), []byte("psubscribe"), []byte("ssubscribe"), []byte("unsubscribe"),
		[]byte("punsubscribe"), []byte("sunsubscribe")}
	messages = [][]byte{[]byte("message"), []byte("pmessage"), []byte("smessage")}
)

// hasWord reports whether the first element of an aggregate is one of words.
func hasWord(f []byte, words [][]byte) bool {
	i := bytes.IndexByte(f, '\n')
	if i < 0 || i+1 >= len(f) || f[i+1] != '$' {
		return false
	}
	f = f[i+1:]
	i = bytes.IndexByte(f, '\n')
	f = f[i+1:]
	for _, w := range words {
		if bytes.HasPrefix(f, w) && len(f) > len(w) && f[len(w)] == '\r' {
			return true
		}
	}
	return false
}

// isPong recognises the answer to a PING, also on a subscribed RESP2 connection.
func isPong(f []byte) bool {
	return bytes.HasPrefix(f, []byte("+PONG")) || f[0] == '*' && hasWord(f, [][]byte{[]byte("pong")})
}
