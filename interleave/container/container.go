// Package container runs worlds on a Redis server in a container. It is a package of its own so that nobody else links
// a Docker client: importing it registers the backend.
package container

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/containerd/errdefs"
	mobycontainer "github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
	tclog "github.com/testcontainers/testcontainers-go/log"

	"github.com/racebench/racebench/interleave/backend"
	"github.com/racebench/racebench/interleave/backend/remote"
	"github.com/racebench/racebench/internal/rundir"
	"github.com/racebench/racebench/internal/vclock"
)

// Name is the backend's word.
const Name = "container"

// DefaultImage is used where the configuration names none.
const DefaultImage = "redis:7-alpine"

func init() {
	backend.Register(Name, func(_ string, cfg backend.Config) (backend.Server, error) { return Open(cfg) })
}

// Hints.
const (
	engineHint = "start a Docker engine (docker info must answer; set DOCKER_HOST if it is not the default), or use --redis process"
	imageHint  = "docker pull it where the network allows, or name a local one with --redis-image (docker images lists them)"
)

// Limits in real time.
const (
	engineTimeout = 5 * time.Second // an engine that is there answers at once
	pullTimeout   = 5 * time.Minute
	startTimeout  = 60 * time.Second
)

// Server is a Redis in a container and the client side of it.
type Server struct {
	*remote.Server
	cfg      backend.Config
	image    string
	program  string // what the image runs: redis-server, valkey-server
	provider *testcontainers.DockerProvider
	folder   *rundir.Folder
	clock    *vclock.Clock
	box      testcontainers.Container
	note     string // file that tells the janitor of the container
	closed   bool

	life      sync.Mutex // for what Abandon shares with a call
	id        string     // of the container, or empty
	abandoned bool
}

var _ backend.Abandoner = (*Server)(nil)

