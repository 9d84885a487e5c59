package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// suites is what a reader of JUnit XML looks at, written down apart from what the writer has.
type suites struct {
	XMLName  xml.Name `xml:"testsuites"`
	Tests    int      `xml:"tests,attr"`
	Failures int      `xml:"failures,attr"`
	Errors   int      `xml:"errors,attr"`
	Suites   []struct {
		Name       string `xml:"name,attr"`
		Tests      int    `xml:"tests,attr"`
		Failures   int    `xml:"failures,attr"`
		Errors     int    `xml:"errors,attr"`
		Properties []struct {
			Name  string `xml:"name,attr"`
			Value string `xml:"value,attr"`
		} `xml:"properties>property"`
		Cases []struct {
			Name    string    `xml:"name,attr"`
			Class   string    `xml:"classname,attr"`
			Failure []problem `xml:"failure"`
			Error   []problem `xml:"error"`
			Out     string    `xml:"system-out"`
		} `xml:"testcase"`
	} `xml:"testsuite"`
}

type problem struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

// junitElements are the elements of JUnit XML that Jenkins, GitLab and GitHub's readers agree on: in what each may stand, which
// attributes it must have and which it may, and whether it may hold text.
var junitElements = map[string]struct {
	in, must, may string
	text          bool
}{
	"testsuites": {in: "", may: "name tests failures errors disabled time"},
	"testsuite":  {in: "testsuites", must: "name tests", may: "failures errors skipped disabled time timestamp hostname id package"},
	"properties": {in: "testsuite testcase"},
	"property":   {in: "properties", must: "name value"},
	"testcase":   {in: "testsuite", must: "name classname", may: "assertions time status file line"},
	"skipped":    {in: "testcase", may: "message type", text: true},
	"failure":    {in: "testcase", may: "message type", text: true},
	"error":      {in: "testcase", may: "message type", text: true},
	"system-out": {in: "testsuite testcase", text: true},
	"system-err": {in: "testsuite testcase", text: true},
}

// junitShape reads a document to its last byte, strictly, and compares its elements with those above.
func junitShape(text []byte) error {
	d := xml.NewDecoder(bytes.NewReader(text))
	within := []string{""}
	for {
		token, err := d.Token()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		parent := within[len(within)-1]
		switch x := token.(type) {
		case xml.StartElement:
			e, known := junitElements[x.Name.Local]
			if !known || x.Name.Space != "" || !slices.Contains(strings.Split(e.in, " "), parent) {
				return fmt.Errorf("<%s> in <%s>", x.Name.Local, parent)
			}
			must := strings.Fields(e.must)
			for _, a := range x.Attr {
				if !slices.Contains(append(strings.Fields(e.may), strings.Fields(e.must)...), a.Name.Local) {
					return fmt.Errorf("<%s %s=…>", x.Name.Local, a.Name.Local)
				}
				must = slices.DeleteFunc(must, func(name string) bool { return name == a.Name.Local })
			}
			if len(must) > 0 {
				return fmt.Errorf("<%s> without %v", x.Name.Local, must)
			}
			within = append(within, x.Name.Local)
		case xml.EndElement:
			within = within[:len(within)-1]
		case xml.CharData:
			if !junitElements[parent].text && len(bytes.TrimSpace(x)) > 0 {
				return fmt.Errorf("text in <%s>: %.50q", parent, x)
			}
		}
	}
}

func TestJUnitShapeRefuses(t *testing.T) {
	for _, bad := range []string{
		`<testsuites><testcase name="a" classname="b"/></testsuites>`,
		`<testsuites><testsuite name="a"/></testsuites>`,
		`<testsuites><testsuite name="a" tests="0" schedule="x"/></testsuites>`,
		`<testsuites><testsuite name="a" tests="0">text</testsuite></testsuites>`,
		`<testsuites><testsuite name="a" tests="0"><finding/></testsuite></testsuites>`,
		`<testsuites>`, `<testsuites></testsuite>`,
	} {
		require.Error(t, junitShape([]byte(bad)), bad)
	}
}

