// Package require lets a test ask for a backend that may not be there.
package require

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// Variable is the environment variable that lists, with commas between them, what must be there: a test that asks for
// it fails where it would be skipped otherwise. "all" means everything.
const Variable = "RACEBENCH_REQUIRE"

// need is how to find out whether something is there, and how to get it.
type need struct {
	have func() bool
	get  string
}

func onPath(names ...string) func() bool {
	return func() bool {
		return slices.ContainsFunc(names, func(n string) bool {
			_, err := exec.LookPath(n)
			return err == nil
		})
	}
}

func dockerAnswers() bool { return exec.Command("docker", "version").Run() == nil }

var needs = map[string]need{
	"process":    {onPath("redis-server"), "apt-get install redis-server"},
	"container":  {dockerAnswers, "start a Docker engine (apt-get install docker.io) and set DOCKER_HOST if it is not the default"},
	"cc":         {onPath("cc", "gcc", "clang"), "apt-get install gcc libc6-dev"},
	"mariadb":    {onPath("mariadbd", "mysqld"), "apt-get install mariadb-server"},
	"postgresql": {onPath("postgres", "pg_ctlcluster"), "apt-get install postgresql"},
	"chromium":   {onPath("chromium", "chromium-browser", "google-chrome"), "apt-get install chromium"},
}

// Backend returns if what a test needs is there. Otherwise it skips the test with the command that provides it, or
// fails it if RACEBENCH_REQUIRE names it.
func Backend(t testing.TB, name string) {
	t.Helper()
	n, ok := needs[name]
	if !ok {
		t.Fatalf("require: nobody knows how to look for %q", name)
	}
	if n.have() {
		return
	}
	Missing(t, name, "not found here", n.get)
}

// ImageVariable is the environment variable that names the image of the tests that run in a container.
const ImageVariable = "RACEBENCH_TEST_IMAGE"

// Image returns a local image of Redis, for tests that run in a container. Otherwise it skips or fails as Backend does.
func Image(t testing.TB) string {
	t.Helper()
	Backend(t, "container")
	for _, image := range []string{os.Getenv(ImageVariable), "redis:7-alpine", "racebench/redis:7.0"} {
		if image != "" && exec.Command("docker", "image", "inspect", image).Run() == nil {
			return image
		}
	}
	Missing(t, "container", "no local image of Redis", "docker pull redis:7-alpine")
	return ""
}

// SQLImageVariable is the environment variable that names the image of MySQL or MariaDB.
const SQLImageVariable = "RACEBENCH_TEST_SQL_IMAGE"

// SQLImage returns a local image of MySQL or MariaDB, for tests that run in a container. Otherwise it skips, or fails if
// RACEBENCH_REQUIRE names sqlcontainer.
func SQLImage(t testing.TB) string {
	t.Helper()
	for _, image := range []string{os.Getenv(SQLImageVariable), "mysql:8", "mariadb:10.11", "racebench/mariadb:10.11"} {
		if image != "" && exec.Command("docker", "image", "inspect", image).Run() == nil {
			return image
		}
	}
	Missing(t, "sqlcontainer", "no Docker engine with a local image of MySQL or MariaDB", "docker pull mysql:8")
	return ""
}

// Missing is for a test that found out itself that something can't be used: it skips, or fails, as Backend does.
func Missing(t testing.TB, name, why, get string) {
	t.Helper()
	if Required(name) {
		t.Fatalf("%s is required by %s: %s; to get it: %s", name, Variable, why, get)
	}
	t.Skipf("%s: %s; to get it: %s", name, why, get)
}

// Required reports whether RACEBENCH_REQUIRE names something.
func Required(name string) bool {
	listed := strings.Split(os.Getenv(Variable), ",")
	return slices.Contains(listed, name) || slices.Contains(listed, "all")
}
