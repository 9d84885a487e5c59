package schedule

import (
	"fmt"
	"hash/crc32"
	"math/big"
	"slices"
	"strings"
)

// Compact is one run in a form that fits one line of a CI log:
//
//	1.A1.naive.CqyO4Yd0XUYn
//
// the version of the format, the name of the scenario or test, and the rest as one number. It holds only the steps that
// were a choice, which makes it useless without the program: the program is what says all others. So that a program that
// has changed since is noticed, it holds the number of the steps between two choices, a few bits of fingerprint for every
// step, and the command of every choice, to say what was expected.
type Compact struct {
	Name    string   // as CompactName makes it
	Prints  []Print  // one for each step of the run
	Choices []Choice // those steps that were one, in order
	Open    bool     // the run went on, in a fair order, and the token ends before it
	Digest  Print    // of all fingerprints, before they were cut to a few bits; 0 for none

	widths int // which of compactWidths
}

// Choice is a step that was not the only one that could have been taken.
type Choice struct {
	Step  int   // its number, from 1
	Actor int   // its place among the actors by name, from 1; 0 for a step that is nobody's
	Token Token // what happened, without the actor's name
}

// Print is a fingerprint of a step. How many of its bits a token keeps depends on its length.
type Print uint16

// AnyPrint is the fingerprint of a step that has none, because it differs from run to run.
const AnyPrint Print = 1 << 15

// digestBits is the length of a digest, and the most of a fingerprint that is looked at.
const digestBits = 12

// MaxLine is how long a token should be, in characters, to fit a line with what stands around it.
const MaxLine = 76

// compactVersion is the first part of every token.
const compactVersion = "1"

// maxName is how long a name may be in a token. Of a longer one the end is stood for by its checksum.
const maxName = 19

// compactWidths are the bits of the fingerprints of choices and of other steps: the first with which a token fits MaxLine
// is taken. A token that fits with none is long anyway, and gets those at longWidths.
var compactWidths = [...]struct{ choice, other int }{{6, 4}, {5, 3}, {4, 3}, {4, 2}, {3, 2}, {3, 1}, {2, 1}, {2, 0}, {1, 0}, {0, 0}}

const longWidths = 2

// CompactName is a name as tokens have it: letters, digits, _, - and dots, where a / was.
func CompactName(name string) string {
	short := strings.Map(func(r rune) rune {
		switch {
		case r == '/':
			return '.'
		case r == '.' || r < 128 && isWordByte(byte(r)):
			return r
		}
		return '_'
	}, name)
	if len(short) <= maxName {
		return short
	}
	return short[:maxName-5] + "_" + digits64(new(big.Int).SetUint64(uint64(crc24([]byte(name)))), 4)
}

// IsCompact reports whether a text is meant as a token: no schedule begins with a digit.
func IsCompact(text string) bool {
	text = strings.TrimSpace(text)
	return text != "" && '0' <= text[0] && text[0] <= '9'
}

// NewCompact makes a token, with as many bits of the fingerprints as fit on a line. The digest is made from them. open says
// that they are those of the beginning of a run.
func NewCompact(name string, prints []Print, choices []Choice, open bool) *Compact {
	c := &Compact{Name: CompactName(name), Choices: choices, Open: open, Digest: digestOf(prints)}
	if open {
		c.Digest = 0
	}
	for i := range compactWidths {
		c.widths = i
		c.Prints = c.cut(prints)
		if len(c.String()) <= MaxLine {
			return c
		}
	}
	c.widths = longWidths
	c.Prints = c.cut(prints)
	return c
}

// digestOf is the digest of the fingerprints of a run; 0 when one of them is AnyPrint.
func digestOf(prints []Print) Print {
	b := make([]byte, 0, 2*len(prints))
	for _, p := range prints {
		if p == AnyPrint {
			return 0
		}
		b = append(b, byte(p>>8), byte(p))
	}
	return max(Print(crc32.ChecksumIEEE(b)&(1<<digestBits-1)), 1)
}

// cut leaves of each fingerprint the bits that the token keeps.
func (c *Compact) cut(prints []Print) []Print {
	out := slices.Clone(prints)
	for i, next := 0, 0; i < len(out); i++ {
		width := compactWidths[c.widths].other
		if next < len(c.Choices) && c.Choices[next].Step == i+1 {
			width = compactWidths[c.widths].choice
			next++
		}
		if width == 0 {
			out[i] = AnyPrint
		} else if out[i] != AnyPrint {
			out[i] &= 1<<width - 1
		}
	}
	return out
}

