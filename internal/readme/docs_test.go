package readme

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/racebench/racebench/internal/stranger"
)

// ownTests are the documents whose blocks another test of this package runs.
var ownTests = map[string]string{"ci.md": "TestCIRecipes", "tutorial.md": "TestTutorial", "fuzzing.md": "TestFuzzingExample"}

// bounded is what is run instead of what would take minutes: the same, less of it.
var bounded = strings.NewReplacer("--for 10m", "--for 1s", "--for 10s", "--for 100ms", "--max 100000", "--max 300", "--max 120000", "--max 100", "--max 1000 ", "--max 100 ",
	"--trials 100", "--trials 1", "--trials 20", "--trials 1", "--actors 5", "--actors 4", "-benchtime 1s -count 2", "-benchtime 1x",
	"-bench PublishedFigures", "-bench PublishedFigures -benchtime 1x", "-fuzztime 5m", "-fuzztime 20x")

// indented is a block of code without a fence, which nothing runs.
var indented = regexp.MustCompile(`(?m)^\n(?:    |\t)\S.*$`)

// TestDocs runs what the documents show: console blocks with their output, Go files in a module of a stranger's, YAML by
// parsing it. Every other block is refused.
func TestDocs(t *testing.T) {
	root := stranger.Root(t)
	onPath(t, root)
	files, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	require.NoError(t, err)
	shown := 0
	for _, file := range append(files, filepath.Join(root, "examples", "README.md")) {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		name := filepath.Base(file)
		shown += strings.Count(string(text), "\n$ ")
		t.Run(name, func(t *testing.T) {
			if ownTests[name] == "" {
				runBlocks(t, root, fenced(string(text)))
			}
			require.Empty(t, indented.FindAllString(anyFence.ReplaceAllString(string(text), "\n"), -1), "a block that is not executed: give it a fence")
		})
	}
	require.GreaterOrEqual(t, shown, 30)
}

// anyFence is a fenced block, with a language or without.
var anyFence = regexp.MustCompile("(?ms)^```.*?^```$")

// onPath builds the command and puts it on PATH.
func onPath(t *testing.T, root string) {
	t.Helper()
	bin := t.TempDir()
	out, ok := stranger.Run(t, root, "go", "build", "-o", bin, "./cmd/racebench")
	require.True(t, ok, out)
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// runBlocks runs fenced blocks. Commands of go are run in this module, others in a folder of their own that has the reference
// results.
func runBlocks(t *testing.T, root string, blocks []block) {
	t.Helper()
	files := map[string]string{}
	elsewhere := t.TempDir()
	require.NoError(t, os.CopyFS(filepath.Join(elsewhere, "results", "reference"), os.DirFS(filepath.Join(root, "results", "reference"))))
	for _, b := range blocks {
		switch b.lang {
		case "console":
			require.True(t, strings.HasPrefix(b.text, "$ "), "a block of commands begins with one:\n%s", b.text)
			for _, shown := range strings.Split("\n"+b.text, "\n$ ")[1:] {
				command, want, _ := strings.Cut(shown, "\n")
				dir := elsewhere
				if strings.HasPrefix(command, "go ") {
					dir = root
				}
				runShown(t, dir, command, want)
			}
		case "go":
			name, _, ok := strings.Cut(strings.TrimPrefix(b.text, "// "), "\n")
			require.True(t, ok && strings.HasSuffix(name, ".go"), "a block of Go begins with the name of its file")
			files[name] = b.text
		case "yaml":
			for _, part := range strings.Split(b.text, "\n---\n") {
				var doc any
				require.NoError(t, yaml.Unmarshal([]byte(part), &doc))
			}
		case "text":
		default:
			t.Errorf("a block of language %q is not executed", b.lang)
		}
	}
	for name, text := range files {
		module := stranger.Module(t, nil)
		require.NoError(t, os.Mkdir(filepath.Join(module, "shown"), 0o750))
		require.NoError(t, os.WriteFile(filepath.Join(module, "shown", name), []byte(text), 0o600))
		verb := []string{"vet"}
		if strings.HasSuffix(name, "_test.go") {
			verb = []string{"test"}
		}
		out, ok := stranger.Run(t, module, "go", append(verb, "./shown")...)
		require.True(t, ok, "%s\n%s", name, out)
	}
}

// runShown runs a command, or less of it, and compares what it prints. It may say that something was violated or is undecided,
// and not that it was called in a wrong way, unless that is what is shown.
func runShown(t *testing.T, dir, command, want string) {
	t.Helper()
	out, ok := stranger.Run(t, dir, "bash", "-c", bounded.Replace(command)+"\ncode=$?; [ $code != 2 ] && [ $code != 3 ]")
	require.True(t, ok || strings.Contains(want, "racebench: "), "$ %s\n%s", command, out)
	requireShown(t, command, want, strings.TrimSuffix(out, "exit status 1\n"))
}
