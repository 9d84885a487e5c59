// Package redisurl runs worlds on a Redis server that the user names. It is not ours, so it is touched as little as can
// be: the database must be empty at first, only keys that commands of the run named are removed, other databases and
// settings are left alone, and nothing that concerns the whole server is sent.
package redisurl

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"sort"
	"strconv"
	"strings"
	"syscall"

	"github.com/racebench/racebench/interleave/backend"
	"github.com/racebench/racebench/interleave/backend/remote"
	"github.com/racebench/racebench/interleave/wire"
)

// Name is the backend's word.
const Name = "url"

func init() {
	for _, scheme := range []string{"redis://", "rediss://", "unix://"} {
		backend.Register(scheme, Open)
	}
}

// hint is what to use instead.
const hint = "use --redis process for a server of its own"

// target is what a URL names.
type target struct {
	addr net.Addr
	tls  *tls.Config
	auth []string
	db   int
}

// Open connects to the server that the URL names, and refuses it unless the database is empty. It must be called outside
// of any testing/synctest bubble.
func Open(spec string, cfg backend.Config) (backend.Server, error) {
	to, err := parse(spec)
	if err != nil {
		var name *net.DNSError
		if errors.As(err, &name) {
			return nil, unavailable(err, "write a host that can be looked up here, or its address; or "+hint)
		}
		return nil, unavailable(err, "the form is redis://[user:password@]host[:port][/database], rediss:// with TLS, or unix:///path?db=0")
	}
	k := &keys{db: to.db, named: map[string]bool{}}
	s, err := remote.New(remote.Options{
		Name: Name, Addr: to.addr, TLS: to.tls, Auth: to.auth, DB: to.db, ReplyTimeout: cfg.ReplyTimeout,
		Shared: true, Guard: k.guard, Clear: k.clear, Keys: k.list,
	})
	if err != nil {
		return nil, to.explain(err)
	}
	if err := check(s, to); err != nil {
		s.Close()
		return nil, to.explain(err)
	}
	return s, nil
}

// explain adds to an error of the first connection what can be done about it.
func (to target) explain(err error) error {
	var u *backend.UnavailableError
	if !errors.As(err, &u) || u.Hint != "" {
		return err
	}
	cause, advice := u.Err, ""
	text := cause.Error()
	has := func(what string) bool { return strings.Contains(text, what) }
	switch {
	case errors.Is(cause, syscall.ECONNREFUSED), errors.Is(cause, os.ErrNotExist):
		advice = "start the server, or mend host, port or path in the URL"
	case errors.Is(cause, os.ErrPermission):
		advice = "let this user connect to the socket"
	case has("DB index"):
		cause = fmt.Errorf("%s has no database %d: %w", to.addr, to.db, cause)
		advice = "name a lower number; a server has 16 databases, 0 to 15, unless it is configured otherwise"
	case has("without any password configured"):
		advice = "leave the password out of the URL: the server has none"
	case has("WRONGPASS"), has("invalid password"):
		cause = fmt.Errorf("%s does not take the user and password of the URL: %w", to.addr, cause)
		advice = "mend them: redis://user:password@host, or redis://:password@host for the default user"
	case has("NOAUTH"):
		advice = "write the password into the URL: redis://:password@host"
	case has("NOPERM"):
		advice = "name a user in the URL who may use INFO, DBSIZE, SCAN and the commands of the run"
	case has("x509"), has("certificate"):
		advice = "add ?skip_verify=true to the URL if the certificate need not be verified"
	case to.tls != nil:
		advice = "write redis:// if the server does not speak TLS"
	case to.addr.Network() == "tcp":
		advice = "see whether a Redis server is there (redis-cli ping), and write rediss:// if it speaks TLS"
	default:
		advice = "see whether a Redis server is there (redis-cli ping)"
	}
	return unavailable(cause, advice+"; or "+hint)
}

// check refuses a database that holds keys, and a cluster, in which it would be one shard.
func check(s *remote.Server, to target) error {
	info, err := s.Ask("INFO", "cluster")
	if err != nil {
		return err
	}
	if strings.Contains(info.Str, "cluster_enabled:1") {
		return unavailable(fmt.Errorf("%s is a node of a cluster", to.addr), hint)
	}
	size, err := s.Ask("DBSIZE")
	if err != nil {
		return err
	}
	if size.IsErr() {
		return unavailable(fmt.Errorf("%s refuses DBSIZE: %s", to.addr, size), hint)
	}
	if size.Int > 0 {
		return unavailable(fmt.Errorf("database %d of %s is not empty (%s)", to.db, to.addr, counted(int(size.Int))),
			"name an empty one ("+suggestion(to)+"), or "+hint)
	}
	return nil
}

