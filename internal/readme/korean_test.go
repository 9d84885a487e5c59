package readme

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/internal/stranger"
)

// TestKoreanReadme: what README.ko.md shows is what TestReadme executes, to the letter and in the same order, and none of it is
// left out; only the sentences between are another language's.
func TestKoreanReadme(t *testing.T) {
	root := stranger.Root(t)
	text, err := os.ReadFile(filepath.Join(root, "README.ko.md"))
	require.NoError(t, err)
	korean := run(fenced(string(text)))
	require.NotEmpty(t, korean)
	require.Equal(t, run(blocks(t, root)), korean, "copy the block from README.md to README.ko.md")
}

// run are the blocks that are executed. The others are pictures, and lines for go.mod.
func run(all []block) []block {
	return slices.DeleteFunc(all, func(b block) bool { return b.lang == "text" })
}