// parseJUnit reads the document to its last byte and checks that its numbers are those of its cases.
func parseJUnit(t *testing.T, text []byte) suites {
	t.Helper()
	require.NoError(t, junitShape(text))
	var all suites
	require.NoError(t, xml.Unmarshal(text, &all))
	require.Len(t, all.Suites, 1)
	s := all.Suites[0]
	failures, errors := 0, 0
	names := map[string]bool{}
	for _, c := range s.Cases {
		failures += len(c.Failure)
		errors += len(c.Error)
		require.LessOrEqual(t, len(c.Failure)+len(c.Error), 1, c.Name)
		require.NotEmpty(t, c.Class)
		require.False(t, names[c.Name], "two cases are called %s", c.Name)
		names[c.Name] = true
	}
	require.Equal(t, []int{len(s.Cases), failures, errors}, []int{s.Tests, s.Failures, s.Errors})
	require.Equal(t, []int{s.Tests, s.Failures, s.Errors}, []int{all.Tests, all.Failures, all.Errors})
	return all
}

func junit(t *testing.T, document any) suites {
	t.Helper()
	s, err := Summarize(document)
	require.NoError(t, err)
	var text bytes.Buffer
	require.NoError(t, JUnit(&text, s))
	return parseJUnit(t, text.Bytes())
}

// Whatever a key or a schedule holds is read back as it was, or as an escape where XML can't hold it.
func TestJUnitEscapes(t *testing.T) {
	const odd = "<a b=\"1\"> & 'c' ]]> --> \n한국어 🏁 \t"
	x := &Exploration{Backend: Backend{Name: "embedded", Version: "1 <2>"}, Scenario: "Z<1>", Name: `odd "&"`, Impl: "naïve", Orders: 3, Violating: 2,
		Violations: []Violation{{Invariant: odd, Orders: 2, Schedule: odd + "\x00\xff\x1b\uFFFE", Story: odd}}}
	c := junit(t, x).Suites[0].Cases[0]
	require.Equal(t, `Z<1> odd "&", naïve, on embedded`, c.Name)
	require.Equal(t, fmt.Sprintf("%q is violated in 2 of 3 orders", odd), c.Failure[0].Message)
	require.Contains(t, c.Failure[0].Text, "schedule: "+odd+`\x00\xff\x1b\ufffe`+"\n")
	require.Contains(t, c.Failure[0].Text, "story: "+odd+"\n")
}

func TestJUnitLongSchedule(t *testing.T) {
	order := strings.TrimSpace(strings.Repeat("A.GET ", 10_000))
	x := &Exploration{Scenario: "A1", Impl: "naive", Violations: []Violation{{Schedule: order}}}
	require.Contains(t, junit(t, x).Suites[0].Cases[0].Failure[0].Text, "schedule: "+order+"\n", "nothing is left out")
}

