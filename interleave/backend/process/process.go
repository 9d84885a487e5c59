// Package process runs worlds on a redis-server of its own: a child process that listens on a private unix socket,
// keeps nothing on disk, and ends with this process whatever ends it.
package process

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"github.com/racebench/racebench/interleave/backend"
	"github.com/racebench/racebench/interleave/backend/remote"
	"github.com/racebench/racebench/internal/rundir"
	"github.com/racebench/racebench/internal/vclock"
)

// Name is the backend's word.
const Name = "process"

func init() {
	backend.Register(Name, func(_ string, cfg backend.Config) (backend.Server, error) { return Open(cfg) })
}

// hint is how to get a server.
const hint = "install it (apt-get install redis-server, brew install redis), or use --redis embedded"

// Server is a running redis-server and the client side of it.
type Server struct {
	*remote.Server
	cfg    backend.Config
	binary string
	folder *rundir.Folder
	clock  *vclock.Clock
	closed bool

	life      sync.Mutex // for what Abandon shares with a call
	child     *child     // written by the one who calls, so that only Abandon must lock to read it
	abandoned bool
}

var _ backend.Abandoner = (*Server)(nil)

// Open starts a redis-server and waits until it answers. It must be called outside of any testing/synctest bubble.
func Open(cfg backend.Config) (backend.Server, error) {
	s := &Server{cfg: cfg}
	if err := s.open(); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (s *Server) open() error {
	binary, err := find(s.cfg.Binary)
	if err != nil {
		return err
	}
	s.binary = binary
	if s.folder, err = rundir.Open(); err != nil {
		return unavailable(err, "set TMPDIR to a folder that this user may write to")
	}
	options, err := s.start()
	if err != nil {
		return err
	}
	s.Server, err = remote.New(options)
	if err != nil {
		return err
	}
	if s.clock != nil && !s.clockWorks() {
		return s.withoutClock()
	}
	return nil
}

// start starts a server, with a virtual wall clock where it can be had, and says how to reach it.
func (s *Server) start() (remote.Options, error) {
	options := remote.Options{Name: Name, ReplyTimeout: s.cfg.ReplyTimeout, Why: s.why, Relaunch: s.relaunch}
	if !s.cfg.ShiftClock {
		if library, err := vclock.Library(); err == nil {
			addr, err := s.launch(library)
			if err != nil {
				return options, err
			}
			options.Addr, options.Clock = addr, s.clock
			return options, nil
		}
	}
	addr, err := s.launch("")
	options.Addr = addr
	return options, err
}

// launch starts a server; library is the clock to preload, or empty.
func (s *Server) launch(library string) (net.Addr, error) {
	base := s.folder.Next()
	socket, short := s.folder.Socket(base)
	if len(short) > rundir.MaxSocketPath {
		return nil, unavailable(fmt.Errorf("the socket path %s is longer than the %d bytes that the system takes",
			short, rundir.MaxSocketPath), "set TMPDIR to a folder with a shorter name")
	}
	command := command{binary: s.binary, folder: s.folder.Path, socket: socket, debug: true}
	if library != "" {
		if s.clock == nil {
			clock, err := vclock.New(filepath.Join(s.folder.Path, base+".clock"), remote.Epoch)
			if err != nil {
				return nil, unavailable(err, "")
			}
			s.clock = clock
		}
		command.env = vclock.Environment(library, s.clock.Path())
	}
	child, err := start(command, short)
	if err != nil {
		return nil, err
	}
	if err := s.adopt(child); err != nil {
		return nil, err
	}
	if s.clock != nil {
		s.clock.Started()
	}
	return &net.UnixAddr{Name: short, Net: "unix"}, nil
}

// adopt keeps a child that was started, unless the server was abandoned meanwhile.
func (s *Server) adopt(c *child) error {
	s.life.Lock()
	defer s.life.Unlock()
	if s.abandoned {
		c.stop()
		return unavailable(errors.New("abandoned"), "")
	}
	s.child = c
	return nil
}

// clockWorks asks the server for the time. A hardened system may ignore the preloaded library.
func (s *Server) clockWorks() bool {
	v, err := s.Ask("TIME")
	return err == nil && len(v.Elems) == 2 && v.Elems[0].Str == fmt.Sprint(remote.Epoch.Unix())
}

// withoutClock starts again with the server's own clock.
func (s *Server) withoutClock() error {
	s.stop()
	s.cfg.ShiftClock = true
	options, err := s.start()
	if err != nil {
		return err
	}
	s.Server, err = remote.New(options)
	return err
}

// relaunch replaces the server by a new one that reads the same clock.
func (s *Server) relaunch() (net.Addr, error) {
	s.child.stop()
	library := ""
	if s.clock != nil {
		path, err := vclock.Library()
		if err != nil {
			return nil, err
		}
		library = path
		s.clock.Starting(remote.Epoch)
	}
	return s.launch(library)
}

// why says how the server ended, or nothing if it runs.
func (s *Server) why() string {
	if s.child == nil {
		return ""
	}
	return s.child.obituary()
}

// stop ends the server, but keeps the folder.
func (s *Server) stop() {
	if s.Server != nil {
		s.Server.Close()
		s.Server = nil
	}
	if s.child != nil {
		s.child.stop()
		s.life.Lock()
		s.child = nil
		s.life.Unlock()
	}
	if s.clock != nil {
		s.clock.Close()
		s.clock = nil
	}
}

// Close implements backend.Server: it ends the process and removes its files.
func (s *Server) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	if s.Server != nil {
		s.Server.Close() // kept, since it says that it is closed
	}
	if s.child != nil {
		s.child.stop()
	}
	if s.clock != nil {
		s.clock.Close()
	}
	if s.folder != nil {
		return s.folder.Release()
	}
	return nil
}

// Abandon implements backend.Abandoner: it ends the process and removes its files, but leaves connections and the clock's
// memory to the call that may be using them.
func (s *Server) Abandon() error {
	s.life.Lock()
	child, again := s.child, s.abandoned
	s.abandoned = true
	s.life.Unlock()
	if again || s.closed {
		return nil
	}
	s.closed = true
	if child != nil {
		child.stop()
	}
	return s.folder.Release()
}

// find locates the binary.
func find(binary string) (string, error) {
	if binary == "" {
		for _, name := range []string{"redis-server", "valkey-server"} {
			if path, err := exec.LookPath(name); err == nil {
				return path, nil
			}
		}
		return "", unavailable(errors.New("there is no redis-server on PATH"), hint)
	}
	path, err := exec.LookPath(binary)
	if err != nil {
		if errors.Is(err, os.ErrPermission) {
			return "", unavailable(fmt.Errorf("%s may not be executed by this user", binary), hint)
		}
		return "", unavailable(fmt.Errorf("there is no redis-server at %s", binary), hint)
	}
	if strings.ContainsRune(path, filepath.Separator) {
		if abs, err := filepath.Abs(path); err == nil {
			path = abs
		}
	}
	return path, nil
}

func unavailable(err error, hint string) error {
	return &backend.UnavailableError{Backend: Name, Err: err, Hint: hint}
}
