package process

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"

	"github.com/racebench/racebench/interleave/backend"
	"github.com/racebench/racebench/internal/vclock"
)

var versionField = regexp.MustCompile(`v=(\S+)`)

// Version asks a redis-server for its version; an empty binary is the one on PATH.
func Version(ctx context.Context, binary string) (string, error) {
	path, err := find(binary)
	if err != nil {
		return "", err
	}
	out, err := exec.CommandContext(ctx, path, "--version").CombinedOutput()
	if err != nil {
		return "", unavailable(fmt.Errorf("%s --version: %w", path, err), hint)
	}
	m := versionField.FindSubmatch(out)
	if m == nil {
		return "", unavailable(fmt.Errorf("%s is no Redis server: it answers %q", path, out), hint)
	}
	return string(m[1]), nil
}

// Probe starts a server and ends it again. How says where it is and how its clock is made virtual; the error, an
// *backend.UnavailableError, has a hint how to get what is missing.
func Probe(_ context.Context, cfg backend.Config) (version, how string, err error) {
	server, err := Open(cfg)
	if err != nil {
		return "", "", err
	}
	defer server.Close()
	s := server.(*Server)
	how = s.binary + ", virtual wall clock"
	if s.ClockMode() != "virtual" {
		how = s.binary + ", own wall clock with shifted expiry"
		if _, err := vclock.Library(); err != nil && !cfg.ShiftClock {
			how += fmt.Sprintf(" (%v)", err)
		}
	}
	return s.Version(), how, nil
}
