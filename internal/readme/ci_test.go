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

// script is a command of a recipe, of GitHub ("- run: …") or of GitLab ("- …").
var script = regexp.MustCompile(`(?m)^ *- (?:run: )?(go .*)$`)

// TestCIRecipes runs the commands of the recipes in docs/ci.md, which write their files elsewhere, and looks for the files
// that the recipes then collect.
func TestCIRecipes(t *testing.T) {
	root := stranger.Root(t)
	text, err := os.ReadFile(filepath.Join(root, "docs", "ci.md"))
	require.NoError(t, err)
	recipes := map[string]int{}
	for _, m := range fence.FindAllStringSubmatch(string(text), -1) {
		if m[1] == "go" {
			pageOfATest(t, m[2])
			continue
		}
		require.Equal(t, "yaml", m[1], "a block that is not executed")
		var recipe map[string]any
		require.NoError(t, yaml.Unmarshal([]byte(m[2]), &recipe))
		require.NotEmpty(t, recipe)
		for _, c := range script.FindAllStringSubmatch(m[2], -1) {
			recipes[c[1]]++
		}
		for _, collected := range []string{"junit.xml", "races.html", "results/run.json"} {
			require.Contains(t, m[2], collected)
		}
	}
	require.Len(t, recipes, 2, "GitHub and GitLab run the same two commands")
	dir := t.TempDir()
	here := strings.NewReplacer("junit.xml", filepath.Join(dir, "junit.xml"), "races.html", filepath.Join(dir, "races.html"),
		"--out results", "--out "+filepath.Join(dir, "results"))
	for command, times := range recipes {
		require.Equal(t, 2, times, command)
		out, ok := stranger.Run(t, root, "bash", "-c", here.Replace(command))
		require.True(t, ok, "$ %s\n%s", command, out)
	}
	for _, name := range []string{"junit.xml", "races.html", "results/run.json"} {
		require.FileExists(t, filepath.Join(dir, name))
	}
}

// pageOfATest runs a test that leaves a page beside those of the README's module.
func pageOfATest(t *testing.T, text string) {
	t.Helper()
	files := map[string]string{"page_test.go": "package jobs\n\nimport (\n\t\"testing\"\n\n\t\"github.com/racebench/racebench/interleave\"\n\t\"github.com/racebench/racebench/interleave/page\"\n)\n\n" + text}
	for _, b := range blocks(t, stranger.Root(t)) {
		if b.lang == "go" {
			name, _, _ := strings.Cut(strings.TrimPrefix(b.text, "// "), "\n")
			files[name] = b.text
		}
	}
	module, out := stranger.Module(t, files), t.TempDir()
	said, ok := stranger.Run(t, module, "go", "test", "-run", "TestStarts", "-artifacts", "-outputdir", out, "./...")
	require.False(t, ok, said)
	require.Contains(t, said, "page:    "+out)
}
