package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/racebench/racebench/impl"
	"github.com/racebench/racebench/internal/diagram"
	"github.com/racebench/racebench/internal/report"
	"github.com/racebench/racebench/internal/sarif"
)

// format is a form in which a document is written for another program.
type format struct {
	name, usage string
	write       func(w io.Writer, document any) error
	each        func(w io.Writer, t *report.Traced) error // writes one trace, of a format that can have a folder; nil for one that can't
}

// formats are the flags for output files, in the order of the help.
var formats = []format{
	{"junit", "write JUnit XML to a file, one testcase for each scenario on each implementation; - is standard output", summarized(report.JUnit), nil},
	{"markdown", "write a table in Markdown to a file, for a pull request or the summary of a CI step; - is standard output", summarized(report.Markdown), nil},
	{"sarif", "write SARIF to a file, for code scanning: what went wrong, at the lines of source that it hangs on; - is standard output", summarized(writeSARIF), nil},
	{"html", "write a page for a person to a file that needs nothing else; - is standard output", writePage, nil},
	{"svg", "draw the first trace that violates an invariant as a space-time diagram, or the first where none does; - is standard output; a folder gets one picture for each trace", drawn(writeSVG), writeSVG},
	{"mermaid", "write the trace that --svg draws as a Mermaid sequence diagram; - is standard output", drawn(report.Mermaid), report.Mermaid},
}

// folder is where a format writes one file for each trace, if that is asked for: by a folder that is there, or a / at the end.
func (f format) folder(path string) (string, bool) {
	if f.each == nil || path == toStdout {
		return "", false
	}
	info, err := os.Stat(path)
	return path, strings.HasSuffix(path, "/") || err == nil && info.IsDir()
}

// fill writes each trace of a document to a file of its own.
func (f format) fill(dir string, document any) error {
	all, err := report.Traces(document)
	if err != nil {
		return err
	}
	for _, t := range all {
		var text bytes.Buffer
		if err := f.each(&text, t); err != nil {
			return err
		}
		path := filepath.Join(dir, t.Name+"."+f.name)
		if err := report.WriteFile(path, text.Bytes()); err != nil {
			return cantWriteFile(f.name, path, err)
		}
	}
	return nil
}

// summarized is a format that is made of the summary of a document.
func summarized(write func(io.Writer, *report.Summary) error) func(io.Writer, any) error {
	return func(w io.Writer, document any) error {
		s, err := report.Summarize(document)
		if err != nil {
			return err
		}
		return write(w, s)
	}
}

// drawn is a format that shows one trace of a document.
func drawn(write func(io.Writer, *report.Traced) error) func(io.Writer, any) error {
	return func(w io.Writer, document any) error {
		t, err := report.ShownTrace(document)
		if err != nil {
			return err
		}
		return write(w, t)
	}
}

func writeSARIF(w io.Writer, s *report.Summary) error { return sarif.Write(w, s, impl.SourcePlace) }

func writeSVG(w io.Writer, t *report.Traced) error {
	o := diagram.Options{Title: t.Title, Decide: t.Decide}
	for _, v := range t.Broken {
		o.Broken = append(o.Broken, v.Step)
	}
	return diagram.SVG(w, t.Trace, o)
}

// outputFlags say in which formats a command writes what it has found, and where.
type outputFlags struct {
	paths map[string]*string // by the name of the format
	dry   bool               // nothing is run
	// writes is what writes a document in a format of this name instead of the format itself.
	writes map[string]func(w io.Writer, document any) error
}

const toStdout = "-"

// add gives a command the flags of the formats with some names, or of all.
func (o *outputFlags) add(cmd *cobra.Command, only ...string) {
	o.paths = map[string]*string{}
	for _, f := range formats {
		if len(only) > 0 && !slices.Contains(only, f.name) {
			continue
		}
		o.paths[f.name] = cmd.Flags().String(f.name, "", f.usage)
		must(cmd.MarkFlagFilename(f.name))
	}
}

