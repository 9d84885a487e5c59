package mariadb

import (
	"fmt"
	"net"
	"net/url"

	"github.com/go-sql-driver/mysql"
)

// parseURL reads mysql://user:password@host:port. A schema in it is refused: ours is the only one that is used.
func parseURL(spec string) (*mysql.Config, error) {
	u, err := url.Parse(spec)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("interleave: %q is no mysql:// URL (allowed: mysql://user:password@host:port)", spec)
	}
	if u.Path != "" && u.Path != "/" {
		return nil, fmt.Errorf("interleave: %s names the schema %s; a schema of our own is made and dropped, leave it out", u.Redacted(), u.Path[1:])
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