func suggestion(to target) string {
	if to.addr.Network() == "unix" {
		return fmt.Sprintf("unix://%s?db=%d", to.addr, to.db+1)
	}
	return fmt.Sprintf("redis://%s/%d", to.addr, to.db+1)
}

func counted(n int) string {
	if n == 1 {
		return "1 key"
	}
	return strconv.Itoa(n) + " keys"
}

// parse reads a URL and looks its host up: inside a bubble nobody can.
func parse(spec string) (target, error) {
	u, err := url.Parse(spec)
	if err != nil {
		// The error of package url quotes the URL, and with it the password.
		return target{}, fmt.Errorf("the URL can't be read")
	}
	var to target
	if u.User != nil {
		to.auth = []string{"AUTH"}
		if name := u.User.Username(); name != "" {
			to.auth = append(to.auth, name)
		}
		password, _ := u.User.Password()
		to.auth = append(to.auth, password)
	}
	db := strings.Trim(u.Path, "/")
	if u.Scheme == "unix" {
		if u.Path == "" {
			return target{}, fmt.Errorf("%s names no socket", u.Redacted())
		}
		to.addr, db = &net.UnixAddr{Name: u.Path, Net: "unix"}, u.Query().Get("db")
	}
	if db != "" {
		if to.db, err = strconv.Atoi(db); err != nil || to.db < 0 {
			return target{}, fmt.Errorf("%q is no number of a database", db)
		}
	}
	if to.addr != nil {
		return to, nil
	}
	host, port := u.Hostname(), u.Port()
	if host == "" {
		host = "localhost"
	}
	if port == "" {
		port = "6379"
	}
	if to.addr, err = net.ResolveTCPAddr("tcp", net.JoinHostPort(host, port)); err != nil {
		return target{}, err
	}
	if u.Scheme == "rediss" {
		to.tls = &tls.Config{ServerName: host, MinVersion: tls.VersionTLS12, InsecureSkipVerify: u.Query().Get("skip_verify") == "true"}
	}
	return to, nil
}

// maxListed is how many keys a note names.
const maxListed = 5

// clear removes the keys that the run named, and reports those that are left.
func (k *keys) clear(do func(args ...string) ([]byte, error)) (note string, err error) {
	const batch = 500
	named := k.list()
	for len(named) > 0 {
		n := min(batch, len(named))
		raw, err := do(append([]string{"DEL"}, named[:n]...)...)
		if err != nil {
			return "", err
		}
		if raw[0] == '-' {
			return "", unavailable(fmt.Errorf("the keys of the run can't be removed: %s", bytes.TrimSpace(raw[1:])), "")
		}
		named = named[n:]
	}
	clear(k.named)
	raw, err := do("DBSIZE")
	if err != nil {
		return "", err
	}
	size, _, err := wire.Parse(raw)
	if err != nil || size.Int == 0 {
		return "", err
	}
	raw, err = do("SCAN", "0", "COUNT", "100")
	if err != nil {
		return "", err
	}
	page, _, err := wire.Parse(raw)
	if err != nil || len(page.Elems) != 2 {
		return "", err
	}
	var names []string
	for _, e := range page.Elems[1].Elems {
		names = append(names, wire.Quote(e.Str))
	}
	sort.Strings(names)
	more := ""
	if len(names) > maxListed {
		names, more = names[:maxListed], ", …"
	}
	return fmt.Sprintf("%s that no command of the run named stay in database %d: %s%s", counted(int(size.Int)), k.db,
		strings.Join(names, ", "), more), nil
}

// Probe tells whether the server of a URL can be used, and leaves it as it was.
func Probe(_ context.Context, spec string, cfg backend.Config) (version, how string, err error) {
	s, err := Open(spec, cfg)
	if err != nil {
		return "", "", err
	}
	defer s.Close()
	return s.Version(), "empty database, own wall clock with shifted expiry", nil
}

func unavailable(err error, hint string) error {
	return &backend.UnavailableError{Backend: Name, Err: err, Hint: hint}
}