// wants reports whether the command line asks for a format.
func (o *outputFlags) wants(name string) bool {
	path := o.paths[name]
	return path != nil && *path != ""
}

// asked are the formats that the command line asks for.
func (o *outputFlags) asked() []format {
	var out []format
	for _, f := range formats {
		if o.wants(f.name) {
			out = append(out, f)
		}
	}
	return out
}

// check refuses what can't be written, so that a command does not find that out at its end.
func (o *outputFlags) check(cmd *cobra.Command, json bool) error {
	taken := map[string]string{}
	if json {
		taken[toStdout] = "json"
	}
	for _, f := range formats {
		if cmd.Flags().Changed(f.name) && *o.paths[f.name] == "" {
			return usage("--"+f.name+" FILE, or - for standard output", "--%s is empty", f.name)
		}
	}
	for _, f := range o.asked() {
		path := *o.paths[f.name]
		if path != toStdout {
			path = filepath.Clean(path)
		}
		if other, ok := taken[path]; ok {
			return usage("give each a file of its own", "--%s and --%s go to the same place", other, f.name)
		}
		taken[path] = f.name
		if path == toStdout {
			continue
		}
		if dir, ok := f.folder(*o.paths[f.name]); ok {
			if err := os.MkdirAll(dir, 0o777); err != nil {
				return cantWriteFile(f.name, dir, err)
			}
			path = filepath.Join(dir, "any")
		}
		if err := report.Writable(path); err != nil {
			return cantWriteFile(f.name, path, err)
		}
	}
	return nil
}

// refuse is the error of a command that has no document to write in another format.
func (o *outputFlags) refuse(why string, except ...string) error {
	for _, f := range o.asked() {
		if slices.Contains(except, f.name) {
			continue
		}
		return usage("leave it out", "--%s: %s", f.name, why)
	}
	return nil
}

func cantWriteFile(name, path string, err error) error {
	hint := "--" + name + " names another file"
	dir := filepath.Dir(path)
	if _, missing := os.Stat(dir); os.IsNotExist(missing) {
		hint = "mkdir -p " + shellWord(dir)
	}
	return usage(hint, "can't write %s: %v", path, err)
}

// present writes a document in the formats that are asked for, and then as JSON or, unless a format has taken standard output,
// for a person.
func (a *app) present(o *outputFlags, json bool, document any, person func()) error {
	if json {
		stored := document
		if !o.wants("html") { // so that racebench report can make the same page
			stored = report.Bare(document)
		}
		if err := report.Encode(exact{a.stdout}, stored); err != nil {
			return err
		}
	}
	quiet := json
	for _, f := range o.asked() {
		var text bytes.Buffer
		path := *o.paths[f.name]
		if dir, ok := f.folder(path); ok {
			if err := f.fill(dir, document); err != nil && !errors.Is(err, report.ErrNoTrace) {
				return err
			} else if err == nil {
				continue
			}
		}
		write := f.write
		if own := o.writes[f.name]; own != nil {
			write = own
		}
		switch err := write(&text, document); {
		case errors.Is(err, report.ErrNoTrace) && o.dry: // the document is all that there is
			return usage("racebench explore --"+f.name+" and racebench replay --"+f.name+" run it", "--%s: %v", f.name, err)
		case errors.Is(err, report.ErrNoTrace): // the command has come to something all the same
			fmt.Fprintf(a.stderr, "--%s writes nothing: %v\n", f.name, err)
			quiet = quiet || path == toStdout
			continue
		case err != nil:
			return err
		}
		if path == toStdout {
			quiet = true
			if _, err := (exact{a.stdout}).Write(text.Bytes()); err != nil {
				return err
			}
			continue
		}
		if err := report.WriteFile(path, text.Bytes()); err != nil {
			return cantWriteFile(f.name, path, err)
		}
	}
	if !quiet {
		person()
	}
	return nil
}
