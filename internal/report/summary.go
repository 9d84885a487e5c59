package report

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/racebench/racebench/interleave"
)

// Summary is what the formats for other programs are made of: what a document of a run, a replay, an exploration or a
// campaign says about each scenario on each implementation.
type Summary struct {
	Command string // racebench run
	Backend Backend
	Cases   []Case // one a scenario and implementation, in the order of the document
}

// Case is one scenario on one implementation.
type Case struct {
	Scenario, Name, Impl string
	Findings             []Finding
}

// Grade says whether a finding ends a command with a failure.
type Grade int

// The grades, the worst last.
const (
	Passed  Grade = iota // as it should be, which for a version that is known to be broken is a violation
	Unknown              // could not be judged, or not to the end
	Failed
)

// Finding is one order, or one exploration, with what came of it.
type Finding struct {
	Grade    Grade
	Title    string   // in one line
	Variant  string   // empty where there is only one
	Schedule string   // empty where there is no single order
	Lines    []string // what else there is to know
	Replay   string   // the command that shows it again; empty for none

	Breaks   string    // the invariant that the finding is about; empty where it is about all of Seen
	Class    string    // the kind of race; empty where it can't be told
	Outcome  string    // held, violated or undecided, where the grade does not say it
	Token    string    // of the run; empty for none
	Seen     *Observed // what happened; nil where the document does not have it
	Decision *Decision // what the first violation of Seen hangs on
}

// example takes over what happened in the n-th example of a document, which is there only as long as the command lives.
func (f *Finding) example(examples []Example, n int) {
	if n < len(examples) {
		f.Seen, f.Decision = &examples[n].Observed, examples[n].Decision
	}
}

// Grade is that of the worst finding.
func (c *Case) Grade() Grade {
	worst := Passed
	for _, f := range c.Findings {
		worst = max(worst, f.Grade)
	}
	return worst
}

// add puts a finding to the case that it belongs to.
func (s *Summary) add(scenario, name, impl string, f Finding) {
	for i := range s.Cases {
		if c := &s.Cases[i]; c.Scenario == scenario && c.Impl == impl {
			c.Findings = append(c.Findings, f)
			return
		}
	}
	s.Cases = append(s.Cases, Case{Scenario: scenario, Name: name, Impl: impl, Findings: []Finding{f}})
}

// Summarize reads a document: a *Run, *Replay, *Exploration or *Fuzz.
func Summarize(document any) (*Summary, error) {
	switch d := document.(type) {
	case *Run:
		return d.summary(), nil
	case *Replay:
		return d.summary(), nil
	case *Exploration:
		return d.summary(), nil
	case *Fuzz:
		return d.summary(), nil
	case *TimeToBug:
		return nil, errors.New("a comparison of strategies has no verdict")
	}
	return nil, fmt.Errorf("report: nothing to sum up in a %T", document)
}

// LoadDocument reads a document that Summarize knows, or a comparison of strategies.
func LoadDocument(path string) (any, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, plain(err)
	}
	var head Head
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, fmt.Errorf("not a document of racebench: %w", err)
	}
	kinds := map[string]any{KindRun: new(Run), KindReplay: new(Replay), KindExploration: new(Exploration), KindFuzz: new(Fuzz), KindTimeToBug: new(TimeToBug)}
	doc, known := kinds[head.Kind]
	if !known || head.Schema != Schema {
		return nil, fmt.Errorf("a document of kind %q, schema %d; of schema %d there are %s, %s, %s, %s and %s",
			head.Kind, head.Schema, Schema, KindRun, KindReplay, KindExploration, KindFuzz, KindTimeToBug)
	}
	return doc, json.Unmarshal(text, doc) // a reader accepts fields that it does not know
}

func (r *Run) summary() *Summary {
	s := &Summary{Command: "racebench run", Backend: r.Backend}
	for _, res := range r.Results {
		f := Finding{Variant: res.Variant, Schedule: res.Schedule, Title: "as the catalogue expects: " + res.Expected.Shows}
		if !res.AsExpected {
			f.Grade, f.Title = Failed, "not as the catalogue expects: "+strings.Join(res.Differences, "; ")
		}
		for i := range res.Runs {
			if o := &res.Runs[i]; o.Error != "" && f.Grade == Failed {
				f.Grade = Unknown
			}
			f.Lines = append(f.Lines, res.Runs[i].lines()...)
		}
		f.decides(res.Decision)
		f.Token, f.Decision = res.Token, res.Decision
		f.Seen = res.shown()
		f.Replay = replayAgain("", res.Scenario, res.Impl, res.Variant, 0, res.Schedule)
		s.add(res.Scenario, res.Name, res.Impl, f)
	}
	return s
}

// shown is the run that says most about a result: the first that violates an invariant or, where none does, the first; nil for
// none.
func (r *Result) shown() *Observed {
	for i := range r.Runs {
		if r.Runs[i].Outcome == interleave.Violated.String() {
			return &r.Runs[i]
		}
	}
	if len(r.Runs) == 0 {
		return nil
	}
	return &r.Runs[0]
}

