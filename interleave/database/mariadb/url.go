package mariadb

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net"
	"net/url"
	"regexp"

	"github.com/go-sql-driver/mysql"

	"github.com/racebench/racebench/interleave/backend"
)

// parseURL reads mysql://user:password@host:port. A schema in it is refused: ours is the only one that is used.
func parseURL(spec string) (*mysql.Config, error) {
	u, err := url.Parse(spec)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("interleave: %q is no mysql:// URL (allowed: mysql://user:password@host:port)", spec)
	}
	if u.Path != "" && u.Path != "/" {
		return nil, &backend.RefusedError{Backend: "SQL url", Command: u.Redacted(), Reason: "it names the schema " + u.Path[1:] + "; one of our own is made and dropped, leave it out",
			Hint: "mysql://user:password@host:port"}
	}
	cfg := mysql.NewConfig()
	cfg.User = u.User.Username()
	cfg.Passwd, _ = u.User.Password()
	cfg.Net, cfg.Addr = "tcp", u.Host
	if u.Port() == "" {
		cfg.Addr = net.JoinHostPort(u.Hostname(), "3306")
	}
	return cfg, nil
}

// URL uses a schema of our own on a server that the user names: mysql://user:password@host:port. Close drops the schema;
// nothing else there is touched. Its user must be allowed to make schemas, to see processes and to end connections.
func URL(spec string) (*Server, error) {
	at, err := parseURL(spec)
	if err != nil {
		return nil, err
	}
	var tail [6]byte
	rand.Read(tail[:]) // never fails
	return At(urlName, prefix+hex.EncodeToString(tail[:]), at, func() error { return nil })
}

const urlName = "url"

// prefix begins the name of every schema of ours.
const prefix = "racebench_"

// schemaName is the name of a schema that URL has made.
var schemaName = regexp.MustCompile(`^` + prefix + `[0-9a-f]{12}$`)

// claim marks the schema as used, by a lock that the server frees when our connection ends, however we end, and drops the
// schemas of those that have ended without dropping them.
func (s *Server) claim() error {
	rows, err := s.query("SELECT GET_LOCK('" + s.schema + "', 0)")
	if err != nil {
		return err
	}
	if rows[0][0] != "1" {
		return fmt.Errorf("somebody uses the schema %s", s.schema)
	}
	if rows, err = s.query("SELECT schema_name FROM information_schema.schemata WHERE schema_name LIKE 'racebench\\_%'"); err != nil {
		return err
	}
	for _, r := range rows {
		name := r[0]
		if !schemaName.MatchString(name) || name == s.schema {
			continue
		}
		free, err := s.query("SELECT IS_FREE_LOCK('" + name + "')")
		if err == nil && free[0][0] == "1" {
			err = s.exec("DROP DATABASE IF EXISTS `" + name + "`")
		}
		if err != nil {
			return fmt.Errorf("the schema %s that a run left: %w", name, err)
		}
	}
	return nil
}
