package report_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/interleave/schedule"
	"github.com/racebench/racebench/internal/report"
)

// observed is a world with everything that a trace can hold: faults, a transaction, expiry, notes, a message.
func observed(t *testing.T) (*interleave.Result, report.Observed) {
	r, err := interleave.Open()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	order, err := schedule.Parse("A.SET A.EXEC!crash +1h B..")
	require.NoError(t, err)
	res := r.RunSchedule(order, func(w *interleave.World) {
		w.Redis().HSet(context.Background(), "before", "<field>", "vä\"lue")
		w.Actor("A", func(a *interleave.Actor) error {
			a.Redis().Set(a.Context(), "k", "v", 60e9)
			a.Note("said", "something")
			pipe := a.Redis().TxPipeline()
			pipe.Incr(a.Context(), "n")
			pipe.Del(a.Context(), "before")
			_, err := pipe.Exec(a.Context())
			return err
		})
		w.Actor("B", func(a *interleave.Actor) error { return a.Redis().Get(a.Context(), "n").Err() })
		w.Finally("nothing is counted", func(s *interleave.State) error {
			if s.Entry("n") != nil {
				return os.ErrExist
			}
			return nil
		})
	})
	require.NoError(t, res.Err)
	o, err := report.Observe(res, "doc-1")
	require.NoError(t, err)
	return res, o
}

func TestObserveLosesNothing(t *testing.T) {
	res, o := observed(t)
	require.Equal(t, "violated", o.Outcome)
	require.Equal(t, "A.SET A.EXEC!crash +1h B.GET", o.Order)
	require.Len(t, o.Trace.Steps, 4)
	require.Equal(t, []report.Verdict{{Invariant: "nothing is counted", Outcome: "violated", Detail: "file already exists", Step: 4, When: "finally"}}, o.Verdicts)
	require.Equal(t, [][]string{{"INCR", "n"}, {"DEL", "before"}}, o.Trace.Steps[1].Queued)
	require.Equal(t, "crash", o.Trace.Steps[1].Fault)
	require.Equal(t, "1h0m0s", o.Trace.Steps[2].Advance)
	require.Equal(t, []report.Change{{Key: "k", Before: &report.Entry{Type: "string", Items: []string{"v"}, ExpiresMS: ptr(60_000)}}}, o.Trace.Steps[2].Changes)
	require.Equal(t, []report.Key{{Key: "before", Value: &report.Entry{Type: "hash", Items: []string{"<field>", `vä"lue`}}}}, o.Trace.Before)
	require.Equal(t, []report.Note{{Actor: "A", Key: "said", Value: "something"}}, o.Trace.Notes)
	// The engine's own form of a step is the one that is stored.
	want, err := res.Trace.Steps[1].MarshalJSON()
	require.NoError(t, err)
	var got bytes.Buffer
	require.NoError(t, report.Encode(&got, o.Trace.Steps[1]))
	require.JSONEq(t, string(want), got.String())
}

func ptr(n int64) *int64 { return &n }

func run(o report.Observed) *report.Run {
	return &report.Run{
		Head:    report.Head{Schema: report.Schema, Kind: report.KindRun},
		Backend: report.Backend{Name: "embedded", Version: "1"},
		Results: []report.Result{{Scenario: "A1", Runs: []report.Observed{o}}},
	}
}

func TestWriteAndLoad(t *testing.T) {
	_, o := observed(t)
	dir := filepath.Join(t.TempDir(), "deep", "er")
	for range 2 { // the second time over the first
		require.NoError(t, report.Write(dir, run(o), &report.Meta{Tool: "v1"}))
	}
	got, err := report.Load(filepath.Join(dir, report.RunFile))
	require.NoError(t, err)
	require.Equal(t, run(o), got)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 2, "only the two files")
}

func TestWriteFailsWhole(t *testing.T) {
	dir := t.TempDir()
	_, o := observed(t)
	require.NoError(t, report.Write(dir, run(o), &report.Meta{}))
	before, err := os.ReadFile(filepath.Join(dir, report.RunFile))
	require.NoError(t, err)
	// A folder where the file should go can't be replaced.
	require.NoError(t, os.Remove(filepath.Join(dir, report.MetaFile)))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, report.MetaFile, "in the way"), 0o777))
	require.Error(t, report.Write(dir, &report.Run{}, &report.Meta{}))
	after, err := os.ReadFile(filepath.Join(dir, report.RunFile))
	require.NoError(t, err)
	require.Equal(t, string(before), string(after), "what was there stays")
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 2, "no draft stays")
}

func TestPrepare(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	undo, err := report.Prepare(dir)
	require.NoError(t, err)
	undo()
	require.NoDirExists(t, dir)

	require.NoError(t, os.Mkdir(dir, 0o777))
	undo, err = report.Prepare(dir)
	require.NoError(t, err)
	undo()
	require.DirExists(t, dir, "it was there before")

	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o666))
	_, err = report.Prepare(filepath.Join(file, "results"))
	require.Error(t, err)
	if runtime.GOOS == "linux" {
		require.EqualError(t, err, "not a directory")
	}
}

func TestDecodeRefuses(t *testing.T) {
	for text, says := range map[string]string{
		`{"schema": 2, "kind": "run"}`:    "schema 2; this program reads kind \"run\", schema 1",
		`{"schema": 1, "kind": "replay"}`: `kind "replay"`,
		`{}`:                              `kind ""`,
		`100 forced`:                      "not a document of racebench",
		`{"schema": 1, "kind": "run", "results": 3}`: "cannot unmarshal",
	} {
		_, err := report.Decode([]byte(text))
		require.ErrorContains(t, err, says, text)
	}
}

// Every field of every document is described.
func TestDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/results.md")
	require.NoError(t, err)
	seen := map[reflect.Type]bool{}
	var walk func(reflect.Type)
	walk = func(typ reflect.Type) {
		for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice || typ.Kind() == reflect.Map {
			typ = typ.Elem()
		}
		if typ.Kind() != reflect.Struct || seen[typ] {
			return
		}
		seen[typ] = true
		for i := range typ.NumField() {
			f := typ.Field(i)
			if f.Tag.Get("json") == "-" {
				continue
			}
			if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
				require.Contains(t, string(text), "`"+name+"`", "%s.%s", typ, f.Name)
			}
			walk(f.Type)
		}
	}
	for _, document := range []any{report.Run{}, report.Replay{}, report.Exploration{}, report.Meta{}, report.Catalogue{}, report.TimeToBug{}} {
		walk(reflect.TypeOf(document))
	}
	require.Greater(t, len(seen), 15)
}
