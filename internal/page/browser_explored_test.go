package page_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/internal/report"
)

// explored is an exploration with as many orders as are kept.
func explored(t *testing.T) *report.Exploration {
	run := reference(t)
	x := &report.Exploration{Scenario: "A1", Name: "duplicate-acquire", Impl: "naive", Orders: interleave.MaxKeptOrders, Violating: 1500,
		Violations: []report.Violation{{Invariant: "no unreferenced jobs", Class: "check-then-act", Orders: 1500}},
		Endings:    []interleave.Ending{{Outcome: interleave.Violated, Violates: []string{"no unreferenced jobs"}, Orders: 1500}, {Outcome: interleave.Held, Orders: 500}},
		Examples:   []report.Example{{Observed: run.Results[0].Runs[0], Decision: run.Results[0].Decision}},
	}
	for i := range x.Orders {
		outcome := interleave.Violated
		if i%7 == 0 { // nothing of A comes first
			outcome = interleave.Held
		}
		tokens := strings.Fields(strings.Repeat("A.GET ", i%7) + strings.Repeat("B.SET ", i%11) + strings.Repeat("C.DEL ", i%26))
		x.Kept = append(x.Kept, interleave.KeptOrder{Tokens: append(tokens, fmt.Sprintf("D.GET@%d", i)), Outcome: outcome})
	}
	return x
}

func TestExplored(t *testing.T) {
	b := open(t, explored(t))
	b.is(`document.querySelector("table.classes").innerText`, "1500\tno unreferenced jobs")
	b.is(`document.querySelector("svg.space").checkVisibility()`, "true")
	// What violates differs in more than its colour.
	b.is(`[...document.querySelectorAll("svg.space g")].some(g => g.querySelector("rect.all") && g.textContent.includes("✗"))`, "true")
	b.do(chromedp.Evaluate(`document.querySelector("table.classes a").click()`, nil))
	b.is(`location.hash`, "#A1-naive-1")
	b.do(chromedp.Evaluate(first+`.querySelector("[data-go='1']").click()`, nil))
	b.is(first+`.querySelector("output").textContent`, "Step 1 of 8: A.GET")
	b.picture("explored")
	var took float64
	b.do(chromedp.Evaluate(`performance.timing.loadEventEnd - performance.timing.navigationStart`, &took))
	t.Logf("%d orders, loaded in %.0f ms", interleave.MaxKeptOrders, took)
}

func TestCompared(t *testing.T) {
	x := &report.TimeToBug{Max: 1000}
	for _, s := range []report.Search{{Strategy: "exhaustive", Trials: 1, Found: 1}, {Strategy: "random", Trials: 5}, {Strategy: "pct", Trials: 10, Found: 7}, {Strategy: "dfs", Trials: 1, Exhausted: true}} {
		s.Scenario, s.Impl = "X2", "naive"
		s.Measure([]int{2, 40, 900})
		x.Rows = append(x.Rows, s)
	}
	b := open(t, x)
	b.is(`document.querySelectorAll("svg.plot circle").length`, "2")
	b.is(`document.querySelector("svg.plot").textContent`, "none is there")
	b.is(`document.querySelectorAll("svg.plot path.open").length`, "1")
	b.is(`document.querySelectorAll("table tbody tr").length`, "4")
	b.picture("compared")
}
