// Package page makes a test leave an HTML page behind: what racebench writes with --html, of a world of the reader's own.
//
//	interleave.Explore(t, world, page.OnFailure())
//
// The page goes to the artifact directory of the test, which go test keeps with -artifacts, below the folder _artifacts:
//
//	go test -artifacts ./...
package page

import (
	"bytes"
	"flag"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/internal/page"
	"github.com/racebench/racebench/internal/report"
)

// OnFailure writes the page of a test that fails: its finding or its order as a diagram, step by step, and the orders that
// were explored.
func OnFailure() interleave.Option { return options((*testing.T).Failed) }

// Always writes the page of each test, also of one that passes.
func Always() interleave.Option { return options(func(*testing.T) bool { return true }) }

func options(wanted func(*testing.T) bool) interleave.Option {
	return interleave.All(interleave.KeepOrders(), interleave.AfterTest(func(t *testing.T, seen interleave.Seen) {
		t.Helper()
		if wanted(t) {
			write(t, seen)
		}
	}))
}

// File is the name of the page in the artifact directory of its test.
const File = "racebench.html"

func write(t *testing.T, seen interleave.Seen) {
	t.Helper()
	var text bytes.Buffer
	if err := page.Write(&text, document(t, seen), page.Options{Line: line, Command: "go test", Replay: seen.Command}); err != nil {
		t.Errorf("interleave/page: %v", err)
		return
	}
	file := filepath.Join(t.ArtifactDir(), File)
	if err := os.WriteFile(file, text.Bytes(), 0o600); err != nil {
		t.Errorf("interleave/page: %v", err)
		return
	}
	if kept := flag.Lookup("test.artifacts"); kept == nil || kept.Value.String() != "true" {
		t.Log("page:    go test -artifacts keeps it")
		return
	}
	t.Logf("page:    %s", file)
}

// document is what a test has come to, in the form of the command's documents.
func document(t *testing.T, seen interleave.Seen) any {
	backend := report.Backend{Name: seen.Backend, Version: seen.Version}
	if x := seen.Exploration; x != nil {
		var tokens []string
		for _, f := range x.Found {
			shown := f.First
			if f.Shrunk != nil {
				shown = f.Shrunk
			}
			tokens = append(tokens, seen.Token(shown))
		}
		doc := report.Explored(x, t.Name(), nil, tokens)
		doc.Backend, doc.Scenario, doc.Impl, doc.Strategy = backend, t.Name(), "this", seen.Strategy
		for i := range doc.Violations {
			f := x.Found[i]
			doc.Violations[i].Replay = seen.Command(doc.Violations[i].Schedule)
			if f.Shrunk != nil {
				doc.Violations[i].Replay = seen.Command(doc.Violations[i].Shrunk)
			}
		}
		return &doc
	}
	example := report.NewExample(t.Name(), seen.Result, decision(seen.Explanation))
	doc := &report.Replay{
		Head: report.Head{Schema: report.Schema, Kind: report.KindReplay}, Backend: backend, Scenario: t.Name(), Impl: "this",
		Schedule: example.Order, Token: seen.Token(seen.Result), Observed: example.Observed, Decision: example.Decision,
		Replay: seen.Command(example.Order),
	}
	if x := seen.Explanation; x != nil {
		doc.Class, doc.Story, doc.Shorter = x.Class, x.Story, x.Shorter(seen.Result)
	}
	return doc
}

func decision(x *interleave.Explanation) *interleave.Decision {
	if x == nil {
		return nil
	}
	return x.Decision
}

// line is the line of source that a step of a trace names as jobs/start.go:66: of the package of the test, or of one beside
// it. Empty where there is none.
func line(caller string) string {
	file, number, _ := strings.Cut(caller, ":")
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 {
		return ""
	}
	pkg, base := path.Split(file)
	for _, place := range []string{base, "../" + file} { // the folder of a module's root may be called otherwise
		text, err := os.ReadFile(filepath.FromSlash(place))
		if err != nil || place == base && !strings.Contains(string(text), "\npackage "+path.Base(pkg)+"\n") && !strings.HasPrefix(string(text), "package "+path.Base(pkg)+"\n") {
			continue
		}
		if lines := strings.Split(string(text), "\n"); n <= len(lines) {
			return strings.TrimSpace(lines[n-1])
		}
	}
	return ""
}
