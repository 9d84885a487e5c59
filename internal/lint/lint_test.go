// Package lint holds the house rules of the module as tests: who may import whom, which calls are banned where, and how
// large a file may be. A rule that is broken says what to do instead.
package lint

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/racebench/racebench"

// pkg is what go list says of a package.
type pkg struct {
	ImportPath string
	Dir        string
	Export     string
	GoFiles    []string
	Imports    []string
}

// list returns the packages of the module, and the export data of everything they import.
var list = sync.OnceValues(func() ([]*pkg, map[string]string) {
	cmd := exec.Command("go", "list", "-deps", "-export", "-json=ImportPath,Dir,Export,GoFiles,Imports", module+"/...")
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			panic(string(exit.Stderr))
		}
		panic(err)
	}
	var own []*pkg
	exports := map[string]string{}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := dec.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			panic(err)
		}
		exports[p.ImportPath] = p.Export
		if strings.HasPrefix(p.ImportPath, module) {
			own = append(own, &p)
		}
	}
	return own, exports
})

// in reports whether the package lies at or below one of the folders.
func (p *pkg) in(folders ...string) bool {
	for _, f := range folders {
		at := module + "/" + f
		if p.ImportPath == at || strings.HasPrefix(p.ImportPath, at+"/") {
			return true
		}
	}
	return false
}

// imports are the rules of who may not import whom.
var imports = []struct {
	from   []string // folders the rule is about
	except []string // folders below them that it is not about
	banned []string // import paths, or beginnings of them
	why    string
}{
	{[]string{"impl"}, nil, []string{module + "/interleave", module + "/scenarios", module + "/invariants", module + "/internal", module + "/cmd"},
		"a subject does not know that it is tested; a scenario is where subject and harness meet"},
	{[]string{"interleave"}, nil, []string{module + "/impl", module + "/scenarios", module + "/invariants", module + "/cmd"},
		"strangers use interleave for subjects of their own"},
	{[]string{"interleave"}, []string{"interleave/container", "interleave/database/container"}, []string{"github.com/testcontainers", "github.com/docker", "github.com/moby"},
		"only interleave/container and interleave/database/container link a container engine"},
	{[]string{"interleave"}, []string{"interleave/database"}, []string{"modernc.org", "github.com/go-sql-driver"},
		"a SQL driver is linked by those who import its package below interleave/database"},
	{[]string{"invariants"}, nil, []string{module + "/impl", module + "/scenarios", module + "/cmd"},
		"a judgement knows neither a subject nor a scenario"},
	{[]string{"examples"}, nil, []string{module + "/impl", module + "/scenarios", module + "/internal", module + "/cmd"},
		"an example uses what a stranger can use"},
	{[]string{"scenarios"}, nil, []string{module + "/cmd", module + "/internal/report"},
		"the catalogue is data for tests and for the command"},
	{[]string{"interleave", "invariants", "scenarios", "impl", "internal"}, nil, []string{"github.com/spf13", "github.com/schollz/progressbar", "github.com/mattn/go-isatty"},
		"only the command speaks to a terminal"},
	{[]string{"invariants", "scenarios"}, nil, []string{"math/rand"}, "nothing here draws"},
	{[]string{"interleave/wire", "interleave/schedule", "interleave/command"}, nil, []string{module + "/interleave/backend", "github.com/redis"},
		"these stand alone"},
}

func TestImports(t *testing.T) {
	own, _ := list()
	require.Greater(t, len(own), 10, "go list found too little")
	for _, p := range own {
		for _, rule := range imports {
			if !p.in(rule.from...) || p.in(rule.except...) {
				continue
			}
			for _, imp := range p.Imports {
				for _, b := range rule.banned {
					if imp == b || strings.HasPrefix(imp, b+"/") {
						t.Errorf("%s imports %s: %s", p.ImportPath, imp, rule.why)
					}
				}
			}
		}
	}
}

// calls are functions that must not be called in some folders.
var calls = []struct {
	in     []string
	except []string
	banned string // package path and name
	why    string
}{
	{[]string{"interleave", "invariants", "scenarios", "impl", "internal/report"}, nil, "os.Exit", "return an error; only main ends the process"},
	{[]string{"interleave", "invariants", "scenarios", "impl", "internal"}, nil, "fmt.Print", "return text, or take an io.Writer"},
	{[]string{"interleave", "invariants", "scenarios", "impl", "internal"}, nil, "fmt.Println", "return text, or take an io.Writer"},
	{[]string{"interleave", "invariants", "scenarios", "impl", "internal"}, nil, "fmt.Printf", "return text, or take an io.Writer"},
	{[]string{"invariants", "scenarios", "interleave/schedule", "interleave/wire", "interleave/command"}, nil, "time.Now", "a judgement sees virtual time only: State.Now"},
	{[]string{"invariants", "scenarios", "interleave/schedule", "interleave/wire", "interleave/command", "interleave/backend/remote", "interleave/backend/embedded"}, nil, "time.Sleep", "wait on state, not on time"},
	{[]string{"cmd"}, nil, "time.Sleep", "wait on state, not on time"},
	{[]string{""}, nil, "log.Print", "return an error"},
	{[]string{""}, nil, "log.Fatal", "return an error"},
}

