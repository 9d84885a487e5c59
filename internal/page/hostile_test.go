package page_test

import (
	"strings"
	"testing"

	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/internal/report"
)

// What comes out of a world is somebody else's: none of it may become part of the page.
func TestHostileText(t *testing.T) {
	const bad = "</script><script>console.log('owned')</script><img src=x onerror=console.log(1)>\x00\x1b[2J\u2028\"'`${1}{{.}}"
	run := reference(t)
	r := run.Results[0]
	o := r.Runs[0]
	o.Trace.Steps = append([]report.Step(nil), o.Trace.Steps...)
	for i := range o.Trace.Steps {
		s := &o.Trace.Steps[i]
		s.Command, s.Keys, s.Reply, s.Caller, s.Events = []string{bad, bad}, []string{bad}, bad, bad+":1", []string{bad}
		s.Changes = []report.Change{{Key: bad, After: &report.Entry{Type: bad, Items: []string{bad, strings.Repeat(bad, 1000)}}}}
	}
	o.Verdicts = []report.Verdict{{Invariant: bad, Outcome: "violated", Detail: bad, Step: 3, When: "always"}}
	o.Order, o.Error = bad, bad
	r.Scenario, r.Name, r.Variant, r.Runs, r.Token = "A1", bad, bad, []report.Observed{o}, bad
	d := *r.Decision
	d.Text, d.Flipped = bad, &report.Flipped{Schedule: bad, Outcome: "held", Violates: []string{bad}, Seen: &o}
	r.Decision = &d
	run.Results = []report.Result{r}
	run.Orders = []report.Orders{{Scenario: "A1", Impl: "naive", Variant: bad, Orders: 1, Kept: []interleave.KeptOrder{{Tokens: []string{bad}, Outcome: interleave.Violated}}}}
	run.Measurements = []report.Measurement{{Scenario: bad, Title: bad, X: bad, Unit: bad, Series: []report.Series{{Impl: bad}}, Rows: []report.Row{{Actors: 1, Values: []float64{1}}}}}
	b := open(t, run) // which fails when anything is logged, thrown or asked for
	b.is(`document.querySelectorAll("script").length`, "2")
	b.is(`document.querySelectorAll("img").length`, "0")
	b.do()
	for range 4 {
		b.is(`(document.querySelector("[data-go='1']").click(), document.querySelector(".state").textContent)`, "owned")
	}
	b.is(`document.querySelector("[data-copy]").dataset.copy`, "</script>")
}