// A run passes where it is as expected, fails where it is not, and is an error where nobody can tell; variants are one case.
func TestJUnitGrades(t *testing.T) {
	violated := []Observed{{Outcome: "violated", Verdicts: []Verdict{{Invariant: "one", Outcome: "violated", Step: 3, Detail: "two"}}}}
	run := &Run{Backend: Backend{Name: "process"}, Results: []Result{
		{Scenario: "A1", Name: "n", Impl: "naive", Schedule: "A..", AsExpected: true, Expected: Expected{Shows: "a race"}, Runs: violated},
		{Scenario: "A1", Name: "n", Impl: "lua", Variant: "first", Schedule: "B..", AsExpected: true},
		{Scenario: "A1", Name: "n", Impl: "lua", Variant: "second", Schedule: "C..", Differences: []string{"it's off"}, Runs: violated},
		{Scenario: "A2", Name: "m", Impl: "lua", Schedule: "D..", Differences: []string{"?"}, Runs: []Observed{{Outcome: "undecided", Error: "diverged"}}},
	}}
	s := junit(t, run).Suites[0]
	require.Len(t, s.Cases, 3)
	require.Contains(t, s.Cases[0].Out, "as the catalogue expects: a race\nschedule: A..\nviolated: \"one\" after step 3: two\n")
	require.Equal(t, "not as the catalogue expects: it's off", s.Cases[1].Failure[0].Message)
	require.Contains(t, s.Cases[1].Failure[0].Text, "second: not as")
	require.Contains(t, s.Cases[1].Failure[0].Text, "replay: racebench replay A1 --impl lua --variant 'second' 'C..'\n")
	require.NotContains(t, s.Cases[1].Failure[0].Text, "B..", "the other variant is as expected")
	require.Contains(t, s.Cases[2].Error[0].Text, "schedule: D..\ndiverged\n")

	held := &Exploration{Scenario: "A1", Impl: "lua", Orders: 5, Reason: "--max 5"}
	require.NoError(t, held.Verdict.UnmarshalText([]byte("undecided")))
	require.Contains(t, junit(t, held).Suites[0].Cases[0].Error[0].Text, "--max 5")

	fuzz := &Fuzz{Impls: []FuzzImpl{{Impl: "naive", Verdict: "found", Found: []Drawn{{Scenario: "A1", Schedule: "A.."}}}, {Impl: "lua", Verdict: "violated", Found: []Drawn{{Invariant: "x", Schedule: "Q.."}}}}}
	f := junit(t, fuzz).Suites[0]
	require.Contains(t, f.Cases[0].Out, "schedule: A..")
	require.Contains(t, f.Cases[1].Failure[0].Text, "schedule: Q..")
}

// The committed run is as expected in every case.
func TestJUnitOfTheReference(t *testing.T) {
	doc, err := LoadDocument("../../results/reference/run.json")
	require.NoError(t, err)
	all := junit(t, doc)
	seen := map[string]bool{}
	for _, r := range doc.(*Run).Results {
		seen[r.Scenario+" "+r.Impl] = true
	}
	require.Equal(t, len(seen), all.Tests)
	require.Zero(t, all.Failures+all.Errors)
	for _, c := range all.Suites[0].Cases {
		require.Regexp(t, `^[A-Z]\d+ \S+, \w+, on embedded$`, c.Name)
	}
}

// Every failure of a broken version has its order and how to see it again, whatever document it is of.
func TestJUnitFailuresHaveTheirSchedule(t *testing.T) {
	run := &Run{Results: []Result{{Scenario: "A1", Name: "n", Impl: "lua", Schedule: "A.GET B..", Differences: []string{"x"}, Runs: []Observed{{}}}}}
	replay := &Replay{Scenario: "A1", Impl: "lua"}
	replay.Order, replay.Outcome = "A.GET B..", "violated"
	for _, document := range []any{run, replay,
		&Exploration{Scenario: "A1", Impl: "lua", Violations: []Violation{{Schedule: "A.. B..", Shrunk: "A.GET B.."}}},
		&Fuzz{Impls: []FuzzImpl{{Impl: "lua", Verdict: "violated", Found: []Drawn{{Schedule: "A.GET B..", Replay: "racebench replay 1.x"}}}}},
	} {
		for _, c := range junit(t, document).Suites[0].Cases {
			require.Len(t, c.Failure, 1)
			require.Contains(t, c.Failure[0].Text, "schedule: A.GET B..\n", "%T", document)
			require.Contains(t, c.Failure[0].Text, "replay: racebench replay ", "%T", document)
		}
	}
}

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out.xml")
	require.NoError(t, Writable(path))
	require.NoFileExists(t, path, "trying leaves nothing")
	require.NoError(t, WriteFile(path, []byte("one")))
	require.NoError(t, WriteFile(path, []byte("two")))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "two", string(text))
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 1)
	require.EqualError(t, Writable(dir), "is a directory")
	require.ErrorIs(t, Writable(filepath.Join(dir, "none", "x")), os.ErrNotExist)
}
