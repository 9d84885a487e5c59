package page_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/racebench/racebench/internal/page"
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