// files parses and type-checks a package.
func files(t *testing.T, p *pkg, exports map[string]string) (*token.FileSet, []*ast.File, *types.Info) {
	fset := token.NewFileSet()
	var parsed []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.ParseComments)
		require.NoError(t, err)
		parsed = append(parsed, f)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}
	conf := types.Config{
		Importer: importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }),
	}
	_, err := conf.Check(p.ImportPath, fset, parsed, info)
	require.NoError(t, err)
	return fset, parsed, info
}

// seeded are the functions of math/rand/v2 that take the seed from their caller. All others draw by themselves.
var seeded = []string{"New", "NewPCG", "NewChaCha8", "NewZipf"}

func TestBannedCalls(t *testing.T) {
	own, exports := list()
	for _, p := range own {
		fset, parsed, info := files(t, p, exports)
		for _, f := range parsed {
			ast.Inspect(f, func(n ast.Node) bool {
				id, ok := n.(*ast.Ident)
				if !ok {
					return true
				}
				fn, ok := info.Uses[id].(*types.Func)
				if !ok || fn.Pkg() == nil || fn.Signature().Recv() != nil {
					return true
				}
				name := fn.Pkg().Path() + "." + fn.Name()
				if strings.HasPrefix(name, "math/rand") && p.in("interleave") && !slices.Contains(seeded, fn.Name()) {
					t.Errorf("%s: %s: chance comes from a seed that the caller owns; nothing here may draw by itself", fset.Position(id.Pos()), name)
				}
				for _, c := range calls {
					if c.banned == name && p.in(c.in...) && !p.in(c.except...) {
						t.Errorf("%s: %s: %s", fset.Position(id.Pos()), name, c.why)
					}
				}
				return true
			})
		}
	}
}

// TestMapOrder: where order can reach a trace, a message or a file, a loop over a map says why its order does not
// matter, in a comment "any order: …" on its line or above it.
func TestMapOrder(t *testing.T) {
	own, exports := list()
	for _, p := range own {
		if !p.in("interleave", "invariants", "scenarios", "internal/report", "cmd") {
			continue
		}
		fset, parsed, info := files(t, p, exports)
		for _, f := range parsed {
			reasons := map[int]bool{}
			for _, group := range f.Comments {
				if strings.Contains(group.Text(), "any order: ") {
					reasons[fset.Position(group.End()).Line] = true
				}
			}
			ast.Inspect(f, func(n ast.Node) bool {
				loop, ok := n.(*ast.RangeStmt)
				if !ok {
					return true
				}
				if _, isMap := info.TypeOf(loop.X).Underlying().(*types.Map); !isMap {
					return true
				}
				at := fset.Position(loop.Pos())
				if !reasons[at.Line] && !reasons[at.Line-1] {
					t.Errorf("%s: a loop over a map: sort the keys, or say why the order does not matter: // any order: …", at)
				}
				return true
			})
		}
	}
}

// maxLines is how long a file may be for a reader to hold it in the head.
const maxLines = 450

func TestFileLength(t *testing.T) {
	root := root(t)
	var count int
	require.NoError(t, filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() && (d.Name() == ".git" || d.Name() == "testdata") {
			if d != nil && d.IsDir() {
				return filepath.SkipDir
			}
			return err
		}
		if filepath.Ext(path) != ".go" {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		count++
		if n := bytes.Count(data, []byte("\n")); n > maxLines {
			rel, _ := filepath.Rel(root, path)
			t.Errorf("%s has %d lines (at most %s): split it by what it does", rel, n, strconv.Itoa(maxLines))
		}
		return nil
	}))
	require.Greater(t, count, 50)
}

// TestExportedHaveDocs: every exported name of the packages for users has a comment.
func TestExportedHaveDocs(t *testing.T) {
	own, _ := list()
	for _, p := range own {
		if !p.in("interleave", "invariants", "impl", "scenarios") || slices.Contains(strings.Split(p.ImportPath, "/"), "internal") {
			continue
		}
		fset := token.NewFileSet()
		for _, name := range p.GoFiles {
			f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.ParseComments)
			require.NoError(t, err)
			for _, d := range f.Decls {
				switch d := d.(type) {
				case *ast.FuncDecl:
					if d.Name.IsExported() && d.Doc == nil && exportedRecv(d) && !wellKnown[d.Name.Name] {
						t.Errorf("%s: %s has no comment", fset.Position(d.Pos()), d.Name.Name)
					}
				case *ast.GenDecl:
					for _, s := range d.Specs {
						if ts, ok := s.(*ast.TypeSpec); ok && ts.Name.IsExported() && d.Doc == nil && ts.Doc == nil {
							t.Errorf("%s: %s has no comment", fset.Position(ts.Pos()), ts.Name.Name)
						}
					}
				}
			}
		}
	}
}

// wellKnown are methods whose meaning is that of an interface of the standard library.
var wellKnown = map[string]bool{"Error": true, "Unwrap": true, "String": true, "Is": true, "Network": true, "Len": true}

func exportedRecv(d *ast.FuncDecl) bool {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return true
	}
	x := d.Recv.List[0].Type
	if s, ok := x.(*ast.StarExpr); ok {
		x = s.X
	}
	id, ok := x.(*ast.Ident)
	return ok && id.IsExported()
}

func root(t *testing.T) string {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(out))
}
