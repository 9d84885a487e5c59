package diagram_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/racebench/racebench/internal/diagram"
	"github.com/racebench/racebench/internal/report"
)

// Every trace of the committed run is drawn as XML that parses, with a group for each step, and always the same.
func TestReference(t *testing.T) {
	run, err := report.Load("../../results/reference/run.json")
	if err != nil {
		t.Fatal(err)
	}
	marks := map[string]int{}
	for _, res := range run.Results {
		for i := range res.Runs {
			trace := &res.Runs[i].Trace
			first, again := draw(t, trace), draw(t, trace)
			if first != again {
				t.Fatalf("%s on %s: two pictures of one trace differ", res.Scenario, res.Impl)
			}
			parses(t, first)
			if got := strings.Count(first, "<g data-n="); got != len(trace.Steps) {
				t.Fatalf("%s on %s: %d steps are drawn of %d", res.Scenario, res.Impl, got, len(trace.Steps))
			}
			for _, mark := range []string{`class="cross"`, `class="clock"`, "is gone"} {
				if strings.Contains(first, mark) {
					marks[mark]++
				}
			}
		}
	}
	if len(marks) != 3 {
		t.Errorf("of crash, clock and expiry only these were drawn: %v", marks)
	}
}

func TestWhatIsLeftOutIsSaid(t *testing.T) {
	trace := &report.Trace{}
	for n := 1; n <= diagram.MaxSteps+7; n++ {
		trace.Steps = append(trace.Steps, report.Step{N: n, Kind: "operation", Actor: "A", Token: fmt.Sprint("A.<GET>\x00", n), Keys: []string{"k\xff"}})
	}
	svg := draw(t, trace)
	parses(t, svg)
	if !strings.Contains(svg, "7 more steps are not drawn") {
		t.Error("nothing says that steps are missing")
	}
}

func draw(t *testing.T, trace *report.Trace) string {
	t.Helper()
	var out bytes.Buffer
	if err := diagram.SVG(&out, trace, diagram.Options{Decide: []int{2}}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func parses(t *testing.T, svg string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("not XML: %v\n%s", err, svg)
		}
	}
}
