package readme

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/internal/stranger"
)

// took is how long a test took, which no document can know.
var took = regexp.MustCompile(`\(\d+\.\d+s\)`)

// TestTutorial follows docs/tutorial.md from top to bottom, as a reader does who saves each file over the last one of its
// name and types each command.
func TestTutorial(t *testing.T) {
	root := stranger.Root(t)
	text, err := os.ReadFile(filepath.Join(root, "docs", "tutorial.md"))
	require.NoError(t, err)
	dir := filepath.Join(stranger.Module(t, nil), "stock")
	require.NoError(t, os.Mkdir(dir, 0o700))
	commands, files := 0, 0
	for _, m := range fence.FindAllStringSubmatch(string(text), -1) {
		if m[1] == "go" {
			name, _, ok := strings.Cut(strings.TrimPrefix(m[2], "// "), "\n")
			require.True(t, ok)
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(m[2]), 0o600))
			files++
			continue
		}
		require.Equal(t, "console", m[1], "a block that is not executed")
		for _, shown := range strings.Split("\n"+m[2], "\n$ ")[1:] {
			command, want, _ := strings.Cut(shown, "\n")
			out, _ := stranger.Run(t, dir, "bash", "-c", command)
			t.Logf("$ %s\n%s", command, out)
			requireShown(t, command, took.ReplaceAllString(want, ""), took.ReplaceAllString(out, ""))
			commands++
		}
	}
	require.Equal(t, 6, commands)
	require.Equal(t, 6, files)
}
