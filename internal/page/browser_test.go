package page_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/racebench/racebench/internal/page"
	"github.com/racebench/racebench/internal/report"
	"github.com/racebench/racebench/internal/require"
)

// tab is a page in a real browser, with what it must not have: complaints, and requests for anything but itself.
type tab struct {
	t    *testing.T
	ctx  context.Context
	url  string
	said chan string
}

func open(t *testing.T, document any) *tab {
	t.Helper()
	require.Backend(t, "chromium")
	var out bytes.Buffer
	o := page.Options{
		About: func(id string) page.About {
			return page.About{Subject: id[:1], Title: id, Story: "The story of " + id + "."}
		},
		Line: func(caller string) string { return "line of " + caller },
	}
	if err := page.Write(&out, document, o); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes", out.Len())
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.WindowSize(1400, 1000))
	ctx, stop := chromedp.NewExecAllocator(t.Context(), opts...)
	t.Cleanup(stop)
	ctx, done := chromedp.NewContext(ctx)
	t.Cleanup(done)
	ctx, late := context.WithTimeout(ctx, 3*time.Minute) // a browser that hangs is a failure, with the line
	t.Cleanup(late)
	b := &tab{t: t, ctx: ctx, url: "file://" + file, said: make(chan string, 1000)}
	chromedp.ListenTarget(ctx, func(event any) {
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			b.said <- e.ExceptionDetails.Error()
		case *runtime.EventConsoleAPICalled:
			b.said <- fmt.Sprint("console: ", e.Type)
		case *network.EventRequestWillBeSent:
			if u := e.Request.URL; !strings.HasPrefix(u, b.url) && !strings.HasPrefix(u, "data:") {
				b.said <- "request: " + u
			}
		}
	})
	b.do(network.Enable(), chromedp.Navigate(b.url))
	t.Cleanup(func() {
		for len(b.said) > 0 {
			t.Error(<-b.said)
		}
	})
	return b
}

func (b *tab) do(actions ...chromedp.Action) {
	b.t.Helper()
	if err := chromedp.Run(b.ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// text is what an expression comes to in the page.
func (b *tab) text(js string) string {
	b.t.Helper()
	var out string
	b.do(chromedp.Evaluate("String("+js+")", &out))
	return out
}

func (b *tab) is(js, want string) {
	b.t.Helper()
	if got := b.text(js); !strings.Contains(got, want) {
		b.t.Errorf("%s is %q, without %q", js, got, want)
	}
}

// enter puts a value into a field, as a hand that types does.
func (b *tab) enter(field, value string) {
	b.t.Helper()
	b.do(chromedp.Evaluate(fmt.Sprintf(`(e => { e.value = %q; e.dispatchEvent(new Event("input", {bubbles: true})); })(document.querySelector(%q))`, value, field), nil))
}

func (b *tab) picture(name string) {
	b.t.Helper()
	var png []byte
	b.do(chromedp.CaptureScreenshot(&png))
	dir := os.Getenv("RACEBENCH_ARTIFACTS")
	if dir == "" {
		dir = b.t.ArtifactDir()
	} else if err := os.MkdirAll(dir, 0o750); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o600); err != nil {
		b.t.Fatal(err)
	}
}

func reference(t *testing.T) *report.Run {
	t.Helper()
	run, err := report.Load("../../results/reference/run.json")
	if err != nil {
		t.Fatal(err)
	}
	return run
}

const first = `document.getElementById("A1-naive-1")`

func TestBrowser(t *testing.T) {
	run := reference(t)
	b := open(t, run)
	b.picture("light")
	all := b.text(`document.querySelectorAll("#rows tr:not([hidden])").length`)
	b.enter("#verdict", "violated")
	if some := b.text(`document.querySelectorAll("#rows tr:not([hidden])").length`); some == all || some == "0" {
		t.Errorf("%s of %s rows after the filter", some, all)
	}
	b.is(`[...document.querySelectorAll("#rows tr:not([hidden])")].every(r => r.dataset.verdict === "violated")`, "true")
	b.enter("#verdict", "")
	b.enter("#search", "A1 duplicate")
	b.is(`[...document.querySelectorAll("section.race:not([hidden])")].map(s => s.id)`, "A1")
	b.do(chromedp.Evaluate(first+`.focus()`, nil), chromedp.KeyEvent("\u0303"), chromedp.KeyEvent("\u0303"), chromedp.KeyEvent("\u0303"), chromedp.KeyEvent("\u0302"))
	b.is(`location.hash`, "#A1-naive-1/2")

	// A link to a moment shows that moment, forwards and back.
	b.do(chromedp.Navigate("about:blank"), chromedp.Navigate(b.url+"#A1-naive-1/6"))
	b.is(first+`.querySelector("output").textContent`, "Step 6 of 8: B.HSET")
	b.is(first+`.querySelector(".state").textContent`, "job:{doc-1}:runningstring a1")
	b.is(first+`.querySelector(".changed").textContent`, "job:{doc-1}:b1")
	b.is(first+`.querySelector(".state").textContent`, "naive/jobs.go")
	b.is(first+`.querySelector(".state").textContent`, "one running job a targetviolated since step 6")
	b.is(first+`.querySelector(".state").textContent`, "no unreferenced jobsholds")
	b.is(first+`.querySelector(".state").textContent`, "B.EXPIRE (since step 6)")
	b.is(first+`.querySelector(".state").textContent`, "nothing: it has ended")
	b.picture("moment")
	b.do(chromedp.Evaluate(first+`.querySelector("[data-go='-1']").click()`, nil))
	b.is(`location.hash`, "#A1-naive-1/5")
	b.is(first+`.querySelector(".state").textContent`, "one running job a targetholds")
	if strings.Contains(b.text(first+`.querySelector(".state").textContent`), "doc-1}:b1") {
		t.Error("a key of step 6 is there at step 5")
	}

	b.is(first+`.querySelector("details.flipped").innerText`, "The flipped order held")
	b.do(chromedp.Evaluate(first+`.querySelector("details.flipped summary").click()`, nil))
	b.is(first+`.querySelector("details.flipped [data-copy]").dataset.copy`, run.Results[0].Decision.Flipped.Schedule)
	if strings.HasPrefix(run.Results[0].Schedule, run.Results[0].Decision.Flipped.Schedule) {
		t.Error("the flipped order is the order")
	}

	light := b.text(`getComputedStyle(document.body).backgroundColor`)
	b.do(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}))
	if dark := b.text(`getComputedStyle(document.body).backgroundColor`); dark == light {
		t.Errorf("dark is %s, as light is", dark)
	}
	b.picture("dark")
	b.do(chromedp.EmulateViewport(420, 900))
	b.is(`document.documentElement.scrollWidth <= 420`, "true")
	b.picture("narrow")
}

