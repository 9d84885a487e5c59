package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Names of the files of a run.
const (
	RunFile  = "run.json"
	MetaFile = "run.meta.json"
)

// Encode writes a document as it is stored.
func Encode(w io.Writer, document any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(document)
}

// Prepare makes the folder for results and tries whether files can be made in it, so that a run does not find that out at
// its end. A run that has no results calls undo, which removes the folder if it was made and is empty.
func Prepare(dir string) (undo func(), err error) {
	_, statErr := os.Stat(dir)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, plain(err)
	}
	undo = func() {
		if errors.Is(statErr, fs.ErrNotExist) {
			os.Remove(dir)
		}
	}
	f, err := os.CreateTemp(dir, ".racebench-*")
	if err == nil {
		err = errors.Join(f.Close(), os.Remove(f.Name()))
	}
	if err != nil {
		undo()
		return nil, plain(err)
	}
	return undo, nil
}

// Write stores a run in dir, which it makes. Each file is complete or as it was before: it is written beside its place
// and then renamed. The run comes last, so that it is never newer than what is said about it.
func Write(dir string, run *Run, meta *Meta) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return plain(err)
	}
	var drafts []draft
	defer func() {
		for _, d := range drafts {
			os.Remove(d.path) // nothing is there once it is in place
		}
	}()
	for _, f := range []struct {
		name     string
		document any
	}{{MetaFile, meta}, {RunFile, run}} {
		path, err := writeDraft(dir, f.name, f.document)
		if path != "" {
			drafts = append(drafts, draft{path, filepath.Join(dir, f.name)})
		}
		if err != nil {
			return plain(err)
		}
	}
	for _, d := range drafts {
		if err := os.Rename(d.path, d.place); err != nil {
			return plain(err)
		}
	}
	return nil
}

// draft is a complete file that is not yet in its place.
type draft struct{ path, place string }

func writeDraft(dir, name string, document any) (path string, err error) {
	var text bytes.Buffer
	if err := Encode(&text, document); err != nil {
		return "", err
	}
	return writeDraftText(dir, name, text.Bytes())
}

func writeDraftText(dir, name string, text []byte) (path string, err error) {
	f, err := os.CreateTemp(dir, "."+name+"-*")
	if err != nil {
		return "", err
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if err == nil {
		err = f.Sync()
	}
	return f.Name(), errors.Join(err, f.Close())
}

// plain leaves out the operation and the name of a temporary file, which say nothing to the reader.
func plain(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	var le *os.LinkError
	if errors.As(err, &le) {
		return le.Err
	}
	return err
}

// Load reads a run that Write has stored.
func Load(path string) (*Run, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Decode(text)
}

// Decode reads the document of a run.
func Decode(text []byte) (*Run, error) {
	var head Head
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, fmt.Errorf("report: not a document of racebench: %w", err)
	}
	if head.Kind != KindRun || head.Schema != Schema {
		return nil, fmt.Errorf("report: a document of kind %q, schema %d; this program reads kind %q, schema %d",
			head.Kind, head.Schema, KindRun, Schema)
	}
	run := new(Run)
	if err := json.Unmarshal(text, run); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	return run, nil
}

// decode is strict: a field that this package does not know is an error.
func decode(text []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}

// WriteParts stores parts of an exploration in a file, whose folder it makes. The file is complete or as it was before.
func WriteParts(path string, doc Parts) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return plain(err)
	}
	var text bytes.Buffer
	if err := Encode(&text, doc); err != nil {
		return err
	}
	return WriteFile(path, text.Bytes())
}

// LoadParts reads what WriteParts has stored.
func LoadParts(path string) (*Parts, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var head Head
	if err := json.Unmarshal(text, &head); err != nil || head.Kind != KindParts || head.Schema != Schema {
		return nil, fmt.Errorf("no document of kind %q, schema %d", KindParts, Schema)
	}
	doc := new(Parts)
	return doc, decode(text, doc)
}

// Writable tries whether WriteFile could write a file, which it leaves as it is.
func Writable(path string) error {
	path, there := place(path)
	switch {
	case there == nil || there.Mode().IsRegular():
	case there.IsDir():
		return errors.New("is a directory")
	default: // to open a pipe would wake its reader
		return nil
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".racebench-*")
	if err == nil {
		err = errors.Join(f.Close(), os.Remove(f.Name()))
	}
	return plain(err)
}

// WriteFile stores a text in a file, which is complete or as it was before. A file that is there keeps its permissions, a
// symbolic link stays one; to a device or a pipe the text is written as it is.
func WriteFile(path string, text []byte) error {
	path, there := place(path)
	if there != nil && !there.Mode().IsRegular() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return plain(err)
		}
		_, err = f.Write(text)
		return plain(errors.Join(err, f.Close()))
	}
	draft, err := writeDraftText(filepath.Dir(path), filepath.Base(path), text)
	if err == nil && there != nil {
		err = os.Chmod(draft, there.Mode().Perm())
	}
	if err == nil {
		err = os.Rename(draft, path)
	}
	if err != nil && draft != "" {
		os.Remove(draft)
	}
	return plain(err)
}

// place finds what a path stands for: the file behind a symbolic link, and what is there, nil if nothing is. To rename a
// file to the path itself would take the place of the link, the device or the pipe.
func place(path string) (string, fs.FileInfo) {
	there, err := os.Stat(path)
	if err != nil {
		return path, nil
	}
	if there.Mode().IsRegular() {
		if file, err := filepath.EvalSymlinks(path); err == nil {
			path = file
		}
	}
	return path, there
}
