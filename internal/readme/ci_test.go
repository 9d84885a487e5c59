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

// workflow is what GitHub reads of a recipe; unknown fields of it are those of GitHub.
type workflow struct {
	On   []string `yaml:"on"`
	Jobs map[string]struct {
		RunsOn string `yaml:"runs-on"`
		Steps  []struct {
			Uses string            `yaml:"uses"`
			Run  string            `yaml:"run"`
			If   string            `yaml:"if"`
			With map[string]string `yaml:"with"`
		}
	}
}

// pipeline is what GitLab reads of a recipe.
type pipeline map[string]struct {
	Image     string
	Script    []string
	Artifacts struct {
		When    string
		Paths   []string
		Reports map[string]string
	}
}

// recipe is a recipe of any CI system: what it runs, and the files that it then looks for.
type recipe struct{ commands, collected []string }

// optional are what is collected of a test that has failed.
var optional = regexp.MustCompile(`^_artifacts/|^\*\*/testdata/`)

// parseRecipe reads a block of YAML as the system whose file it says it is.
func parseRecipe(t *testing.T, text string) recipe {
	t.Helper()
	var r recipe
	name, _, _ := strings.Cut(text, "\n")
	switch name {
	case "# .github/workflows/races.yml":
		var w workflow
		require.NoError(t, yaml.Unmarshal([]byte(text), &w))
		require.Equal(t, []string{"push", "pull_request"}, w.On)
		require.Len(t, w.Jobs, 1)
		for _, job := range w.Jobs {
			require.NotEmpty(t, job.RunsOn)
			for i, step := range job.Steps {
				require.NotEqual(t, step.Uses == "", step.Run == "", "step %d uses an action or runs a command", i)
				if step.Run != "" {
					r.commands = append(r.commands, step.Run)
				}
				if strings.Contains(step.Uses, "/upload-") {
					require.Equal(t, "always()", step.If, step.Uses)
					r.collected = append(r.collected, strings.Fields(step.With["path"]+" "+step.With["sarif_file"])...)
				}
			}
		}
	case "# .gitlab-ci.yml":
		var p pipeline
		require.NoError(t, yaml.Unmarshal([]byte(text), &p))
		require.Len(t, p, 1)
		for _, job := range p {
			require.NotEmpty(t, job.Image)
			require.Equal(t, "always", job.Artifacts.When)
			r.commands, r.collected = job.Script, job.Artifacts.Paths
			for _, path := range job.Artifacts.Reports {
				r.collected = append(r.collected, path)
			}
		}
	default:
		t.Fatalf("a recipe of nobody: %q", name)
	}
	require.NotEmpty(t, r.commands)
	require.NotEmpty(t, r.collected)
	return r
}

// TestCIRecipes runs the commands of each recipe in docs/ci.md in a folder that is as a fresh clone, and looks for the files
// that the recipe then collects.
func TestCIRecipes(t *testing.T) {
	root := stranger.Root(t)
	text, err := os.ReadFile(filepath.Join(root, "docs", "ci.md"))
	require.NoError(t, err)
	var recipes []recipe
	source := ""
	for _, m := range fence.FindAllStringSubmatch(string(text), -1) {
		switch m[1] {
		case "go":
			source = m[2]
		case "console":
			pageOfATest(t, source, strings.TrimPrefix(strings.TrimSpace(m[2]), "$ "))
		default:
			require.Equal(t, "yaml", m[1], "a block that is not executed")
			recipes = append(recipes, parseRecipe(t, m[2]))
		}
	}
	require.Len(t, recipes, 2, "GitHub and GitLab")
	t.Cleanup(func() { _ = os.Remove(filepath.Join(root, "_artifacts")) }) // which go test makes; not if there is something in it
	for _, r := range recipes {
		dir := t.TempDir()
		summary := filepath.Join(dir, "summary.md")
		t.Setenv("GITHUB_STEP_SUMMARY", summary)
		// What a recipe writes goes elsewhere: the working copy is not ours to change.
		elsewhere := regexp.MustCompile(`(^|[ ])(junit\.xml|races\.html|races\.sarif|results)( |$)|results/run\.json`)
		for _, command := range r.commands {
			here := elsewhere.ReplaceAllStringFunc(command, func(s string) string {
				return strings.Replace(s, strings.TrimSpace(s), filepath.Join(dir, strings.TrimSpace(s)), 1)
			})
			out, ok := stranger.Run(t, root, "bash", "-c", here)
			require.True(t, ok, "$ %s\n%s", here, out)
		}
		for _, name := range r.collected {
			if !optional.MatchString(name) {
				require.FileExists(t, filepath.Join(dir, name))
			}
		}
		if strings.Contains(strings.Join(r.commands, "\n"), "GITHUB_STEP_SUMMARY") {
			require.FileExists(t, summary)
		}
	}
}

// pageOfATest runs a test that leaves a page, with the command that is shown, beside those of the README's module.
func pageOfATest(t *testing.T, text, command string) {
	t.Helper()
	require.NotEmpty(t, text)
	files := map[string]string{"page_test.go": "package jobs\n\nimport (\n\t\"testing\"\n\n\t\"github.com/racebench/racebench/interleave\"\n\t\"github.com/racebench/racebench/interleave/page\"\n)\n\n" + text}
	for _, b := range blocks(t, stranger.Root(t)) {
		if b.lang == "go" && files[fileName(t, b)] == "" { // the code that is not yet mended
			files[fileName(t, b)] = b.text
		}
	}
	module := stranger.Module(t, files)
	said, ok := stranger.Run(t, module, "bash", "-c", command)
	require.False(t, ok, said)
	m := regexp.MustCompile(`page:    (\S+)`).FindStringSubmatch(said)
	require.NotNil(t, m, said)
	require.FileExists(t, m[1])
	require.Contains(t, m[1], string(filepath.Separator)+"_artifacts"+string(filepath.Separator))
}
