// Package container is a throwaway MySQL or MariaDB of a world in a container. It is a package of its own so that nobody
// else links a Docker client. Importing it makes the option Database("container") work:
//
//	import _ "github.com/racebench/racebench/interleave/database/container"
package container

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
	mobycontainer "github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"

	"github.com/racebench/racebench/interleave/backend"
	redis "github.com/racebench/racebench/interleave/container"
	"github.com/racebench/racebench/interleave/database"
	"github.com/racebench/racebench/interleave/database/mariadb"
	"github.com/racebench/racebench/internal/rundir"
)

// Name is the database's word.
const Name = "container"

// DefaultImage is used where the configuration names none.
const DefaultImage = "mysql:8"

func init() {
	database.Register(Name, func(_ string, cfg database.Config) (database.Server, error) { return Open(cfg) })
}

// startTimeout is long because a new MySQL makes its data folder first.
const startTimeout = 2 * time.Minute

var port = network.MustParsePort("3306/tcp")

// Open starts a container and waits until its server answers. It must be called outside of any testing/synctest bubble.
func Open(cfg database.Config) (*mariadb.Server, error) {
	b := &box{image: cfg.Image}
	if b.image == "" {
		b.image = DefaultImage
	}
	at, err := b.start()
	if err != nil {
		return nil, unavailable(errors.Join(err, b.end()))
	}
	s, err := mariadb.At(Name, "racebench", at, b.end)
	if err != nil {
		return nil, unavailable(err)
	}
	return s, nil
}

// box is a container.
type box struct {
	image    string
	provider *testcontainers.DockerProvider
	folder   *rundir.Folder
	note     string // file that tells the janitor of the container
	box      testcontainers.Container
}

// silent is a logger that says nothing.
type silent struct{}

func (silent) Printf(string, ...any) {}

func (silent) Print(...any) {}

func (b *box) start() (*mysql.Config, error) {
	var err error
	if b.provider, err = redis.Engine(); err != nil {
		return nil, err
	}
	if _, err = redis.Image(b.provider, b.image); err != nil {
		return nil, err
	}
	if b.folder, err = rundir.Open(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	b.box, err = testcontainers.GenericContainer(ctx, testcontainers.GenericContainerRequest{
		ContainerRequest: testcontainers.ContainerRequest{
			Image:        b.image,
			ExposedPorts: []string{port.String()},
			Labels:       redis.Labels(b.folder.Path),
			// What the official images of MySQL and of MariaDB want to know. The port is published on 127.0.0.1 only.
			Env: map[string]string{
				"MYSQL_ALLOW_EMPTY_PASSWORD": "yes", "MARIADB_ALLOW_EMPTY_ROOT_PASSWORD": "yes",
				"MYSQL_ROOT_HOST": "%", "MARIADB_ROOT_HOST": "%",
			},
			HostConfigModifier: func(h *mobycontainer.HostConfig) {
				h.PortBindings = network.PortMap{port: {{HostIP: netip.AddrFrom4([4]byte{127, 0, 0, 1})}}}
			},
		},
		Started: true, Logger: silent{},
	})
	if b.box != nil {
		b.note = filepath.Join(b.folder.Path, b.folder.Next()+".container")
		os.WriteFile(b.note, []byte(b.box.GetContainerID()+"\n"), 0o600)
	}
	if err != nil {
		return nil, fmt.Errorf("no container of %s starts: %w", b.image, err)
	}
	return b.await(ctx)
}

// await waits until the server in the container lets somebody in, and returns where that is.
func (b *box) await(ctx context.Context) (*mysql.Config, error) {
	var last error
	for {
		at, err := b.address(ctx)
		if err == nil {
			err = answers(ctx, at)
		}
		if err == nil {
			return at, nil
		}
		if ctx.Err() == nil {
			last = err
		}
		state, err := b.box.State(ctx)
		switch {
		case err != nil:
			return nil, fmt.Errorf("%s in a container does not answer: %w", b.image, errors.Join(last, err))
		case !state.Running:
			return nil, fmt.Errorf("the container of %s ended at once: exit status %d", b.image, state.ExitCode)
		}
		rundir.Sleep(50 * time.Millisecond)
	}
}

func (b *box) address(ctx context.Context) (*mysql.Config, error) {
	host, err := b.box.Host(ctx)
	if err != nil {
		return nil, err
	}
	published, err := b.box.MappedPort(ctx, port.String())
	if err != nil {
		return nil, err
	}
	at := mysql.NewConfig()
	at.User, at.Net, at.Addr, at.Logger = "root", "tcp", net.JoinHostPort(host, published.Port()), silent{}
	return at, nil
}

// answers tries to log in. The engine's proxy accepts connections before the server does.
func answers(ctx context.Context, at *mysql.Config) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	connector, err := mysql.NewConnector(at)
	if err != nil {
		return err
	}
	var c driver.Conn
	if c, err = connector.Connect(ctx); err != nil {
		return err
	}
	return c.Close()
}

// end removes the container with its volumes. It holds nothing worth saving.
func (b *box) end() error {
	var errs []error
	if b.box != nil {
		ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
		defer cancel()
		_, err := b.provider.Client().ContainerRemove(ctx, b.box.GetContainerID(), client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
		errs = append(errs, err, os.Remove(b.note))
		b.box = nil
	}
	if b.folder != nil {
		errs = append(errs, b.folder.Release())
		b.folder = nil
	}
	if b.provider != nil {
		errs = append(errs, b.provider.Close())
		b.provider = nil
	}
	return errors.Join(errs...)
}

// unavailable says it in the words of --sql.
func unavailable(err error) error {
	hint := "see what docker logs says of the image, or use --sql process"
	var u *backend.UnavailableError
	if errors.As(err, &u) {
		err, hint = u.Err, strings.ReplaceAll(u.Hint, "--redis", "--sql")
	}
	return &backend.UnavailableError{Backend: "SQL container", Err: err, Hint: hint}
}
