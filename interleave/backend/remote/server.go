package remote

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/racebench/racebench/interleave/backend"
	"github.com/racebench/racebench/interleave/wire"
)

// Epoch is the virtual time at which a world starts, as a testing/synctest bubble has it.
var Epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// DefaultReplyTimeout is how long a reply may take where the configuration does not say.
const DefaultReplyTimeout = 10 * time.Second

// Clock is a wall clock that the server reads.
type Clock interface{ Set(now time.Time) }

// Options say where the server is and what may be done with it. The zero value of a field is what most want.
type Options struct {
	Name         string        // of the backend, for messages
	Addr         net.Addr      // resolved, since no name can be looked up in a bubble
	TLS          *tls.Config   // nil for a plain connection
	Auth         []string      // the AUTH command, or nil
	DB           int           // the database that clients see as 0
	ReplyTimeout time.Duration // 0 means DefaultReplyTimeout

	// Clock is the server's wall clock. Nil means that the server keeps its own, and expiry is shifted.
	Clock Clock
	// Shared says that the server is not ours alone: nothing that concerns more than the keys of a world is sent.
	Shared bool
	// Guard may refuse a command, with a reason. Nil allows all.
	Guard func(args []string) (reason string)
	// Clear removes what the last world left, on a shared server, with the means to send commands that it is given. It
	// may return what a reader has to know about what it could not remove.
	Clear func(do func(args ...string) ([]byte, error)) (note string, err error)
	// Keys lists the keys of the world on a shared server, where no other may be looked at.
	Keys func() []string
	// Why tells, after a connection failed, what became of the server: "exit status 1: last line of its log".
	// It returns "" when the server seems to live.
	Why func() string
	// Relaunch starts the server anew, after a world changed what a flush does not undo. Nil means that it can't.
	Relaunch func() (net.Addr, error)
}

// Server is a real Redis seen through sockets. It implements backend.Server.
type Server struct {
	opts    Options
	version string
	dog     *watchdog // nil where raw sockets do
	ctl     *link     // for what no client asked for

	idle  []*link // free, in the order of dialling
	conns []*conn // opened since the last Reset and not closed
	links int     // dialled so far

	now       time.Time
	moved     bool // the clock, since due keys were last swept
	mayExpire bool // a command that can give a key a deadline was seen
	flush     bool // the data set must be flushed before the next command
	touched   bool // a command was executed since the last flush
	soiled    string
	functions bool
	settings  map[string]string // changed by CONFIG SET, as they were
	known     map[string][]byte // replies of this server to handshakes, by command
	scripts   scripts
	notes     map[string]bool
	shift     *shift // nil with a virtual clock
	err       error  // the server is gone; every later call fails with it
}

var (
	_ backend.Server    = (*Server)(nil)
	_ backend.Abandoner = (*Server)(nil)
)