// Open starts a container and waits until its server answers. It must be called outside of any testing/synctest bubble.
func Open(cfg backend.Config) (backend.Server, error) {
	s := &Server{cfg: cfg, image: cfg.Image}
	if s.image == "" {
		s.image = DefaultImage
	}
	if err := s.open(); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// silent is a logger that says nothing.
type silent struct{}

func (silent) Printf(string, ...any) {}

func (s *Server) open() error {
	if err := s.findEngine(); err != nil {
		return err
	}
	if err := s.findImage(); err != nil {
		return err
	}
	var err error
	if s.folder, err = rundir.Open(); err != nil {
		return unavailable(err, "set TMPDIR to a folder that this user may write to")
	}
	s.sweepStale()
	if !s.cfg.ShiftClock {
		if library, err := vclock.Library(); err == nil {
			if s.startOn(library) == nil && s.clockWorks() {
				return nil
			}
			s.stop()
		}
	}
	return s.startOn("")
}

// findEngine finds a Docker engine that answers.
func (s *Server) findEngine() (err error) {
	s.provider, err = Engine()
	return err
}

// Engine finds a Docker engine that answers. The error is an *backend.UnavailableError.
func Engine() (*testcontainers.DockerProvider, error) {
	tclog.SetDefault(silent{})
	setDefault("TESTCONTAINERS_HOST_OVERRIDE", "127.0.0.1")
	// Its reaper is a container from an image of its own, which may not be had; what it does is done by the janitor and
	// the labels here.
	setDefault("TESTCONTAINERS_RYUK_DISABLED", "true")
	provider, err := testcontainers.NewDockerProvider()
	if err != nil {
		return nil, unavailable(fmt.Errorf("no Docker engine answers: %w", err), engineHint)
	}
	ctx, cancel := context.WithTimeout(context.Background(), engineTimeout)
	defer cancel()
	if _, err := provider.Client().Ping(ctx, client.PingOptions{NegotiateAPIVersion: true}); err != nil {
		provider.Close()
		return nil, unavailable(fmt.Errorf("no Docker engine answers: %w", err), engineHint)
	}
	return provider, nil
}

func setDefault(name, value string) {
	if _, set := os.LookupEnv(name); !set {
		os.Setenv(name, value)
	}
}

// findImage finds the image, and what it runs.
func (s *Server) findImage() error {
	image, err := Image(s.provider, s.image)
	if err != nil {
		return err
	}
	s.program = "redis-server"
	if image.Config != nil && len(image.Config.Cmd) > 0 && strings.HasSuffix(image.Config.Cmd[0], "-server") {
		s.program = image.Config.Cmd[0]
	}
	return nil
}

// Image finds an image, and pulls it once if it is not there. The error is an *backend.UnavailableError.
func Image(provider *testcontainers.DockerProvider, name string) (client.ImageInspectResult, error) {
	docker := provider.Client()
	ctx, cancel := context.WithTimeout(context.Background(), pullTimeout)
	defer cancel()
	image, err := docker.ImageInspect(ctx, name)
	if errdefs.IsNotFound(err) {
		pulling, pullErr := docker.ImagePull(ctx, name, client.ImagePullOptions{})
		if pullErr == nil {
			pullErr = pulling.Wait(ctx)
		}
		if pullErr != nil {
			return image, unavailable(fmt.Errorf("image %s is not here and can't be pulled: %w", name, pullErr), imageHint)
		}
		image, err = docker.ImageInspect(ctx, name)
	}
	if err != nil {
		return image, unavailable(fmt.Errorf("image %s: %w", name, err), imageHint)
	}
	return image, nil
}

// redisPort is where the server listens in the container.
var redisPort = network.MustParsePort("6379/tcp")

// Where a container sees the library and its clock.
const (
	boxLibrary = "/racebench/clock.so"
	boxClock   = "/racebench/clock"
)

// startOn starts a container and connects to it; library is the clock to preload, or empty.
func (s *Server) startOn(library string) error {
	addr, err := s.launch(library)
	if err != nil {
		return err
	}
	options := remote.Options{Name: Name, Addr: addr, ReplyTimeout: s.cfg.ReplyTimeout, Why: s.why, Relaunch: s.relaunch}
	if s.clock != nil {
		options.Clock = s.clock
	}
	s.Server, err = remote.New(options)
	return err
}

// launch starts a container and waits until its server answers.
func (s *Server) launch(library string) (net.Addr, error) {
	base := s.folder.Next()
	request := testcontainers.ContainerRequest{
		Image: s.image,
		Cmd: []string{s.program, "--save", "", "--appendonly", "no", "--protected-mode", "no",
			"--hz", "1", "--activerehashing", "no"},
		ExposedPorts: []string{redisPort.String()},
		Labels:       Labels(s.folder.Path),
		Env:          map[string]string{},
	}
	var binds []string
	if library != "" {
		if s.clock == nil {
			clock, err := vclock.New(filepath.Join(s.folder.Path, base+".clock"), remote.Epoch)
			if err != nil {
				return nil, unavailable(err, "")
			}
			s.clock = clock
		}
		for _, v := range vclock.Environment(boxLibrary, boxClock) {
			name, value, _ := strings.Cut(v, "=")
			request.Env[name] = value
		}
		binds = []string{library + ":" + boxLibrary + ":ro", s.clock.Path() + ":" + boxClock + ":ro"}
	}
	request.HostConfigModifier = func(h *mobycontainer.HostConfig) {
		h.Binds = append(h.Binds, binds...)
		h.PortBindings = network.PortMap{redisPort: {{HostIP: netip.AddrFrom4([4]byte{127, 0, 0, 1})}}}
	}
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	box, err := testcontainers.GenericContainer(ctx, testcontainers.GenericContainerRequest{
		ContainerRequest: request, Started: true, Logger: silent{},
	})
	if box != nil {
		s.box = box
		s.note = filepath.Join(s.folder.Path, base+".container")
		os.WriteFile(s.note, []byte(box.GetContainerID()+"\n"), 0o600)
	}
	if !s.adopt() {
		s.remove()
		return nil, unavailable(errors.New("abandoned"), "")
	}
	if err != nil {
		return nil, unavailable(fmt.Errorf("no container of %s starts: %w", s.image, err), engineHint)
	}
	return s.await(ctx)
}

// await waits until the server in the container answers, and returns its address.
func (s *Server) await(ctx context.Context) (net.Addr, error) {
	for {
		addr, err := s.address(ctx)
		if err == nil && answers(addr) {
			if s.clock != nil {
				s.clock.Started()
			}
			return addr, nil
		}
		state, stateErr := s.box.State(ctx)
		switch {
		case stateErr != nil:
			return nil, unavailable(fmt.Errorf("the container of %s is gone: %w", s.image, stateErr), imageHint)
		case !state.Running:
			return nil, unavailable(fmt.Errorf("the container of %s ended at once (exit status %d; last line of its log: %s)", s.image,
				state.ExitCode, s.lastLine(ctx)), imageHint)
		}
		rundir.Sleep(5 * time.Millisecond)
	}
}

// address asks for the published port.
func (s *Server) address(ctx context.Context) (net.Addr, error) {
	host, err := s.box.Host(ctx)
	if err != nil {
		return nil, err
	}
	port, err := s.box.MappedPort(ctx, redisPort.String())
	if err != nil {
		return nil, err
	}
	return net.ResolveTCPAddr("tcp", net.JoinHostPort(host, port.Port()))
}

// answers reports whether a Redis is behind a port. The engine's proxy accepts connections before it is.
func answers(addr net.Addr) bool {
	c, err := net.DialTimeout(addr.Network(), addr.String(), time.Second)
	if err != nil {
		return false
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(time.Second))
	if _, err := c.Write([]byte("PING\r\n")); err != nil {
		return false
	}
	var b [1]byte
	n, _ := c.Read(b[:])
	return n == 1 && (b[0] == '+' || b[0] == '-')
}

// clockWorks asks the server for the time: the engine may be on another machine, or its kernel may forbid the library.
func (s *Server) clockWorks() bool {
	v, err := s.Ask("TIME")
	return err == nil && len(v.Elems) == 2 && v.Elems[0].Str == fmt.Sprint(remote.Epoch.Unix())
}

// relaunch replaces the container by a new one. It is called in a bubble, where no HTTP client can work.
func (s *Server) relaunch() (addr net.Addr, err error) {
	rundir.Keep(func() {
		s.remove()
		library := ""
		if s.clock != nil {
			if library, err = vclock.Library(); err != nil {
				return
			}
			s.clock.Starting(remote.Epoch)
		}
		addr, err = s.launch(library)
	})
	return addr, err
}

// why says how the server ended, or nothing if it runs.
func (s *Server) why() (reason string) {
	rundir.Keep(func() {
		if s.box == nil {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), engineTimeout)
		defer cancel()
		for range 20 {
			state, err := s.box.State(ctx)
			if err != nil {
				reason = "the container is gone"
				return
			}
			if !state.Running {
				reason = fmt.Sprintf("exit status %d; last line of its log: %s", state.ExitCode, s.lastLine(ctx))
				return
			}
			rundir.Sleep(10 * time.Millisecond)
		}
	})
	return reason
}

func unavailable(err error, hint string) error {
	var u *backend.UnavailableError
	if errors.As(err, &u) {
		return err
	}
	if text := err.Error(); strings.Contains(text, "\n") {
		err = errors.New(strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' }), "; "))
	}
	return &backend.UnavailableError{Backend: Name, Err: err, Hint: hint}
}
