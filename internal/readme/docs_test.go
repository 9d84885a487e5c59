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
var ownTests = map[string]string{"ci.md": "TestCIRecipes", "tutorial.md": "TestTutorial", "fuzzing.md": "TestFuzzing"}

// indented are the languages of blocks without a fence: a command, or Go.
var command = regexp.MustCompile(`(?m)^(?:    |\t)(?:\$ )?(?:go run \./cmd/)?(racebench [a-z][^#\n]*)`)

// TestDocs runs what the documents show: console blocks with their output, Go files in a module of a stranger's, YAML by
// parsing it. Every other block is refused. Of a command in an indented block it asks that its flags exist.
func TestDocs(t *testing.T) {
	root := stranger.Root(t)
	files, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	require.NoError(t, err)
	shown := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		name := filepath.Base(file)
		t.Run(name, func(t *testing.T) {
			if ownTests[name] == "" {
				shown += runBlocks(t, root, fenced(string(text)))
			}
			for _, m := range command.FindAllStringSubmatch(string(text), -1) {
				knows(t, root, strings.TrimSpace(strings.NewReplacer("…", "", "\\", "").Replace(m[1])))
			}
		})
	}
	require.GreaterOrEqual(t, shown, 5)
}

// runBlocks runs fenced blocks and returns how many commands that were.
func runBlocks(t *testing.T, root string, blocks []block) (commands int) {
	t.Helper()
	files := map[string]string{}
	for _, b := range blocks {
		switch b.lang {
		case "console":
			for _, shown := range strings.Split("\n"+b.text, "\n$ ")[1:] {
				command, want, _ := strings.Cut(shown, "\n")
				out, _ := stranger.Run(t, root, "bash", "-c", command)
				requireShown(t, command, want, strings.TrimSuffix(out, "exit status 1\n"))
				commands++
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
		out, ok := stranger.Run(t, module, "go", "vet", "./shown")
		require.True(t, ok, "%s\n%s", name, out)
	}
	return commands
}

// knows asks the command whether it has the flags of a command line, without running it: the help comes first.
func knows(t *testing.T, root, line string) {
	t.Helper()
	line, _, _ = strings.Cut(line, " && ")
	line, _, _ = strings.Cut(line, "   ")
	out, ok := stranger.Run(t, root, "bash", "-c", "go run ./cmd/"+line+" --help")
	require.True(t, ok, "%s\n%s", line, out)
}
