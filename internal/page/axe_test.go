package page_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/racebench/racebench/internal/report"
	"github.com/racebench/racebench/internal/require"
)

// axe is the text of axe-core, where it has been installed.
func axe(t *testing.T) string {
	t.Helper()
	const folder = "testdata/axe"
	text, err := os.ReadFile(folder + "/node_modules/axe-core/axe.min.js")
	if err != nil {
		require.Missing(t, "axe", "it is not installed", "npm install --prefix internal/page/"+folder)
	}
	return string(text)
}

// TestAccessible has axe judge the page by WCAG 2.2 AA and good practice: names, contrast, headings, landmarks, tables. In both
// colour schemes, with a moment of a race open, and with everything unfolded.
func TestAccessible(t *testing.T) {
	script := axe(t)
	run := *reference(t)
	for i := range run.Results { // a race that holds, one that violates, one with clock and crash
		if id := run.Results[i].Scenario; id != "A1" && id != "A6" && id != "B10" {
			run.Results[i].Scenario = ""
		}
	}
	var kept []report.Result
	for _, r := range run.Results {
		if r.Scenario != "" {
			kept = append(kept, r)
		}
	}
	run.Results, run.Orders = kept, nil
	for name, document := range map[string]any{"run": &run, "explored": explored(t)} {
		b := open(t, document)
		for _, scheme := range []string{"light", "dark"} {
			b.do(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}}),
				chromedp.Navigate("about:blank"), chromedp.Navigate(b.url+"#A1-naive-1/6"),
				chromedp.Evaluate(`document.querySelectorAll("details").forEach(d => { d.open = true; }); document.querySelectorAll(".race").forEach(r => { r.style.contentVisibility = "visible"; })`, nil),
				chromedp.Evaluate(script, nil))
			var found string
			b.do(chromedp.Evaluate(`axe.run(document, {resultTypes: ["violations"]}).then(r => JSON.stringify(r.violations.map(v => ({id: v.id, help: v.help, nodes: v.nodes.slice(0, 3).map(n => n.html.slice(0, 200) + " | " + n.failureSummary)}))))`, &found,
				func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
			var violations []struct {
				ID, Help string
				Nodes    []string
			}
			if err := json.Unmarshal([]byte(found), &violations); err != nil {
				t.Fatal(err)
			}
			for _, v := range violations {
				t.Errorf("%s, %s: %s: %s\n  %s", name, scheme, v.ID, v.Help, strings.Join(v.Nodes, "\n  "))
			}
		}
	}
}

// TestKeyboard goes through the page with the Tab key: everything that does something is reached, in the order in which it is
// read, and has a focus that is seen.
func TestKeyboard(t *testing.T) {
	b := open(t, explored(t))
	b.do(chromedp.Evaluate(`document.activeElement.blur()`, nil))
	want := b.text(`[...document.querySelectorAll("a[href], button, input, select, summary, [tabindex='0']")].filter(e => e.checkVisibility() && e.tabIndex >= 0).length`)
	seen, outlined := 0, 0
	for seen < 500 {
		b.do(chromedp.KeyEvent("\t"))
		at := b.text(`(e => e === document.body ? "" : [e.tagName, (e.getAttribute("aria-label") ?? e.labels?.[0]?.textContent ?? e.textContent).trim() !== "", getComputedStyle(e).outlineStyle !== "none"].join(" "))(document.activeElement)`)
		if at == "" {
			break
		}
		seen++
		if !strings.Contains(at, " true ") {
			t.Errorf("the element %d has no name: %s", seen, at)
		}
		if strings.HasSuffix(at, "true") {
			outlined++
		}
	}
	if fmt.Sprint(seen) != want || outlined != seen {
		t.Errorf("Tab reaches %d of %s, %d with a focus that is seen", seen, want, outlined)
	}
}
