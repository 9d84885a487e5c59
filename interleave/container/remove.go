package container

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/moby/moby/client"

	"github.com/racebench/racebench/interleave/backend"
	"github.com/racebench/racebench/internal/rundir"
)

// Labels say whose a container is, so that a later run can remove what a killed one left.
const (
	labelHost   = "com.github.racebench.host"
	labelFolder = "com.github.racebench.folder"
)

// Labels are those of a container that belongs to a run with a folder.
func Labels(folder string) map[string]string {
	host, _ := os.Hostname()
	return map[string]string{labelHost: host, labelFolder: folder}
}

// sweepStale removes containers of dead runs on this machine.
func (s *Server) sweepStale() {
	ctx, cancel := context.WithTimeout(context.Background(), engineTimeout)
	defer cancel()
	host, _ := os.Hostname()
	docker := s.provider.Client()
	list, err := docker.ContainerList(ctx, client.ContainerListOptions{All: true,
		Filters: client.Filters{}.Add("label", labelHost+"="+host)})
	if err != nil {
		return
	}
	for _, c := range list.Items {
		if dir := c.Labels[labelFolder]; dir != "" && rundir.Dead(dir) {
			docker.ContainerRemove(ctx, c.ID, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
		}
	}
}

// remove kills the container and removes it with its volumes. It holds nothing worth saving.
func (s *Server) remove() error {
	if s.box == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	err := s.kill(ctx, s.box.GetContainerID())
	os.Remove(s.note)
	s.box = nil
	s.adopt()
	return err
}

// kill removes a container.
func (s *Server) kill(ctx context.Context, id string) error {
	_, err := s.provider.Client().ContainerRemove(ctx, id, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
	if err != nil && !gone(err) {
		return unavailable(fmt.Errorf("the container can't be removed: %w", err), "")
	}
	return nil
}

func gone(err error) bool { return strings.Contains(err.Error(), "No such container") }

// adopt tells Abandon which container there is. It reports false if the server was abandoned before.
func (s *Server) adopt() bool {
	s.life.Lock()
	defer s.life.Unlock()
	s.id = ""
	if s.box != nil {
		s.id = s.box.GetContainerID()
	}
	return !s.abandoned
}

// Abandon implements backend.Abandoner: it removes the container and its folder, but leaves connections and the clock's
// memory to the call that may be using them. It must be called outside of any testing/synctest bubble.
func (s *Server) Abandon() error {
	s.life.Lock()
	id, again := s.id, s.abandoned
	s.abandoned = true
	s.life.Unlock()
	if again || s.closed {
		return nil
	}
	s.closed = true
	var err error
	if id != "" {
		ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
		defer cancel()
		err = s.kill(ctx, id)
	}
	if e := s.folder.Release(); err == nil {
		err = e
	}
	return err
}

// stop ends the server and forgets its clock.
func (s *Server) stop() {
	if s.Server != nil {
		s.Server.Close()
		s.Server = nil
	}
	s.remove()
	if s.clock != nil {
		s.clock.Close()
		s.clock = nil
	}
}

// Close implements backend.Server: it removes the container and all that belongs to it.
func (s *Server) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	if s.Server != nil {
		s.Server.Close() // kept, since it says that it is closed
	}
	var err error
	rundir.Keep(func() { err = s.remove() })
	if s.clock != nil {
		s.clock.Close()
	}
	if s.provider != nil {
		s.provider.Close()
	}
	if s.folder != nil {
		if e := s.folder.Release(); err == nil {
			err = e
		}
	}
	return err
}

// lastLine is the end of the server's log.
func (s *Server) lastLine(ctx context.Context) string {
	logs, err := s.box.Logs(ctx)
	if err != nil {
		return ""
	}
	defer logs.Close()
	text, _ := io.ReadAll(io.LimitReader(logs, 1<<20))
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

// Probe starts a container and removes it again. How says which image it is of and how its clock is made virtual; the
// error, an *backend.UnavailableError, has a hint how to get what is missing.
func Probe(_ context.Context, cfg backend.Config) (version, how string, err error) {
	server, err := Open(cfg)
	if err != nil {
		return "", "", err
	}
	defer server.Close()
	s := server.(*Server)
	how = "image " + s.image + ", virtual wall clock"
	if s.ClockMode() != "virtual" {
		how = "image " + s.image + ", own wall clock with shifted expiry"
	}
	return s.Version(), how, nil
}
