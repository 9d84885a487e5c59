package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// The elements of JUnit XML, as CI systems read it.
type (
	junitSuites struct {
		XMLName  xml.Name `xml:"testsuites"`
		Name     string   `xml:"name,attr"`
		Tests    int      `xml:"tests,attr"`
		Failures int      `xml:"failures,attr"`
		Errors   int      `xml:"errors,attr"`
		Suites   []junitSuite
	}
	junitSuite struct {
		XMLName    xml.Name        `xml:"testsuite"`
		Name       string          `xml:"name,attr"`
		Tests      int             `xml:"tests,attr"`
		Failures   int             `xml:"failures,attr"`
		Errors     int             `xml:"errors,attr"`
		Skipped    int             `xml:"skipped,attr"`
		Properties []junitProperty `xml:"properties>property"`
		Cases      []junitCase
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		XMLName xml.Name      `xml:"testcase"`
		Name    string        `xml:"name,attr"`
		Class   string        `xml:"classname,attr"`
		Failure *junitProblem `xml:"failure"`
		Error   *junitProblem `xml:"error"`
		Out     *junitText    `xml:"system-out"`
	}
	junitProblem struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",cdata"` // so that its lines stay lines for those who read the file itself
	}
	junitText struct {
		Text string `xml:",cdata"`
	}
)

// JUnit writes one testcase for each scenario on each implementation. It fails where the command does: a version that is known
// to be broken and breaks as the catalogue expects passes, and what was seen is its output. What could not be judged is an
// error. The same document gives the same bytes, so there are no times.
func JUnit(w io.Writer, s *Summary) error {
	suite := junitSuite{Name: s.Command + " on " + s.Backend.Name, Tests: len(s.Cases),
		Properties: []junitProperty{{"backend", s.Backend.Name}, {"version", Visible(s.Backend.Version)}}}
	for i := range s.Cases {
		c := &s.Cases[i]
		jc := junitCase{Name: Visible(fmt.Sprintf("%s %s, %s, on %s", c.Scenario, c.Name, c.Impl, s.Backend.Name)),
			Class: Visible(strings.Join([]string{"racebench", c.Scenario, c.Impl}, "."))}
		grade := c.Grade()
		problem := &junitProblem{Message: Visible(c.message(grade)), Text: Visible(c.text(grade))}
		switch grade {
		case Failed:
			suite.Failures++
			problem.Type, jc.Failure = "violated", problem
		case Unknown:
			suite.Errors++
			problem.Type, jc.Error = "undecided", problem
		default:
			jc.Out = &junitText{problem.Text}
		}
		suite.Cases = append(suite.Cases, jc)
	}
	all := junitSuites{Name: "racebench", Tests: suite.Tests, Failures: suite.Failures, Errors: suite.Errors, Suites: []junitSuite{suite}}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// message is the first finding of a grade, in one line.
func (c *Case) message(grade Grade) string {
	for _, f := range c.Findings {
		if f.Grade == grade {
			return f.Title
		}
	}
	return ""
}

// text is all findings of the grade, one below the other.
func (c *Case) text(grade Grade) string {
	var b strings.Builder
	for _, f := range c.Findings {
		if f.Grade != grade {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(f.Text())
	}
	return b.String()
}

// Text is all that there is to say of a finding, in lines.
func (f *Finding) Text() string {
	var b strings.Builder
	if f.Variant != "" {
		fmt.Fprintf(&b, "%s: ", f.Variant)
	}
	fmt.Fprintln(&b, f.Title)
	if f.Schedule != "" {
		fmt.Fprintf(&b, "schedule: %s\n", f.Schedule)
	}
	for _, line := range f.Lines {
		fmt.Fprintln(&b, line)
	}
	if f.Replay != "" {
		fmt.Fprintf(&b, "replay: %s\n", f.Replay)
	}
	return b.String()
}

// Visible shows what XML can't hold, not even escaped, as \x00: keys of Redis may be any bytes.
func Visible(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && size == 1, r < 0x20 && r != '\t' && r != '\n':
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case r == 0xFFFE || r == 0xFFFF:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteString(s[:size])
		}
		s = s[size:]
	}
	return b.String()
}
