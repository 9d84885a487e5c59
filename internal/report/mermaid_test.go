package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	needs "github.com/racebench/racebench/internal/require"
)

// What a line of ours may be. Texts hold no character that Mermaid's lexer ends a text at, except in an escape.
const mermaidLetters = `(?:[^#;\n<>&"'\x60\\{}%@$]|#[0-9]+;)+`

var mermaidLines = []*regexp.Regexp{
	regexp.MustCompile(`^  title [^#;\n]+$`),
	regexp.MustCompile(`^  (?:actor|participant) (p\d+) as ` + mermaidLetters + `$`),
	regexp.MustCompile(`^  (p\d+)(?:->>|-->>|-x|--x)(p\d+): ` + mermaidLetters + `$`),
	regexp.MustCompile(`^  Note over (p\d+)(?:,(p\d+))?: ` + mermaidLetters + `$`),
	regexp.MustCompile(`^  rect rgba\(255, 200, 0, 0\.25\)$`),
	regexp.MustCompile(`^  end$`),
}

// mermaidIs checks every line of a diagram, that participants are declared before they take part, and that rect and end match.
func mermaidIs(t *testing.T, text string) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	require.Equal(t, "sequenceDiagram", lines[0])
	known, open := map[string]bool{}, 0
lines:
	for _, line := range lines[1:] {
		for i, form := range mermaidLines {
			m := form.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			for _, id := range m[1:] {
				require.True(t, id == "" || i == 1 || known[id], "%s takes part and is not declared: %s", id, line)
				known[id] = true
			}
			switch i {
			case 4:
				open++
			case 5:
				open--
			}
			require.True(t, open == 0 || open == 1, line)
			continue lines
		}
		t.Fatalf("no line of a diagram: %q", line)
	}
	require.Zero(t, open)
}

func mermaidOf(t *testing.T, shown *Traced) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, Mermaid(&out, shown))
	mermaidIs(t, out.String())
	return out.String()
}

// odd is what keys and values may hold, and what means something to Mermaid.
var odd = []string{"a;b", "#35;", "line\nend", `"q" 'r' <br/> &amp;`, "%%{init: {}}%%", "한국어 🏁 \u2028 \u202e", "\x00\xff\x1b", "end", "wrap: x", "style a:#f9f;", "loop x", "{}", "", " ", "participant as x", "@{ }", strings.Repeat("🏁", 300)}

func oddTrace() *Traced {
	trace := &Trace{}
	for i, word := range odd {
		trace.Steps = append(trace.Steps, Step{N: i + 1, Kind: "operation", Actor: "A" + word, Token: "A.GET", Command: []string{word, word}, Reply: word, At: "0s"})
	}
	return &Traced{Title: strings.Join(odd[:8], " "), Trace: trace, Decide: []int{2}, Broken: []Verdict{{Invariant: odd[3], Step: 2}}}
}

// referenceTraces are those of the committed run.
func referenceTraces(t *testing.T) []*Traced {
	t.Helper()
	run, err := Load("../../results/reference/run.json")
	require.NoError(t, err)
	var all []*Traced
	for i := range run.Results {
		r := &run.Results[i]
		for k := range r.Runs {
			all = append(all, r.Runs[k].traced("x", titleOf(r.Scenario, r.Name, r.Impl, r.Variant), r.Decision))
		}
	}
	require.NotEmpty(t, all)
	return all
}

func TestMermaid(t *testing.T) {
	mermaidOf(t, oddTrace())
	var all strings.Builder
	for _, shown := range referenceTraces(t) {
		text := mermaidOf(t, shown)
		require.GreaterOrEqual(t, strings.Count(text, "\n"), len(shown.Trace.Steps), "a line a step at least")
		all.WriteString(text)
	}
	for _, what := range []string{" as Redis\n", " as SQL\n", "the clock moves by ", "crashes", "✗ violated", "  rect ", " is gone\n"} {
		require.Contains(t, all.String(), what)
	}
}

