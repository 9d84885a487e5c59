package main

import (
	"fmt"
	"io"

	"github.com/racebench/racebench/impl"
	"github.com/racebench/racebench/internal/page"
	"github.com/racebench/racebench/scenarios"
)

// writePage makes the HTML page of a document, with what the catalogue and the sources of the subjects say about it.
func writePage(w io.Writer, document any) error {
	about := func(id string) page.About {
		found, err := scenarios.Find(id)
		if err != nil || len(found) != 1 {
			return page.About{} // of another catalogue, or of none, as what was drawn
		}
		return page.About{Subject: found[0].Subject, Title: found[0].Title, Story: found[0].Story}
	}
	world := func(name string) (string, string) {
		return fmt.Sprintf("scenarios.World(%q)", name), "github.com/racebench/racebench/scenarios"
	}
	return page.Write(w, document, page.Options{About: about, Line: impl.SourceLine, World: world})
}
