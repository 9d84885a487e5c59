package page_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestMoment looks at what a moment of a race says: what has come to the gate and what has not, what never went through, and what
// is not judged yet. C4 has a worker that dies with a statement at the gate, and invariants that are judged at the end.
func TestMoment(t *testing.T) {
	b := open(t, reference(t))
	const article = `document.getElementById("C4-naive-1")`
	state := func(step string) string {
		b.do(chromedp.Navigate("about:blank"), chromedp.Navigate(b.url+"#C4-naive-1/"+step))
		return b.text(article + `.querySelector(".state").innerText`)
	}
	says := func(step string, yes []string, no ...string) {
		t.Helper()
		text := state(step)
		for _, w := range yes {
			if !strings.Contains(text, w) {
				t.Errorf("after step %s nothing says %q:\n%s", step, w, text)
			}
		}
		for _, w := range no {
			if strings.Contains(text, w) {
				t.Errorf("after step %s it says %q:\n%s", step, w, text)
			}
		}
	}
	const dead = "UPDATE tasks SET status = 'processing'"
	says("1", []string{"every task ends\tjudged at the end"}, dead, "every task ends\tholds", "every task ends\tviolated")
	says("2", []string{dead, "(since step 2)", "judged at the end"})
	says("3", []string{"nothing: it is dead"}, dead)
	says("16", []string{"violated since step"}, "judged at the end")
	b.is(`[...`+article+`.querySelectorAll(".state caption")].map(c => c.textContent)`, "Keys,Actors,Invariants")
	b.is(article+`.querySelector(".travel output").getAttribute("aria-live")`, "polite")
	b.is(article+`.querySelector(".travel input").getAttribute("aria-label")`, "Step")

	// An operation that has not come yet is not said to wait: A's SET comes only after A has its reply to EXPIRE.
	b.do(chromedp.Navigate("about:blank"), chromedp.Navigate(b.url+"#A1-naive-1/1"))
	b.is(first+`.querySelector(".state").innerText`, "A.HSET (since step 1)")
	if text := b.text(first + `.querySelector(".state").innerText`); strings.Contains(text, "A.SET") || strings.Contains(text, "A.EXPIRE") {
		t.Errorf("what has not come waits:\n%s", text)
	}
}
