package page_test

import (
	"bytes"
	"encoding/json"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/racebench/racebench/internal/page"
)

var snippets = regexp.MustCompile(`data-copy="(package races[^"]*)"`)

// Every test that the page offers builds and passes: a race is kept as one, and what holds holds.
func TestSnippetsPass(t *testing.T) {
	var out bytes.Buffer
	world := func(name string) (string, string) {
		return "scenarios.World(\"" + name + "\")", "github.com/racebench/racebench/scenarios"
	}
	if err := page.Write(&out, reference(t), page.Options{World: world}); err != nil {
		t.Fatal(err)
	}
	found := snippets.FindAllStringSubmatch(out.String(), -1)
	if len(found) < 80 {
		t.Fatalf("%d tests", len(found))
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	// The package is in this module without a file in its tree, so that it builds with what the module has.
	replace := map[string]string{}
	for i, f := range found {
		name := strings.Join([]string{"snippet", string(rune('a' + i/26)), string(rune('a' + i%26)), "test.go"}, "_")
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(html.UnescapeString(f[1])), 0o600); err != nil {
			t.Fatal(err)
		}
		replace[filepath.Join(root, "internal", "races", name)] = path
	}
	overlay := filepath.Join(t.TempDir(), "overlay.json")
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(overlay, text, 0o600); err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(t.TempDir(), "races.test")
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", binary, "./internal/races")
	build.Dir = root
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%.4000s", err, text)
	}
	run := exec.CommandContext(t.Context(), binary, "-test.v")
	run.Dir = t.TempDir()
	passed, err := run.CombinedOutput()
	if err != nil || strings.Count(string(passed), "--- PASS") != len(found) {
		t.Fatalf("%d tests: %v\n%.4000s", len(found), err, passed)
	}
}
