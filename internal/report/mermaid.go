package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// mermaidBytes bounds a diagram: renderers refuse texts of more than 50,000 characters.
const mermaidBytes = 45_000

// mermaidWords is how many characters of a command, a reply or a note are shown.
const mermaidWords = 90

// Mermaid writes a trace as a Mermaid sequence diagram. Actors, servers and the SQL database take part; faults, moves of the
// clock, changes that nobody made and violations are notes, and the steps that a violation hangs on have a ground of their own.
func Mermaid(w io.Writer, t *Traced) error {
	m := &mermaid{ids: map[string]string{}}
	m.line("sequenceDiagram")
	// A title knows no escapes.
	m.line("  title %s", strings.Map(func(r rune) rune {
		if strings.ContainsRune("#;\n", r) {
			return ' '
		}
		return r
	}, Visible(t.Title)))
	for _, s := range t.Trace.Steps {
		if s.Actor != "" {
			m.join("actor", "actor "+s.Actor, s.Actor)
		}
	}
	for _, s := range t.Trace.Steps {
		if s.Kind == "point" || s.Kind == "clock" || s.Kind == "crash" {
			continue
		}
		m.join("participant", server(s), server(s))
	}
	for i, s := range t.Trace.Steps {
		if m.out.Len() > mermaidBytes {
			m.note(m.everybody(), fmt.Sprintf("%d more steps are not drawn", len(t.Trace.Steps)-i))
			break
		}
		m.step(s, slices.Contains(t.Decide, s.N))
		for _, v := range t.Broken {
			if v.Step == s.N {
				m.note(m.everybody(), "✗ violated: "+v.Invariant)
			}
		}
	}
	_, err := io.WriteString(w, m.out.String())
	return err
}

type mermaid struct {
	out   strings.Builder
	ids   map[string]string // of participants, since a name may be anything
	order []string          // ids
}

func (m *mermaid) line(format string, args ...any) { fmt.Fprintf(&m.out, format+"\n", args...) }

// join makes a participant known under its name.
func (m *mermaid) join(kind, key, name string) {
	if m.ids[key] != "" {
		return
	}
	m.ids[key] = "p" + strconv.Itoa(len(m.order))
	m.order = append(m.order, m.ids[key])
	m.line("  %s %s as %s", kind, m.ids[key], mermaidText(name))
}

// server says where a step goes.
func server(s Step) string {
	name := "Redis"
	if s.SQL {
		name = "SQL"
	}
	return strings.TrimSpace(name + " " + s.Server)
}

// everybody is what a note about the whole world lies over; empty where nobody takes part.
func (m *mermaid) everybody() string {
	switch len(m.order) {
	case 0:
		return ""
	case 1:
		return m.order[0]
	}
	return m.order[0] + "," + m.order[len(m.order)-1]
}

func (m *mermaid) note(over, text string) {
	if over != "" {
		m.line("  Note over %s: %s", over, mermaidText(text))
	}
}

func (m *mermaid) step(s Step, decides bool) {
	if decides {
		m.line("  rect rgba(255, 200, 0, 0.25)")
		defer m.line("  end")
	}
	actor, at := m.ids["actor "+s.Actor], m.ids[server(s)]
	number := strconv.Itoa(s.N) + ". "
	switch {
	case s.Kind == "clock":
		m.note(m.everybody(), number+"the clock moves by "+s.Advance+" to "+s.At)
	case s.Kind == "crash":
		m.note(actor, number+"crashes")
	case s.Kind == "point":
		m.note(actor, number+s.Token)
	case actor == "":
		m.note(at, number+s.Token)
	case s.Kind == "deliver" && s.Fault == "drop":
		m.line("  %s--x%s: %s", at, actor, mermaidText(number+"message lost"))
	case s.Kind == "deliver":
		m.line("  %s-->>%s: %s", at, actor, mermaidText(number+s.Token+" "+s.Reply))
	case s.Fault == "unsent":
		m.line("  %s-x%s: %s", actor, at, mermaidText(number+s.Words()))
	default:
		m.line("  %s->>%s: %s", actor, at, mermaidText(number+s.Words()))
		switch {
		case s.Fault == "lost" || s.Fault == "drop":
			m.line("  %s--x%s: %s", at, actor, mermaidText(s.Reply))
		case s.Reply != "" && s.Fault != "crash":
			m.line("  %s-->>%s: %s", at, actor, mermaidText(s.Reply))
		}
	}
	if s.Actor != "" && s.Fault != "" {
		m.note(actor, mermaidFaults[s.Fault])
	}
	if s.Kind != "clock" && s.Fault != "evict" {
		return
	}
	for _, c := range s.Changes {
		if c.After == nil {
			m.note(m.everybody(), c.Key+" is gone")
		}
	}
}

// mermaidFaults says what a fault of an actor comes to.
var mermaidFaults = map[string]string{
	"crash": "crashes before the reply", "lost": "the reply is lost", "unsent": "the command never arrives",
	"late": "the client has given up, the command comes later", "drop": "the message is lost",
}

// Words are what a step sends.
func (s Step) Words() string {
	if len(s.Command) == 0 {
		return s.Token
	}
	text := strings.Join(s.Command, " ")
	for i, q := range s.Queued {
		text += []string{": ", "; "}[min(i, 1)] + strings.Join(q, " ")
	}
	return text
}

// mermaidText is text as a message, a note or a name may hold it. What means something to Mermaid, or to the HTML that it
// makes, is written as #59;. A colon is one of these only where its lexer looks for a word before one.
func mermaidText(s string) string {
	s = Clip(Visible(s), mermaidWords)
	special := "#;<>&\"'`\\{}%@$"
	for _, word := range []string{"wrap", "style", "classdef"} {
		if strings.Contains(strings.ToLower(s), word) {
			special += ":"
		}
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n' || r == '\t' || r == '\u2028' || r == '\u2029' || r == '\u0085':
			b.WriteByte(' ')
		case strings.ContainsRune(special, r) || !unicode.IsGraphic(r):
			fmt.Fprintf(&b, "#%d;", r)
		default:
			b.WriteRune(r)
		}
	}
	if strings.TrimSpace(b.String()) == "" {
		return "(empty)"
	}
	return b.String()
}

// Clip leaves out the middle of what has more characters than there is room for.
func Clip(s string, most int) string {
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	return string(r[:most/2]) + "…" + string(r[len(r)-most/2+1:])
}
