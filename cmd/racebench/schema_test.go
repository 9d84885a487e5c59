package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/docs/schema"
	"github.com/racebench/racebench/internal/report"
)

// strict is the published schema of a kind that refuses fields that it does not name: what is written is all there.
func strict(t *testing.T, kind string) *jsonschema.Schema {
	t.Helper()
	text, err := schema.Of(kind)
	require.NoError(t, err)
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	var close func(any)
	close = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if _, object := v["properties"].(map[string]any); object && v["type"] == "object" {
				v["additionalProperties"] = false
			}
			for _, x := range v {
				close(x)
			}
		case []any:
			for _, x := range v {
				close(x)
			}
		}
	}
	close(doc)
	c := jsonschema.NewCompiler()
	require.NoError(t, c.AddResource(kind+".json", doc))
	s, err := c.Compile(kind + ".json")
	require.NoError(t, err)
	return s
}

// valid checks a document against the schema of the kind that it must be of, and that the schema refuses it without any field
// that it requires, with any field of another type, and as a document of another kind or of a later version.
func valid(t *testing.T, kind string, text []byte) {
	t.Helper()
	decode := func() map[string]any {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		require.NoError(t, err, "%.300s", text)
		return doc.(map[string]any)
	}
	s := strict(t, kind)
	require.NoError(t, s.Validate(decode()))
	require.NotEmpty(t, s.Required)
	for _, name := range s.Required {
		doc := decode()
		delete(doc, name)
		require.Error(t, s.Validate(doc), "without %s", name)
	}
	for name, v := range decode() {
		doc := decode()
		doc[name] = []any{v} // a list in a list, or in place of something else
		require.Error(t, s.Validate(doc), "%s in a list", name)
	}
	for name, v := range map[string]any{"kind": kind + "s", "schema": report.Schema + 1} {
		doc := decode()
		doc[name] = v
		require.Error(t, s.Validate(doc), name)
	}
}

// TestEveryDocumentIsValid runs each command that writes JSON, and checks what it writes against the published schema.
func TestEveryDocumentIsValid(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	for _, shard := range []string{"1", "2"} {
		run([]string{"explore", "X1", "--shard", shard + "/2", "--out", file(shard + ".json")}, nil, io.Discard, io.Discard)
	}
	for _, x := range []struct {
		kind, command string
	}{
		{report.KindRun, "run A1 A6 B10 C3 --repeat 2 --json --out " + file("run")},
		{report.KindRun, "run A1 A6 --repeat 1 --json --html " + file("run.html") + " --out " + file("pictures")},
		{report.KindReplay, "replay A1 --json"},
		{report.KindReplay, "replay A1 --impl lua --json --html " + file("replay.html")},
		{report.KindReplay, "replay X2 A.GET --mode best-effort --json"},
		{report.KindExploration, "replay A1 A.GET --mode prefix --json"},
		{report.KindExploration, "explore A1 --json --why --serial --html " + file("explore.html")},
		{report.KindExploration, "explore A1 --impl lua --json"},
		{report.KindExploration, "explore A1 --impl lua --json --max 1"},
		{report.KindExploration, "explore A6 --json --strategy pct --seed 3 --max 20"},
		{report.KindExploration, "explore X4 --json --preemptions 0"},
		{report.KindExploration, "explore X1 --json --actors 3 --fingerprints -j 2"},
		{report.KindParts, "explore X1 --shard 1/2 --json"},
		{report.KindExploration, "merge " + file("1.json") + " " + file("2.json") + " --json"},
		{report.KindExploration, "explore A1 --faults crash:1 --jump 31s --max 50 --json"},
		{report.KindTimeToBug, "explore X1 A7 --strategy all --trials 2 --max 20 --json"},
		{report.KindReplay, "replay A1 A.GET --mode best-effort --json"},
		{report.KindFuzz, "fuzz A1 --impl naive,lua --max 60 --json --html " + file("fuzz.html")},
		{report.KindCatalogue, "list --json"},
		{report.KindCatalogue, "show A1 --json"},
		{report.KindDoctor, "doctor --json"},
		{report.KindDiff, "diff ../../results/reference/run.json ../../results/reference/run.json --json"},
	} {
		var out bytes.Buffer
		run(strings.Fields(x.command), nil, &out, io.Discard)
		require.NotEmpty(t, out.Bytes(), x.command)
		t.Run(x.command, func(t *testing.T) { valid(t, x.kind, out.Bytes()) })
	}
	for path, kind := range map[string]string{
		"../../results/reference/run.json": report.KindRun, file("run/run.json"): report.KindRun, file("run/run.meta.json"): report.KindMeta,
		file("1.json"): report.KindParts,
	} {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		valid(t, kind, text)
	}
}

// A schema refuses what is no such document.
func TestSchemasRefuse(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(reference, report.RunFile))
	require.NoError(t, err)
	s := strict(t, report.KindRun)
	for name, damage := range map[string]func(map[string]any){
		"kind":            func(d map[string]any) { d["kind"] = "replay" },
		"missing results": func(d map[string]any) { delete(d, "results") },
		"null results":    func(d map[string]any) { d["results"] = nil },
		"another field":   func(d map[string]any) { d["result"] = 1 },
		"a word for a number": func(d map[string]any) {
			d["results"].([]any)[0].(map[string]any)["repeats"] = "100"
		},
		"a verdict that there is not": func(d map[string]any) {
			d["results"].([]any)[0].(map[string]any)["runs"].([]any)[0].(map[string]any)["outcome"] = "passed"
		},
	} {
		var doc map[string]any
		require.NoError(t, json.Unmarshal(text, &doc))
		require.NoError(t, s.Validate(doc))
		damage(doc)
		require.Error(t, s.Validate(doc), name)
	}
}
