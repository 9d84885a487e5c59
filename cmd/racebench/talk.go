package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// addTalk adds the flags that say how much a command prints for a person.
func (a *app) addTalk(cmd *cobra.Command) {
	if cmd.Flags().Lookup("quiet") == nil {
		cmd.Flags().BoolVarP(&a.quiet, "quiet", "q", false, "print what was found and how to see it again, without tables, stories and progress")
	}
	cmd.Flags().BoolVarP(&a.verbose, "verbose", "v", false, "say on standard error what is used and how much was done")
	cmd.Flags().BoolVar(&a.wide, "wide", false, "print tables and values as wide as they are")
}

// talk are the flags of addTalk that were given, for a command that is carried out by another.
func (a *app) talk() []string {
	var words []string
	for _, f := range []struct {
		name string
		on   bool
	}{{"quiet", a.quiet}, {"verbose", a.verbose}, {"wide", a.wide}} {
		if f.on {
			words = append(words, "--"+f.name)
		}
	}
	return words
}

// agreed refuses flags that ask for more and for less.
func (a *app) agreed() error {
	if a.quiet && a.verbose {
		return usage("leave one of them out", "--quiet and --verbose say the opposite")
	}
	return nil
}

// note says something to who asked for it.
func (a *app) note(format string, args ...any) {
	if a.verbose {
		fmt.Fprintf(a.stderr, "racebench: "+format+"\n", args...)
	}
}

// clip leaves out the middle of what is too long to be read, unless all is asked for.
func (a *app) clip(s string) string {
	if a.wide {
		return s
	}
	return clip(s)
}

// asciiOnly reports whether nothing but ASCII is to be printed: when it is asked for, or on a terminal whose locale has
// nothing else.
func (a *app) asciiOnly() bool { return a.ascii || a.stdout.terminal() && !utf8Locale(os.Getenv) }

// utf8Locale reports whether the locale is one of UTF-8, or nothing says which it is.
func utf8Locale(getenv func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := getenv(name); locale != "" {
			code := strings.ToLower(strings.ReplaceAll(locale, "-", ""))
			return strings.Contains(code, "utf8")
		}
	}
	return true
}

// drawings are the characters beyond ASCII that are ours, one for one where a column depends on it.
var drawings = strings.NewReplacer("→", "->", "…", "...", "✗", "x", "✓", "v", "▶", ">", "▾", "v", "─", "-", "│", "|", "┼", "+", "━", "-",
	"–", "-", "×", "x", "·", ".", "█", "#", "▇", "#", "’", "'", "“", `"`, "”", `"`)

// toASCII writes what is ours in other characters, and everything else as Go does: \u00e9.
func toASCII(s string) string {
	s = drawings.Replace(s)
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return escapeBeyondASCII(s)
		}
	}
	return s
}

func escapeBeyondASCII(s string) string {
	var b strings.Builder
	for i, size := 0, 0; i < len(s); i += size {
		if size = 1; s[i] < utf8.RuneSelf {
			b.WriteByte(s[i])
			continue
		}
		_, size = utf8.DecodeRuneInString(s[i:])
		quoted := strconv.QuoteToASCII(s[i : i+size])
		b.WriteString(quoted[1 : len(quoted)-1])
	}
	return b.String()
}

// exact is a printer's writer for what is read by programs, byte for byte.
type exact struct{ p *printer }

func (e exact) Write(text []byte) (int, error) { return e.p.write(text) }

// tableWidth is the width for the table of a trace.
func (a *app) tableWidth() int {
	if a.wide {
		return -1
	}
	return a.width()
}

// columns is how wide the terminal of a file is, or what COLUMNS says; 0 where neither is known.
func columns(f *os.File) int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
		return w
	}
	return 0
}
