package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
)

// commands are all commands and topics that a person can ask for.
func commands(root *cobra.Command) []*cobra.Command {
	out := []*cobra.Command{root}
	for _, c := range root.Commands() {
		out = append(out, commands(c)...)
	}
	return out
}

// TestHelpOfEveryCommand compares the help of each command with what is committed, and wants a worked example in it. With
// -update it is written anew.
func TestHelpOfEveryCommand(t *testing.T) {
	a := &app{stdout: &printer{w: &bytes.Buffer{}}, stderr: &printer{w: &bytes.Buffer{}}}
	root := newRoot(a)
	names := map[string]bool{}
	for _, c := range commands(root) {
		name := strings.ReplaceAll(c.CommandPath(), " ", "-") + ".txt"
		names[name] = true
		args := append(strings.Fields(c.CommandPath())[1:], "--help")
		if !c.Runnable() { // a topic
			args = append([]string{"help"}, args[:len(args)-1]...)
		}
		var out bytes.Buffer
		require.Equal(t, codeOK, run(args, nil, &out, os.Stderr), name)
		golden := filepath.Join("testdata", "help", name)
		// The default number of jobs is that of the machine.
		text := regexp.MustCompile(`takes over a second \(default \d+\)`).ReplaceAll(out.Bytes(), []byte("takes over a second (default N)"))
		if *update {
			require.NoError(t, os.MkdirAll(filepath.Dir(golden), 0o750))
			require.NoError(t, os.WriteFile(golden, text, 0o600))
			continue
		}
		want, err := os.ReadFile(golden)
		require.NoError(t, err, "go test ./cmd/racebench -run Help -update")
		require.Equal(t, string(want), string(text), name)
		if c.Runnable() && c.Parent() != nil && c.Parent().Name() != "completion" && c.Name() != "help" && c.Name() != "completion" {
			require.Regexp(t, `(?m)^Examples:\n(  .*\n)*  (.* )?racebench `+c.Name(), string(text), "a worked example of %s", c.CommandPath())
		}
	}
	have, err := filepath.Glob("testdata/help/*.txt")
	require.NoError(t, err)
	for _, h := range have {
		require.True(t, names[filepath.Base(h)], "%s is the help of no command", h)
	}
}

// TestEveryErrorIsTested looks for the words of each error that the command makes by itself in what the scripts and tests
// expect: an error that nobody has seen is one that nobody has read.
func TestEveryErrorIsTested(t *testing.T) {
	var expected strings.Builder
	for _, pattern := range []string{"testdata/script/*.txt", "*_test.go"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, f := range files {
			text, err := os.ReadFile(f)
			require.NoError(t, err)
			expected.Write(text)
		}
	}
	// As a script writes it: '' for a quote, and a backslash before what a pattern would take for something else.
	seen := strings.NewReplacer("''", "'", `\`, "", "`", "").Replace(expected.String())
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	errors := 0
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		tree, err := parser.ParseFile(set, f, nil, 0)
		require.NoError(t, err)
		ast.Inspect(tree, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) < 2 {
				return true
			}
			if name, ok := call.Fun.(*ast.Ident); !ok || name.Name != "usage" {
				return true
			}
			lit, ok := call.Args[1].(*ast.BasicLit)
			if !ok {
				return true
			}
			format, err := strconv.Unquote(lit.Value)
			require.NoError(t, err)
			errors++
			longest := ""
			for _, part := range regexp.MustCompile(`%[a-z]|"`).Split(format, -1) {
				if len(part) > len(longest) {
					longest = part
				}
			}
			if !strings.Contains(seen, strings.ReplaceAll(longest, `\`, "")) {
				t.Errorf("%s: no script and no test expects %q", set.Position(call.Pos()), format)
			}
			return true
		})
	}
	require.Greater(t, errors, 60)
}
