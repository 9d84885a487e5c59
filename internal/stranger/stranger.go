// Package stranger makes the module of somebody else who uses this one, for tests of the front door and of documents.
package stranger

import (
	_ "embed"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

//go:embed jobs.go.txt
var jobs string

// Module writes a module with a package jobs, and the given further files, to a temporary folder. It requires the same
// versions as this module, so that nothing has to be looked up.
func Module(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	root := Root(t)
	dir = t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	mod := regexp.MustCompile(`(?m)^module .*$`).ReplaceAllString(read("go.mod"), "module example.org/jobs")
	write("go.mod", mod+"\nrequire github.com/racebench/racebench v0.0.0\nreplace github.com/racebench/racebench => "+root+"\n")
	write("go.sum", read("go.sum"))
	write("jobs.go", jobs)
	for name, text := range files {
		write(name, text)
	}
	return dir
}

// Root is the folder of this module.
func Root(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/racebench/racebench").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// Run runs a command in a folder, as a person does whose environment says nothing about racebench, and returns what it
// prints and whether it succeeded.
func Run(t *testing.T, dir, name string, args ...string) (output string, ok bool) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "INTERLEAVE_REDIS=", "NO_COLOR=1")
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(out), err == nil
}
