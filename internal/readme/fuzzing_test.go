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

// The example of docs/fuzzing.md, in a module of a stranger's: what it prints, that the command at its end shows the same
// world again, and that a plain go test meets the file that rapid has kept.
func TestFuzzingExample(t *testing.T) {
	root := stranger.Root(t)
	text, err := os.ReadFile(filepath.Join(root, "docs", "fuzzing.md"))
	require.NoError(t, err)
	files := map[string]string{}
	var command, want string
	var others []string
	for _, m := range fence.FindAllStringSubmatch(string(text), -1) {
		switch m[1] {
		case "go":
			name, _, _ := strings.Cut(strings.TrimPrefix(m[2], "// "), "\n")
			files[name] = m[2]
		case "console":
			if command == "" {
				command, want, _ = strings.Cut(strings.TrimPrefix(m[2], "$ "), "\n")
				continue
			}
			for _, shown := range strings.Split("\n"+m[2], "\n$ ")[1:] {
				other, _, _ := strings.Cut(shown, "\n")
				others = append(others, other)
			}
		}
	}
	dir := stranger.Module(t, files)
	out, ok := stranger.Run(t, dir, "bash", "-c", command+" -rapid.seed=1")
	require.False(t, ok)
	requireShown(t, command, want, out)
	line := regexp.MustCompile(`(?m)^\s*replay:  (.*)$`).FindStringSubmatch(out)
	require.NotNil(t, line, out)
	require.Contains(t, out, line[1]+"\nFAIL\n", "it is the last line")

	for _, again := range []string{line[1], "go test -run TestAnyStarts ."} {
		out, ok = stranger.Run(t, dir, "bash", "-c", again)
		require.False(t, ok)
		require.Contains(t, out, `draw starts: [][]string{[]string{"doc-1"}, []string{"doc-1"}}`)
		require.Contains(t, out, `"one job a document" violated after step 6`)
	}
	out, ok = stranger.Run(t, dir, "go", "test", "-run", "FuzzStarts", ".")
	require.True(t, ok, out)

	onPath(t, root)
	require.Len(t, others, 3)
	for _, other := range others {
		runShown(t, dir, other, "…\n")
	}
}
