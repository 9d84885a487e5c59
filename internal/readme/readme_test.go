// Package readme executes what the README and the documents show: commands with their output, and Go files in a module of a
// stranger's.
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

// block is a fenced block of the README.
type block struct{ lang, text string }

var fence = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$")

func blocks(t *testing.T, root string) []block {
	data, err := os.ReadFile(filepath.Join(root, "README.md"))
	require.NoError(t, err)
	return fenced(string(data))
}

func fenced(text string) []block {
	var out []block
	for _, m := range fence.FindAllStringSubmatch(text, -1) {
		out = append(out, block{m[1], m[2]})
	}
	return out
}

// byCI are commands that would run this test again. The check script runs them.
var byCI = map[string]string{"go test ./...": "go test -race -timeout 30m ./..."}

// TestReadme runs the commands of the README but for those of TestFromAnEmptyFolder.
func TestReadme(t *testing.T) {
	root := stranger.Root(t)
	commands := 0
	_, others := parts(t, root)
	for _, b := range others {
		switch b.lang {
		case "console":
			for _, shown := range strings.Split("\n"+b.text, "\n$ ")[1:] {
				command, want, _ := strings.Cut(shown, "\n")
				commands++
				if inCI, ok := byCI[command]; ok {
					script, err := os.ReadFile(filepath.Join(root, ".ci", "run"))
					require.NoError(t, err)
					require.Contains(t, string(script), inCI)
					continue
				}
				if strings.Contains(command, " run") && strings.HasSuffix(command, "racebench run") {
					command += " --out " + t.TempDir() // the reader's results are not ours to write
				}
				out, _ := stranger.Run(t, root, "bash", "-c", command)
				requireShown(t, command, want, out)
			}
		case "text":
		default:
			t.Errorf("a block of language %q is not executed", b.lang)
		}
	}
	require.Equal(t, 5, commands)
}

// requireShown compares output with what the README shows, where a line "…" stands for any lines.
func requireShown(t *testing.T, command, want, out string) {
	t.Helper()
	rest := lines(out)
	gap := false
	for _, line := range lines(want) {
		if line == "…" {
			gap = true
			continue
		}
		at := -1
		for i, l := range rest {
			if l == line {
				at = i
				break
			}
			if !gap {
				break
			}
		}
		require.GreaterOrEqual(t, at, 0, "$ %s\ndoes not print, in this place, the line\n%s\nbut\n%s", command, line, out)
		rest, gap = rest[at+1:], false
	}
	if !gap {
		require.Empty(t, rest, "$ %s prints more than is shown", command)
	}
}

// place is what go test puts before the text of a failure.
var place = regexp.MustCompile(`^\S+_test\.go:\d+: `)

// lines are the lines of a text without indentation, empty ones left out.
func lines(text string) []string {
	var out []string
	for _, l := range strings.Split(text, "\n") {
		if l = place.ReplaceAllString(strings.TrimSpace(l), ""); l != "" {
			out = append(out, l)
		}
	}
	return out
}

// link is a link of Markdown to something in this repository: no scheme. Without a file it is to a place in the same one.
var link = regexp.MustCompile(`\]\(([^)#:\s]*)(?:#([^)\s]*))?\)`)

// places are the names that GitHub gives to the headings of a document.
func places(text string) map[string]bool {
	all := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
		all[strings.ReplaceAll(strings.ToLower(noName.ReplaceAllString(m[1], "")), " ", "-")] = true
	}
	return all
}

var (
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	noName  = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// What README and documents link to is there.
func TestLinks(t *testing.T) {
	root := stranger.Root(t)
	files, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	require.NoError(t, err)
	for _, name := range []string{"README.md", "README.ko.md", "CONTRIBUTING.md", "CHANGELOG.md", filepath.Join("examples", "README.md")} {
		files = append(files, filepath.Join(root, name))
	}
	links := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, m := range link.FindAllStringSubmatch(fence.ReplaceAllString(string(text), ""), -1) {
			links++
			to := file
			if m[1] != "" {
				to = filepath.Join(filepath.Dir(file), filepath.FromSlash(m[1]))
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s links to %s, which is not there", filepath.Base(file), m[1])
			}
			if m[2] == "" {
				continue
			}
			text, err := os.ReadFile(to)
			require.NoError(t, err)
			if !places(string(text))[m[2]] {
				t.Errorf("%s links to %s#%s, and there is no such heading", filepath.Base(file), m[1], m[2])
			}
		}
	}
	require.GreaterOrEqual(t, links, 5)
}

// The picture at the top is what the command draws.
func TestPicture(t *testing.T) {
	root := stranger.Root(t)
	want, err := os.ReadFile(filepath.Join(root, "docs", "img", "a1.svg"))
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "a1.svg")
	out, _ := stranger.Run(t, root, "go", "run", "./cmd/racebench", "replay", "A1", "--svg", file)
	got, err := os.ReadFile(file)
	require.NoError(t, err, out)
	require.Equal(t, string(want), string(got), "racebench replay A1 --svg docs/img/a1.svg")
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	require.NoError(t, err)
	require.Contains(t, string(text), "](docs/img/a1.svg)")
}

// The index lists every document in a line of its own, and the README leads to the index.
func TestIndex(t *testing.T) {
	root := stranger.Root(t)
	files, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	index, err := os.ReadFile(filepath.Join(root, "docs", "README.md"))
	require.NoError(t, err)
	for _, file := range files {
		if name := filepath.Base(file); name != "README.md" {
			require.Equal(t, 1, strings.Count(string(index), "| ["+name+"]("+name+") | "), "lines of docs/README.md about %s", name)
		}
	}
	for _, name := range []string{"README.md", "README.ko.md"} {
		text, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		require.Contains(t, string(text), "](docs/README.md)", name)
	}
}
