// Package sarif writes what went wrong as SARIF 2.1.0, so that code scanning shows a race at the lines of source that it hangs on.
package sarif

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/racebench/racebench/internal/report"
)

// Place is the file in the repository that a caller in a trace, as naive/jobs.go:66, is in, and the line; line 0 for none.
type Place func(caller string) (file string, line int)

// mostSteps is how many steps of a trace a result lists. GitHub shows a thousand.
const mostSteps = 1000

// Violated is the rule of a violation whose class can't be told.
const Violated = "invariant-violated"

// home is where the tool and the classes, which are its rules, are described.
const home = "https://github.com/racebench/racebench"

// Write writes one result for each finding that a command would fail for. It lies where the first of the deciding steps was sent
// from, the others are related to it, and the threads of its code flow are the actors. What could not be judged says nothing
// about a line of source; it is a notification of the tool. The error is report.ErrNoTrace when the document has a finding
// without its trace, since only that knows lines. The same document gives the same bytes.
func Write(w io.Writer, s *report.Summary, place Place) error {
	run := sarif.NewRunWithInformationURI("racebench", home)
	run.WithColumnKind("unicodeCodePoints")
	invocation := sarif.NewInvocation().WithExecutionSuccessful(true)
	for i := range s.Cases {
		c := &s.Cases[i]
		for k := range c.Findings {
			f := &c.Findings[k]
			switch {
			case f.Grade == report.Failed && f.Seen == nil:
				return fmt.Errorf("%w: this document has schedules without them, and no line of source", report.ErrNoTrace)
			case f.Grade == report.Failed:
				add(run, s, c, f, place)
			case f.Grade == report.Unknown:
				invocation.WithExecutionSuccessful(false)
				invocation.AddToolExecutionNotification(sarif.NewNotification().WithLevel("warning").WithMessage(about(s, c, f)))
			}
		}
	}
	run.AddInvocation(invocation)
	return sarif.NewReport().AddRun(run).PrettyWrite(w)
}

// about is the message of a finding.
func about(s *report.Summary, c *report.Case, f *report.Finding) *sarif.Message {
	return message(fmt.Sprintf("%s %s, %s, on %s: %s", c.Scenario, c.Name, c.Impl, s.Backend.Name, f.Text()))
}

// message is a text in which a brace is no placeholder.
func message(text string) *sarif.Message {
	return sarif.NewTextMessage(strings.NewReplacer("{", "{{", "}", "}}").Replace(report.Visible(strings.TrimSpace(text))))
}

func add(run *sarif.Run, s *report.Summary, c *report.Case, f *report.Finding, place Place) {
	rule, says := Violated, "an invariant does not hold"
	if f.Class != "" {
		rule, says = strings.ReplaceAll(f.Class, " ", "-"), f.Class
	}
	run.AddRule(rule).WithDescription(says).WithHelpURI(home + "/blob/main/docs/explain.md")
	steps := f.Seen.Trace.Steps
	at := func(n int) *sarif.Location {
		if n < 1 || n > len(steps) {
			return nil
		}
		file, line := place(steps[n-1].Caller)
		if line == 0 {
			return nil
		}
		return sarif.NewLocationWithPhysicalLocation(sarif.NewPhysicalLocation().
			WithArtifactLocation(sarif.NewSimpleArtifactLocation(file).WithURIBaseID("%SRCROOT%")).
			WithRegion(sarif.NewSimpleRegion(line, line))).WithMessage(message(words(&steps[n-1])))
	}
	result := run.CreateResultForRule(rule).WithLevel("error").WithMessage(about(s, c, f))
	result.WithPartialFingerprints(map[string]string{"racebench/v1": strings.Join([]string{c.Scenario, c.Impl, f.Variant, cmp.Or(f.Breaks, broken(f))}, "/")})
	for _, n := range deciding(f) {
		switch l := at(n); {
		case l == nil:
		case len(result.Locations) == 0:
			result.AddLocation(l)
		default:
			result.AddRelatedLocation(l.WithID(n))
		}
	}
	for n := len(steps); n > 0 && len(result.Locations) == 0; n-- { // nothing decides that has a line: the last that has
		if l := at(n); l != nil {
			result.AddLocation(l)
		}
	}
	if flow := threads(steps, at); len(flow) > 0 {
		result.AddCodeFlow(sarif.NewCodeFlow().WithThreadFlows(flow))
	}
}

// deciding are the numbers of the steps that a finding lies at: what its first violation hangs on, and the step after which it is.
func deciding(f *report.Finding) []int {
	var steps []int
	if f.Decision != nil {
		steps = slices.Clone(f.Decision.Steps)
	}
	for _, v := range f.Seen.Verdicts {
		if v.Outcome != "violated" {
			continue
		}
		if !slices.Contains(steps, v.Step) {
			steps = append(steps, v.Step)
		}
		break
	}
	return steps
}

// broken are the invariants that do not hold, in one line.
func broken(f *report.Finding) string {
	var names []string
	for _, v := range f.Seen.Verdicts {
		if v.Outcome == "violated" {
			names = append(names, v.Invariant)
		}
	}
	return strings.Join(names, ", ")
}

// threads are the steps that have a line of source, those of each actor in a thread, in the order in which they happened.
func threads(steps []report.Step, at func(n int) *sarif.Location) []*sarif.ThreadFlow {
	var all []*sarif.ThreadFlow
	byActor := map[string]*sarif.ThreadFlow{}
	for i := range steps[:min(len(steps), mostSteps)] {
		step := &steps[i]
		l := at(step.N)
		if l == nil {
			continue
		}
		thread := byActor[step.Actor]
		if thread == nil {
			thread = sarif.NewThreadFlow().WithID(step.Actor)
			byActor[step.Actor] = thread
			all = append(all, thread)
		}
		thread.AddLocation(sarif.NewThreadFlowLocation().WithExecutionOrder(step.N).WithLocation(l))
	}
	return all
}

// words are a step in one line.
func words(step *report.Step) string {
	text := fmt.Sprintf("step %d, %s: %s", step.N, step.Actor, step.Words())
	if step.Reply != "" {
		text += " → " + step.Reply
	}
	if step.Fault != "" {
		text += " (" + step.Fault + ")"
	}
	return report.Clip(text, 300)
}
