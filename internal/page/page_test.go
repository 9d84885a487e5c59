package page_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/racebench/racebench/internal/page"
	"github.com/racebench/racebench/internal/report"
)

func TestSameBytesAndBound(t *testing.T) {
	run := reference(t)
	write := func(bound int) string {
		var out bytes.Buffer
		if err := page.Write(&out, run, page.Options{Bound: bound}); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	whole, again, small := write(0), write(0), write(1<<20)
	if whole != again {
		t.Error("two pages of one document differ")
	}
	const cases, traces = "cases are left out altogether", "traces and pictures are left out"
	if strings.Contains(whole, cases) || strings.Contains(whole, traces) {
		t.Error("something is left out without need")
	}
	if len(small) > 1<<20 || strings.Contains(small, cases) || !strings.Contains(small, traces) {
		t.Errorf("the bound does not hold, or is not said: %d bytes of %d", len(small), len(whole))
	}
	if tiny := write(200 << 10); len(tiny) > 200<<10 || !strings.Contains(tiny, cases) || !strings.Contains(tiny, "A1-naive-1") {
		t.Errorf("a small bound does not hold, or is not said: %d bytes", len(tiny))
	}
	flipped := run.Results[0].Decision.Flipped
	if flipped.Outcome != "held" || !strings.Contains(whole, `The flipped order <span class="tag held">held</span>`) || !strings.Contains(whole, flipped.Schedule) {
		t.Errorf("the flipped order of A1, %s, is not there", flipped.Schedule)
	}
}

// A flipped order in which something else is violated is not said to hold.
func TestFlippedOrderIsNotSaidToHold(t *testing.T) {
	run := reference(t)
	d := *run.Results[0].Decision
	d.Flipped = &report.Flipped{Schedule: "B.GET A.SET", Outcome: "violated", Violates: []string{"another rule"}}
	run.Results = run.Results[:1]
	run.Results[0].Decision = &d
	var out bytes.Buffer
	if err := page.Write(&out, run, page.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`The flipped order <span class="tag violated">violated</span>`, "What decides is no longer violated, but this is: another rule."} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("nothing says %q", want)
		}
	}
	if strings.Contains(out.String(), `The flipped order <span class="tag held">`) {
		t.Error("it is said to hold")
	}
}