// Fits reports whether the fingerprint of a step that happened agrees with what the token has of it. Steps are counted
// from 1; it has nothing of those after the end.
func (c *Compact) Fits(step int, p Print) bool {
	if step > len(c.Prints) || c.Prints[step-1] == AnyPrint || p == AnyPrint {
		return true
	}
	width := compactWidths[c.widths].other
	if _, ok := slices.BinarySearchFunc(c.Choices, step, func(x Choice, n int) int { return x.Step - n }); ok {
		width = compactWidths[c.widths].choice
	}
	return c.Prints[step-1] == p&(1<<width-1)
}

// String prints the token.
func (c *Compact) String() string {
	w := &coder{}
	body := *c
	body.Prints, body.Choices = slices.Clone(c.Prints), slices.Clone(c.Choices)
	body.code(w)
	x := w.number()
	sum := crc24([]byte(c.Name), x.Bytes())
	x.Lsh(x, 24).Or(x, new(big.Int).SetUint64(uint64(sum)))
	return compactVersion + "." + c.Name + "." + digits64(x, 0)
}

// ParseCompact reads a token. The error is an *Error.
func ParseCompact(text string) (*Compact, error) {
	text = strings.TrimSpace(text)
	bad := func(at int, allowed, format string, args ...any) (*Compact, error) {
		e := &Error{Src: text, Offset: at, Line: 1, Col: at + 1, Msg: fmt.Sprintf(format, args...)}
		if allowed != "" {
			e.Allowed = []string{allowed}
		}
		return nil, e
	}
	if len(text) > MaxSource {
		return bad(0, "", "a token of %d bytes, more than the %d allowed", len(text), MaxSource)
	}
	if i := strings.IndexFunc(text, func(r rune) bool { return r != '.' && (r >= 128 || !isWordByte(byte(r))) }); i >= 0 {
		return bad(i, "letters, digits, _, - and dots", "a token has no %q", []rune(text[i:])[0])
	}
	version, rest, ok := strings.Cut(text, ".")
	if ok && version != compactVersion {
		return bad(0, "version "+compactVersion, "a token of version %s", version)
	}
	end := strings.LastIndexByte(rest, '.')
	if !ok || end < 0 {
		return bad(0, compactVersion+".NAME.NUMBER", "this is no whole token")
	}
	at := len(version) + 1 + end + 1
	x, err := parse64(rest[end+1:])
	if err != nil {
		return bad(at, "", "%v", err)
	}
	sum := uint32(new(big.Int).And(x, big.NewInt(1<<24-1)).Uint64())
	body := new(big.Int).Rsh(x, 24)
	c := &Compact{Name: rest[:end]}
	if crc24([]byte(c.Name), body.Bytes()) != sum {
		return bad(at, "", "the checksum of this token is wrong: a character was lost or has changed")
	}
	r := &coder{reading: true, x: body}
	c.code(r)
	switch {
	case r.err == nil && r.x.Sign() != 0:
		r.err = errRest
	case r.err == nil && c.String() != text:
		r.err = errRest
	}
	if r.err != nil {
		return bad(at, "", "this token was not made here: %v", r.err)
	}
	return c, nil
}

// The limits of what a token says.
const (
	maxActors  = 1 << 16
	maxLiteral = 1 << 12
)

// code walks the whole token.
func (c *Compact) code(w *coder) {
	open := 0
	if c.Open {
		open = 1
	}
	w.uniform(&open, 2)
	c.Open = open == 1
	w.uniform(&c.widths, len(compactWidths))
	digest := int(c.Digest)
	w.uniform(&digest, 1<<digestBits)
	c.Digest = Print(digest)
	steps, choices, actors := len(c.Prints), len(c.Choices), 0
	for _, x := range c.Choices {
		actors = max(actors, x.Actor)
	}
	small := newAmount(usual...)
	w.int(&steps, small, MaxTokens)
	w.int(&choices, small, MaxTokens)
	w.int(&actors, small, maxActors)
	if w.reading {
		c.Prints, c.Choices = make([]Print, steps), make([]Choice, choices)
	}
	m := newChoiceModels(actors, compactWidths[c.widths].choice, compactWidths[c.widths].other)
	at := 0
	for i := range c.Choices {
		x := &c.Choices[i]
		gap := x.Step - at - 1
		w.int(&gap, m.gap, MaxTokens)
		if x.Step = at + 1 + gap; x.Step > len(c.Prints) || w.err != nil {
			w.fail(errRange)
			return
		}
		for ; at < x.Step-1; at++ {
			m.print(w, &c.Prints[at], m.other)
		}
		m.choice(w, x)
		m.print(w, &c.Prints[at], m.prints(x.Token.Match.Command))
		at++
	}
	for ; at < len(c.Prints) && w.err == nil; at++ {
		m.print(w, &c.Prints[at], m.other)
	}
}