// New connects to a server that is up. It must be called outside of any bubble.
func New(opts Options) (*Server, error) {
	if opts.ReplyTimeout <= 0 {
		opts.ReplyTimeout = DefaultReplyTimeout
	}
	s := &Server{opts: opts, now: Epoch, known: map[string][]byte{}, notes: map[string]bool{},
		settings: map[string]string{}, scripts: newScripts()}
	if opts.TLS != nil || !rawSockets {
		s.dog = newWatchdog(opts.ReplyTimeout)
	}
	if opts.Clock == nil {
		s.shift = newShift(s)
	} else {
		opts.Clock.Set(Epoch)
	}
	if err := s.greet(); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// greet opens the control connection and asks for the version.
func (s *Server) greet() error {
	ctl, err := s.dial()
	if err != nil {
		return s.gone(err)
	}
	s.ctl = ctl
	want := fresh
	want.db = s.opts.DB
	ctl.reconcile(&want, s.opts.Auth)
	raw, err := s.control("INFO", "server")
	if err != nil {
		return err
	}
	if raw[0] == '-' {
		return s.unavailable(fmt.Errorf("%s refuses INFO: %s", s.opts.Addr, clip(raw[1:])), "")
	}
	s.version = infoField(raw, "redis_version")
	if s.version == "" {
		return s.unavailable(fmt.Errorf("%s is no Redis server: INFO answers %q", s.opts.Addr, clip(raw)), "")
	}
	if Older(s.version, 6, 2) {
		return s.unavailable(fmt.Errorf("redis-server %s is too old, 6.2 or later is needed", s.version),
			"get a newer one (https://redis.io/downloads; Debian 12 and Ubuntu 24.04 have 7.0), or use --redis embedded")
	}
	if s.shift != nil && Older(s.version, 7, 0) {
		return s.unavailable(fmt.Errorf("redis-server %s keeps its own clock here, and deadlines can't be read exactly before 7.0",
			s.version), "use a server of 7.0 or later, or one on Linux with a C compiler installed")
	}
	if s.opts.Clock != nil {
		// Expired keys are removed when the clock moves, all at once; the server's own way is by chance. Where the
		// server does not allow it the result is the same but for the order of notifications.
		s.control("DEBUG", "SET-ACTIVE-EXPIRE", "0")
	}
	return nil
}

// Older reports whether a version such as 7.0.15 is before major.minor. What is no version is not.
func Older(version string, major, minor int) bool {
	var a, b int
	if n, _ := fmt.Sscanf(version, "%d.%d", &a, &b); n < 2 {
		return false
	}
	return a < major || a == major && b < minor
}

// infoField finds a field in a reply to INFO.
func infoField(raw []byte, name string) string {
	_, rest, ok := bytes.Cut(raw, []byte("\n"+name+":"))
	if !ok {
		return ""
	}
	value, _, _ := bytes.Cut(rest, []byte("\r"))
	return string(value)
}

func clip(raw []byte) string {
	line, _, _ := strings.Cut(string(raw), "\r\n")
	return line
}

// Name implements backend.Server.
func (s *Server) Name() string { return s.opts.Name }

// Version implements backend.Server.
func (s *Server) Version() string { return s.version }

// ClockMode says in a word how the clock is made virtual: "virtual" or "shifted".
func (s *Server) ClockMode() string {
	if s.shift != nil {
		return "shifted"
	}
	return "virtual"
}

// Ask executes a command on the control connection, beside all worlds. It is meant for probes and tests.
func (s *Server) Ask(args ...string) (wire.Value, error) {
	raw, err := s.control(args...)
	if err != nil {
		return wire.Value{}, err
	}
	v, _, err := wire.Parse(raw)
	return v, err
}

// Open implements backend.Server. No socket is touched before the first command.
func (s *Server) Open() (backend.Conn, error) {
	if s.err != nil {
		return nil, s.err
	}
	c := &conn{s: s, want: fresh}
	c.want.db = s.opts.DB
	s.conns = append(s.conns, c)
	if s.shift != nil {
		return &shiftConn{conn: c, sh: s.shift}, nil
	}
	return c, nil
}

// SetClock implements backend.Server.
func (s *Server) SetClock(now time.Time) error {
	if s.err != nil || now.Equal(s.now) {
		return s.err
	}
	s.now, s.moved = now, true
	if s.shift == nil {
		s.opts.Clock.Set(now)
	}
	return nil
}

// Reset implements backend.Server. The flush itself goes in front of the first command that follows.
func (s *Server) Reset(now time.Time) error {
	if s.err != nil {
		return s.err
	}
	for _, c := range s.conns {
		c.closed = true
		c.release()
	}
	s.conns = s.conns[:0]
	if s.err != nil {
		return s.err
	}
	sort.Slice(s.idle, func(i, j int) bool { return s.idle[i].seq < s.idle[j].seq })
	s.trimIdle()
	note, err := s.clean()
	if err != nil {
		return err
	}
	s.now, s.moved, s.mayExpire = now, false, false
	s.scripts.reset()
	clear(s.notes)
	if note != "" {
		s.Note(note)
	}
	if s.shift != nil {
		s.shift.reset()
	} else {
		s.opts.Clock.Set(now)
	}
	return s.err
}

// clean undoes what the last world did to the server, or arranges for it.
func (s *Server) clean() (note string, err error) {
	switch {
	case s.opts.Clear != nil:
		return s.opts.Clear(s.control)
	case s.opts.Shared:
	case s.soiled != "":
		return "", s.relaunch()
	case s.touched:
		s.flush, s.touched = true, false
	}
	return "", nil
}

// relaunch replaces a server that a flush can't make new.
func (s *Server) relaunch() error {
	if s.opts.Relaunch == nil {
		return s.unavailable(fmt.Errorf("a world changed the server for good (%s)", s.soiled), "use --redis process")
	}
	s.dropLinks()
	addr, err := s.opts.Relaunch()
	if err != nil {
		return s.gone(err)
	}
	s.opts.Addr = addr
	s.soiled, s.flush, s.touched, s.functions = "", false, false, false
	clear(s.known)
	clear(s.settings)
	s.scripts.forget()
	return s.greet()
}

// Notes implements backend.Server.
func (s *Server) Notes() []string {
	return slices.Sorted(maps.Keys(s.notes))
}

// Note adds a note until the next Reset.
func (s *Server) Note(text string) { s.notes[text] = true }

// Close implements backend.Server for the client side; who started the server ends it.
func (s *Server) Close() error {
	if s.opts.Clear != nil && s.err == nil && s.ctl != nil {
		for _, c := range s.conns {
			c.closed = true
		}
		note, err := s.opts.Clear(s.control)
		if note != "" {
			s.Note(note)
		}
		if err != nil {
			s.dropLinks()
			return err
		}
	}
	s.dropLinks()
	if s.dog != nil {
		s.dog.stop()
		s.dog = nil
	}
	if s.err == nil {
		s.err = s.unavailable(errors.New("closed"), "")
	}
	return nil
}

// Abandon implements backend.Abandoner for the client side, which leaves everything to the call that may be going on; who
// started the server ends it. What a world wrote on a shared server stays there, which is an error.
func (s *Server) Abandon() error {
	if !s.opts.Shared {
		return nil
	}
	return s.unavailable(fmt.Errorf("the keys of a world that was given up stay in database %d of %s", s.opts.DB, s.opts.Addr),
		fmt.Sprintf("look at them (redis-cli -n %d --scan) and delete them", s.opts.DB))
}

// unavailable makes an error of this backend.
func (s *Server) unavailable(err error, hint string) error {
	return &backend.UnavailableError{Backend: s.opts.Name, Err: err, Hint: hint}
}

// gone says that the server can't be used any more, and why if that can be found out.
func (s *Server) gone(err error) error {
	if s.err != nil {
		return s.err
	}
	var u *backend.UnavailableError
	if !errors.As(err, &u) {
		if s.opts.Why != nil && !errors.Is(err, errTimeout) {
			if why := s.opts.Why(); why != "" {
				err = fmt.Errorf("the server is gone (%s): %w", why, err)
			}
		}
		err = s.unavailable(err, "")
	}
	s.err = err
	return err
}

// Addr is where the server is.
func (s *Server) Addr() net.Addr { return s.opts.Addr }
