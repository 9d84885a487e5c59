package invariants

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// docs/invariants.md names every invariant that there is, and none that there is not.
func TestDocumented(t *testing.T) {
	text, err := os.ReadFile("../docs/invariants.md")
	require.NoError(t, err)
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	named := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		require.NoError(t, err)
		for _, d := range tree.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || !f.Name.IsExported() || f.Type.Results == nil || len(f.Type.Results.List) != 1 {
				continue
			}
			if result, ok := f.Type.Results.List[0].Type.(*ast.SelectorExpr); !ok || result.Sel.Name != "Invariant" {
				continue
			}
			name := f.Name.Name
			if f.Recv != nil {
				name = f.Recv.List[0].Type.(*ast.Ident).Name + "." + name
			}
			named++
			require.Contains(t, string(text), "| `"+name+"` |", name)
		}
	}
	require.Equal(t, named, strings.Count(string(text), "\n| `"), "a row that names none")
}