func TestWithoutScripts(t *testing.T) {
	b := open(t, reference(t))
	b.do(emulation.SetScriptExecutionDisabled(true), chromedp.Reload())
	shown := b.text(`document.querySelector("#rows").innerText + document.querySelector("#A1").textContent`) // what is far below is not laid out yet
	b.is(`document.querySelector("#A1-naive-1 svg").checkVisibility() && !document.querySelector("#A1-naive-1 .travel").checkVisibility()`, "true")
	for _, fact := range []string{"A1 duplicate-acquire", "20 of 22", "B.GET before A.SET", "The story of A1"} {
		if !strings.Contains(shown, fact) {
			t.Errorf("without scripts nothing says %q", fact)
		}
	}
}

// Long traces and many races stay usable.
func TestLarge(t *testing.T) {
	run := reference(t)
	one := run.Results[0]
	run.Results = nil
	for i := range 500 {
		r := one
		r.Scenario = fmt.Sprintf("A%d", i+1)
		run.Results = append(run.Results, r)
	}
	long := one.Runs[0]
	long.Trace.Steps = nil
	for n := 1; n <= 10_000; n++ {
		s := one.Runs[0].Trace.Steps[(n-1)%8]
		s.N = n
		long.Trace.Steps = append(long.Trace.Steps, s)
	}
	run.Results[0].Runs = []report.Observed{long}
	b := open(t, run)
	began := time.Now()
	b.do(chromedp.Navigate("about:blank"), chromedp.Navigate(b.url))
	load := time.Since(began)
	var jump, step float64
	b.do(chromedp.Evaluate(`(() => { const r = `+first+`.querySelector("input"), t = performance.now(); r.value = 9000; r.dispatchEvent(new Event("input", {bubbles: true})); return performance.now() - t; })()`, &jump),
		chromedp.Evaluate(`(() => { const b = `+first+`.querySelector("[data-go='1']"), t = performance.now(); for (let i = 0; i < 100; i++) b.click(); return (performance.now() - t) / 100; })()`, &step))
	b.is(first+`.querySelector("output").textContent`, "Step 9100 of 10000")
	t.Logf("load %v, jump to step 9000 %.1f ms, a step %.2f ms", load.Round(time.Millisecond), jump, step)
	if load > 20*time.Second || jump > 5000 || step > 200 { // ten times what a slow machine needs, so that only another order of growth fails
		t.Errorf("too slow: load %v, jump %.1f ms, a step %.2f ms", load, jump, step)
	}
}