func (r *Replay) summary() *Summary {
	s := &Summary{Command: "racebench replay", Backend: r.Backend}
	f := Finding{Variant: r.Variant, Schedule: r.Order, Title: r.Outcome, Lines: r.lines()}
	switch {
	case r.Error != "" || r.Outcome == "undecided":
		f.Grade = Unknown
	case r.Outcome != "held":
		f.Grade = Failed
	}
	f.decides(r.Decision)
	f.say("story: ", r.Story)
	f.Class, f.Token, f.Seen, f.Decision = r.Class, r.Token, &r.Observed, r.Decision
	f.Replay = cmp.Or(r.Replay, replayAgain(r.Token, r.Scenario, r.Impl, r.Variant, r.Actors, r.Order))
	s.add(r.Scenario, r.Name, r.Impl, f)
	return s
}

func (x *Exploration) summary() *Summary {
	s := &Summary{Command: "racebench explore", Backend: x.Backend}
	count := fmt.Sprintf("%d of %d orders violate", x.Violating, x.Orders)
	if len(x.Violations) == 0 {
		f := Finding{Variant: x.Variant, Title: fmt.Sprintf("%v: %s", x.Verdict, count)}
		if verdict := x.Verdict.String(); verdict != "held" {
			f.Grade = Unknown
		}
		f.say("", x.Reason)
		s.add(x.Scenario, x.Name, x.Impl, f)
	}
	for i, v := range x.Violations {
		order := v.Shrunk
		if order == "" {
			order = v.Schedule
		}
		f := Finding{Grade: Failed, Variant: x.Variant, Schedule: order,
			Title: fmt.Sprintf("%q is violated in %d of %d orders", v.Invariant, v.Orders, x.Orders)}
		f.Breaks, f.Class = v.Invariant, v.Class
		f.say("class: ", v.Class)
		f.say("decides: ", v.Decides)
		f.say("story: ", v.Story)
		f.Token = v.Token
		f.example(x.Examples, i)
		f.Replay = cmp.Or(v.Replay, replayAgain(v.Token, x.Scenario, x.Impl, x.Variant, x.Actors, order))
		s.add(x.Scenario, x.Name, x.Impl, f)
	}
	return s
}

// summary of a campaign has one case for each implementation: in a version that is known to be broken every race that was
// looked for is to be found, and in the other nothing.
func (z *Fuzz) summary() *Summary {
	s := &Summary{Command: "racebench fuzz", Backend: z.Backend}
	found := 0
	for _, impl := range z.Impls {
		whole := Finding{Outcome: impl.outcome(), Title: fmt.Sprintf("%s: %d worlds of %d shapes, %d findings", impl.Verdict, impl.Worlds, impl.Shapes, len(impl.Found))}
		grade := Passed
		switch impl.Verdict {
		case "violated":
			grade = Failed
		case "undecided":
			whole.Grade = Unknown
		}
		if len(impl.Missing) > 0 {
			whole.say("not found: ", strings.Join(impl.Missing, ", "))
		}
		whole.say("ended by ", impl.Reason)
		s.add("fuzz", "drawn worlds", impl.Impl, whole)
		for _, d := range impl.Found {
			f := Finding{Grade: grade, Schedule: d.Schedule, Title: strings.TrimSpace(fmt.Sprintf("%s %q is violated in the drawn world %d", d.Scenario, d.Invariant, d.Shape)), Replay: d.Replay}
			f.example(z.Examples, found)
			found++
			f.Lines = append(f.Lines, d.World...)
			f.Breaks, f.Class = strings.TrimSpace(d.Scenario+" "+d.Invariant), d.Class
			f.say("class: ", d.Class)
			f.say("decides: ", d.Decides)
			f.say("story: ", d.Story)
			s.add("fuzz", "drawn worlds", impl.Impl, f)
		}
	}
	return s
}

// outcome is what was found, whether it was looked for or not.
func (i *FuzzImpl) outcome() string {
	if len(i.Found) > 0 {
		return "violated"
	}
	return i.Verdict
}

// lines say what was violated, and why a world could not be judged.
func (o *Observed) lines() []string {
	var out []string
	if o.Error != "" {
		out = append(out, o.Error)
	}
	for _, v := range o.Verdicts {
		switch v.Outcome {
		case "violated":
			out = append(out, fmt.Sprintf("violated: %q after step %d: %s", v.Invariant, v.Step, v.Detail))
		case "undecided":
			out = append(out, fmt.Sprintf("undecided: %q: %s", v.Invariant, v.Detail))
		}
	}
	return out
}

func (f *Finding) decides(d *Decision) {
	if d != nil {
		f.say("decides: ", d.Text)
	}
}

// say adds a line, where there is something to say.
func (f *Finding) say(what, text string) {
	if text != "" {
		f.Lines = append(f.Lines, what+text)
	}
}

// replayAgain is the command that shows an order again. A token says all that there is to say.
func replayAgain(token, scenario, impl, variant string, actors int, order string) string {
	if token != "" {
		return "racebench replay " + token
	}
	cmd := "racebench replay " + scenario + " --impl " + impl
	if variant != "" {
		cmd += " --variant " + quote(variant)
	}
	if actors != 0 {
		cmd += fmt.Sprintf(" --actors %d", actors)
	}
	return cmd + " " + quote(order)
}

func quote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