func TestMermaidFaults(t *testing.T) {
	step := func(n int, fault string) Step {
		return Step{N: n, Kind: "operation", Actor: "A", Token: "A.INCR", Command: []string{"INCR", "k"}, Reply: "1", Fault: fault, At: "0s"}
	}
	text := mermaidOf(t, &Traced{Title: "faults", Trace: &Trace{Steps: []Step{step(1, "unsent"), step(2, "lost"), step(3, "crash"),
		{N: 4, Kind: "server", Server: "r1", Token: "!restart@r1", Fault: "restart"}, {N: 5, Kind: "deliver", Actor: "A", Token: "A.deliver", Fault: "drop"}}}})
	for _, line := range []string{"p0-xp1: 1. INCR k", "p1--xp0: 1", "Note over p0: the reply is lost", "Note over p0: crashes before the reply", "participant p2 as Redis r1", "Note over p2: 4. !restart", "p1--xp0: 5. message lost"} {
		require.Contains(t, text, line)
	}
	require.NotContains(t, text, "-->>", "no reply of these arrives")
}

func TestMermaidBound(t *testing.T) {
	shown := &Traced{Title: "long", Trace: &Trace{}}
	for n := 1; n <= 5000; n++ {
		shown.Trace.Steps = append(shown.Trace.Steps, Step{N: n, Kind: "operation", Actor: "A", Token: "A.GET", Command: []string{"GET", "key"}, Reply: "value"})
	}
	text := mermaidOf(t, shown)
	require.Less(t, len(text), 50_000)
	left := regexp.MustCompile(`: (\d+) more steps are not drawn`).FindStringSubmatch(text)
	require.NotNil(t, left)
	require.Equal(t, fmt.Sprint(5000-strings.Count(text, "->>p1")), left[1])
}

// Mermaid itself reads what is written, and reads back the texts.
func TestMermaidParses(t *testing.T) {
	const folder = "testdata/mermaid"
	const get = "npm install --prefix internal/report/" + folder
	if _, err := exec.LookPath("node"); err != nil {
		needs.Missing(t, "mermaid", "no node here", "apt-get install nodejs npm; "+get)
	}
	if _, err := os.Stat(folder + "/node_modules/mermaid"); err != nil {
		needs.Missing(t, "mermaid", "its parser is not installed", get)
	}
	texts := []string{mermaidOf(t, oddTrace())}
	for _, shown := range referenceTraces(t) {
		texts = append(texts, mermaidOf(t, shown))
	}
	texts = append(texts, "sequenceDiagram\n  actor p0 as A;b\n  p0->>p1: GET\n") // so that a parser that accepts everything is seen
	in, err := json.Marshal(texts)
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), "node", folder+"/parse.mjs")
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err)
	var read []struct {
		Error            *string
		Messages, Actors []string
	}
	require.NoError(t, json.Unmarshal(out, &read))
	require.Len(t, read, len(texts))
	for i, r := range read[:len(read)-1] {
		if r.Error != nil {
			t.Errorf("Mermaid refuses: %s\n%s", *r.Error, texts[i])
		}
	}
	require.NotNil(t, read[len(read)-1].Error)
	require.Len(t, read[0].Actors, len(odd)+1)
	// Mermaid keeps an escape of ours as a mark of its own, which it writes as an HTML entity at the end.
	escape := regexp.MustCompile(`ﬂ°°(\d+)¶ß`)
	seen := escape.ReplaceAllStringFunc(strings.Join(read[0].Messages, "\n"), func(s string) string {
		var r rune
		_, err := fmt.Sscanf(escape.FindStringSubmatch(s)[1], "%d", &r)
		require.NoError(t, err)
		return string(r)
	})
	for _, word := range []string{"a;b", "#35;", "line end", odd[3], odd[4], "wrap: x", "style a:#f9f;", "한국어 🏁", `\x00\xff\x1b`, "@{ }"} {
		require.Contains(t, seen, word)
	}
}
