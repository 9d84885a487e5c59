// Package schema holds the JSON Schemas of what racebench prints with --json and stores, one for each kind of document. They
// are made from the types of internal/report: go test ./docs/schema -update.
package schema

import (
	"embed"
	"fmt"
	"slices"
	"strings"
)

//go:embed *.json
var files embed.FS

// Kinds are the kinds of documents that have a schema, sorted.
func Kinds() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(err) // they are in the program
	}
	var kinds []string
	for _, e := range entries {
		kinds = append(kinds, strings.TrimSuffix(e.Name(), ".json"))
	}
	slices.Sort(kinds)
	return kinds
}

// Of is the schema of a kind of document, in JSON. The error is that there is none.
func Of(kind string) ([]byte, error) {
	text, err := files.ReadFile(kind + ".json")
	if err != nil {
		return nil, fmt.Errorf("no schema of %q; there are %s", kind, strings.Join(Kinds(), ", "))
	}
	return text, nil
}
