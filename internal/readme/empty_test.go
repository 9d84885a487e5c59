package readme

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/internal/stranger"
)

// fromEmpty is the part of the README, by its heading, that somebody follows who has an empty folder.
const fromEmpty = "\n## Sixty seconds: your own code\n"

// parts are the blocks of the README that are followed from an empty folder, and the others.
func parts(t *testing.T, root string) (empty, others []block) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	require.NoError(t, err)
	before, rest, ok := strings.Cut(string(text), fromEmpty)
	require.True(t, ok, "no heading %q", fromEmpty)
	part, after, ok := strings.Cut(rest, "\n## ")
	require.True(t, ok)
	return fenced(part), append(fenced(before), fenced(after)...)
}

// clone is the command that a reader types and that is made from the files here instead, those not yet committed among them.
const clone = "git clone https://github.com/racebench/racebench"

// downloading is what go says on a machine that lacks a module.
var downloading = regexp.MustCompile(`(?m)^go: (downloading|finding|found) .*\n`)

// TestFromAnEmptyFolder follows the README as a reader does on a bare machine: an empty folder, a new home, nothing installed
// but Go. Only what the network would bring is taken from where this machine keeps it.
func TestFromAnEmptyFolder(t *testing.T) {
	root := stranger.Root(t)
	dir, home := t.TempDir(), t.TempDir()
	for _, name := range []string{"GOMODCACHE", "GOCACHE", "GOPROXY", "GOSUMDB", "GONOSUMDB", "GONOPROXY", "GOPRIVATE"} {
		value, err := exec.Command("go", "env", name).Output()
		require.NoError(t, err)
		t.Setenv(name, strings.TrimSpace(string(value)))
	}
	t.Setenv("HOME", home)
	t.Setenv("GOPATH", filepath.Join(home, "go"))
	t.Setenv("GOBIN", "")

	part, _ := parts(t, root)
	commands, files := 0, 0
	for _, b := range part {
		if b.lang == "go" {
			require.NoError(t, os.WriteFile(filepath.Join(dir, fileName(t, b)), []byte(b.text), 0o600))
			files++
			continue
		}
		require.Equal(t, "console", b.lang, "a block that is not executed")
		for _, shown := range strings.Split("\n"+b.text, "\n$ ")[1:] {
			command, want, _ := strings.Cut(shown, "\n")
			commands++
			if to, ok := strings.CutPrefix(command, "cd "); ok {
				dir = filepath.Join(dir, to)
				continue
			}
			if command == clone {
				cloned(t, root, filepath.Join(dir, "racebench"))
				continue
			}
			out, _ := stranger.Run(t, dir, "bash", "-c", command)
			requireShown(t, command, took.ReplaceAllString(want, ""), took.ReplaceAllString(downloading.ReplaceAllString(out, ""), ""))
			t.Logf("$ %s\n%s", command, out)
		}
	}
	require.Equal(t, 10, commands)
	require.Equal(t, 3, files, "the code, its test, and the code mended")

	out, ok := stranger.Run(t, dir, filepath.Join(home, "go", "bin", "racebench"), "version")
	require.True(t, ok, out)
	pages, err := filepath.Glob(filepath.Join(dir, "_artifacts", "*", "racebench.html"))
	require.NoError(t, err)
	require.Len(t, pages, 1, "the page of the test that failed")
	text, err := os.ReadFile(pages[0])
	require.NoError(t, err)
	for _, read := range []string{"one job a document", "2 of 4", "jobs/jobs.go:17", "running, err := j.Redis.Get(ctx"} {
		require.True(t, strings.Contains(string(text), read), "the page does not have %q", read)
	}
}

// fileName is the name of the file that a block of Go begins with.
func fileName(t *testing.T, b block) string {
	t.Helper()
	name, _, ok := strings.Cut(strings.TrimPrefix(b.text, "// "), "\n")
	require.True(t, ok && strings.HasSuffix(name, ".go"), "a block of Go begins with the name of its file")
	return name
}

// cloned makes a copy of the files that a clone would have.
func cloned(t *testing.T, root, to string) {
	t.Helper()
	cmd := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = root
	names, err := cmd.Output()
	require.NoError(t, err)
	for _, name := range strings.Split(strings.TrimSuffix(string(names), "\x00"), "\x00") {
		text, err := os.ReadFile(filepath.Join(root, name))
		if os.IsNotExist(err) {
			continue // deleted, and not yet committed
		}
		require.NoError(t, err)
		file := filepath.Join(to, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o750))
		require.NoError(t, os.WriteFile(file, text, 0o600))
	}
}
