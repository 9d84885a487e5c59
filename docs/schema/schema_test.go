package schema_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/invopop/jsonschema"
	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/docs/schema"
	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/internal/report"
)

var update = flag.Bool("update", false, "write the schemas anew")

// documents are the types of the kinds.
var documents = map[string]any{
	report.KindRun: report.Run{}, report.KindMeta: report.Meta{}, report.KindReplay: report.Replay{}, report.KindExploration: report.Exploration{},
	report.KindParts: report.Parts{}, report.KindCatalogue: report.Catalogue{}, report.KindDoctor: report.Doctor{},
	report.KindTimeToBug: report.TimeToBug{}, report.KindFuzz: report.Fuzz{}, report.KindDiff: report.Difference{},
}

// TestSchemas fails when a schema is no longer that of its type. With -update it is written anew.
func TestSchemas(t *testing.T) {
	said := comments(t, "internal/report", "interleave")
	reflector := jsonschema.Reflector{
		ExpandedStruct: true, AllowAdditionalProperties: true, Anonymous: true,
		Mapper: func(typ reflect.Type) *jsonschema.Schema {
			if typ == reflect.TypeFor[interleave.Outcome]() { // which writes its word
				return &jsonschema.Schema{Type: "string", Enum: []any{"held", "undecided", "violated"}}
			}
			return nil
		},
		LookupComment: func(typ reflect.Type, field string) string { return said[typ.PkgPath()+"."+typ.Name()+"."+field] },
	}
	var kinds []string
	for kind, document := range documents {
		kinds = append(kinds, kind)
		s := reflector.Reflect(document)
		s.Title = "racebench " + kind
		head, ok := s.Properties.Get("kind")
		require.True(t, ok)
		head.Const = kind
		head, ok = s.Properties.Get("schema")
		require.True(t, ok)
		head.Const = report.Schema
		described(t, kind, s)
		var text bytes.Buffer
		enc := json.NewEncoder(&text)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		require.NoError(t, enc.Encode(s))
		if *update {
			require.NoError(t, os.WriteFile(kind+".json", text.Bytes(), 0o600))
			continue
		}
		published, err := schema.Of(kind)
		require.NoError(t, err)
		require.Equal(t, text.String(), string(published), "go test ./docs/schema -update")
	}
	if !*update {
		require.ElementsMatch(t, kinds, schema.Kinds())
	}
}

// described fails for a field that has no comment, unless its type has one.
func described(t *testing.T, kind string, s *jsonschema.Schema) {
	t.Helper()
	types := map[string]*jsonschema.Schema{"": s}
	for name, def := range s.Definitions {
		types[name] = def
	}
	for name, typ := range types {
		for p := typ.Properties.Oldest(); p != nil; p = p.Next() {
			says := p.Value.Description + p.Value.Ref
			for _, one := range p.Value.OneOf { // null or the value
				says += one.Description
			}
			if says == "" {
				t.Errorf("%s: the field %s of %s has no comment that says what it is", kind, p.Key, cmp.Or(name, "the document"))
			}
		}
	}
}

// comments are what the packages in some folders of this module say of their types ("path.Run.") and of the fields of them
// ("path.Run.Results"), above them or behind.
func comments(t *testing.T, folders ...string) map[string]string {
	said := map[string]string{}
	for _, folder := range folders {
		pkg := "github.com/racebench/racebench/" + folder + "."
		files, err := filepath.Glob(filepath.Join("../..", folder, "*.go"))
		require.NoError(t, err)
		for _, file := range files {
			tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
			require.NoError(t, err)
			for _, d := range tree.Decls {
				decl, ok := d.(*ast.GenDecl)
				if !ok || decl.Tok != token.TYPE {
					continue
				}
				for _, s := range decl.Specs {
					spec := s.(*ast.TypeSpec)
					said[pkg+spec.Name.Name+"."] = text(spec.Doc, decl.Doc)
					fields, ok := spec.Type.(*ast.StructType)
					if !ok {
						continue
					}
					for _, f := range fields.Fields.List {
						for _, name := range f.Names {
							said[pkg+spec.Name.Name+"."+name.Name] = text(f.Doc, f.Comment)
						}
					}
				}
			}
		}
	}
	return said
}

// text is the first of some comments that says something, in one line.
func text(groups ...*ast.CommentGroup) string {
	var out string
	for _, g := range groups {
		out = cmp.Or(out, strings.Join(strings.Fields(g.Text()), " "))
	}
	return out
}
