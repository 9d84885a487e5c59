// Package page makes one HTML file of a document of racebench: what was found, for a person to look at. The file needs
// nothing but itself, says its main facts without JavaScript, and is the same bytes for the same document.
package page

import (
	"embed"
	"html/template"
	"io"

	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/internal/diagram"
	"github.com/racebench/racebench/internal/report"
)

// MaxBytes bounds the file. What is left out is said, with the command that shows it.
const MaxBytes = 16 << 20

// Options are what a document does not say itself. The zero value leaves it out.
type Options struct {
	About func(scenario string) About // the race
	Line  func(caller string) string  // the line of source at file:line
	// World is the Go expression for the world that a token names, and the package that it needs; nil: world, of the reader's own.
	World func(name string) (expression, pkg string)
	// Command is what the document is of, and Replay the command that runs an order again, where that is not racebench.
	Command string
	Replay  func(order string) string
	Bound   int // instead of MaxBytes
}

// About is what the catalogue says of a race.
type About struct{ Subject, Title, Story string }

//go:embed page.html page.css page.js
var files embed.FS

// Write makes the file of a *report.Run, *report.Replay, *report.Exploration, *report.Fuzz or *report.TimeToBug.
func Write(w io.Writer, document any, o Options) error {
	m, err := newModel(document, o)
	if err != nil {
		return err
	}
	css, err := files.ReadFile("page.css")
	if err != nil {
		return err
	}
	js, err := files.ReadFile("page.js")
	if err != nil {
		return err
	}
	t, err := template.New("page.html").Funcs(template.FuncMap{
		"css": func() template.CSS { return template.CSS(string(css) + diagram.Style) },
		"js":  func() template.JS { return template.JS(js) },
	}).ParseFS(files, "page.html")
	if err != nil {
		return err
	}
	return t.Execute(w, m)
}

type model struct {
	Command string
	Backend report.Backend
	Races   []*race
	Traces  int // cases whose trace is left out
	Cases   int // cases that are left out
	Bound   string
	Plots   []plot
}

type race struct {
	ID, Name string
	About
	Cases   []*entry
	Classes []class // of the outcomes of an exploration
	Orders  int     // of all classes together
	Spaces  []space
}

// class is one way in which orders end.
type class struct {
	Verdict, Name, Link string
	Orders, Percent     int
}

// entry is one implementation, or one order of it, with its trace where there is one.
type entry struct {
	ID, Impl, Variant, Verdict, Title, Schedule, Command, Token, Snippet string
	Unexpected                                                           bool
	Lines                                                                []string
	Decides                                                              string
	Flipped                                                              *flipped
	Classes                                                              string // of invariants that are violated
	Orders                                                               *report.Orders
	Outcomes                                                             string
	Picture                                                              template.HTML
	Data                                                                 *data
	Last                                                                 int

	seen     *report.Observed
	decision *report.Decision
	rows     []int                     // of the picture, for one beside it
	replay   func(order string) string // the command that runs an order of this race
}

// data is what the page needs to go from step to step.
type data struct {
	Before   []report.Key        `json:"before"`
	Steps    []report.Step       `json:"steps"`
	Verdicts []report.Verdict    `json:"verdicts"`
	Events   []string            `json:"events"`
	Waited   []interleave.Waited `json:"waited"`
	Lines    map[string]string   `json:"lines"`
}
