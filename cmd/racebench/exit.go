package main

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"syscall"

	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/interleave/backend"
	"github.com/racebench/racebench/interleave/schedule"
)

// The exit codes. exitCodes is the only text about them; docs/results.md quotes it.
const (
	codeOK          = 0
	codeUnexpected  = 1
	codeUsage       = 2
	codeBackend     = 3
	codeUndecided   = 4
	codeHint        = 5
	codeInterrupted = 130
)

const exitCodes = `  0    run: everything is as the catalogue expects; replay: every invariant holds; explore: in all orders;
       fuzz: nothing was found in lua, and in naive every race that was looked for
  1    run: something is not as the catalogue expects; replay: an invariant is violated or undecided;
       explore: an invariant is violated (--confirm: on the second Redis too); fuzz: something was found in lua;
       diff: something got worse
  2    wrong usage, a bad schedule, a schedule that does not fit the program, or output that can't be written
  3    the throwaway Redis is not available, has died, or refuses a command; explore --confirm: a violation was found, but
       the second Redis does not do the same in any such order: a fidelity fault, not a race
  4    explore: undecided, because not all orders were run, some could not be judged, or none reached the race;
       fuzz: not every race was found in naive, or no world could be judged
  5    explore --serial: everything held, but some order is equivalent to no serial one, which is a hint
  130  interrupted (SIGINT, SIGTERM or SIGHUP). The first signal lets the current world end and removes its keys; the
       second ends the command at once, and the keys of that world stay on a server given as redis:// URL
`

// failure is an error as a person reads it: one line, perhaps more below it, perhaps a hint.
type failure struct {
	code int
	text string // without prefix; empty when all has been said
	more string
	hint string
}

func (f *failure) Error() string { return f.text }

var errInterrupted = errors.New("interrupted")

func usage(hint, format string, args ...any) *failure {
	return &failure{code: codeUsage, text: fmt.Sprintf(format, args...), hint: hint}
}

// silent ends the command with a code when everything has been printed.
func silent(code int) error { return &failure{code: code} }

// end prints an error and returns the exit code.
func (a *app) end(err error) int {
	f := &failure{}
	if err != nil {
		f = explain(err)
	}
	if werr := a.stdout.err; werr != nil && !errors.Is(werr, syscall.EPIPE) {
		f = usage("send it to another place", "can't write to standard output: %v", lastError(werr))
	}
	if f.text != "" {
		fmt.Fprintf(a.stderr, "racebench: %s\n", plainLine(f.text))
	}
	if f.more != "" {
		fmt.Fprintln(a.stderr, plain(strings.TrimRight(f.more, "\n")))
	}
	if f.hint != "" {
		fmt.Fprintf(a.stderr, "hint: %s\n", plainLine(f.hint))
	}
	return f.code
}

// explain finds the code, the line and the hint of an error of any package.
func explain(err error) *failure {
	var (
		done     *failure
		grammar  *schedule.Error
		gone     *backend.UnavailableError
		refused  *backend.RefusedError
		diverged *interleave.DivergedError
		fidelity *interleave.FidelityError
	)
	switch {
	case errors.As(err, &done):
		return done
	case errors.As(err, &grammar):
		what := "bad schedule"
		if schedule.IsCompact(grammar.Src) {
			what = "bad token"
		}
		return &failure{code: codeUsage, text: what, more: indent(grammar.Caret()), hint: "racebench help schedule shows every form"}
	case errors.As(err, &gone):
		return &failure{code: codeBackend, text: err.Error(), hint: cmp.Or(gone.Hint, "racebench doctor says what can be used here")}
	case errors.As(err, &refused):
		return &failure{code: codeBackend, text: refused.Error(), hint: refused.Hint}
	case errors.As(err, &fidelity):
		return &failure{code: codeBackend, text: fidelity.Error(), hint: "racebench explore --redis explores on the second one"}
	case errors.As(err, &diverged):
		return &failure{code: codeUsage, text: err.Error(), hint: "replay with the schedule '' shows what the program does by itself"}
	case errors.Is(err, backend.ErrUnknown):
		return usage("racebench doctor says what can be used here", "%v", err)
	}
	text, more, _ := strings.Cut(err.Error(), "\n")
	return &failure{code: codeUsage, text: text, more: indent(more)}
}

func indent(text string) string {
	if text == "" {
		return ""
	}
	return "    " + strings.ReplaceAll(text, "\n", "\n    ")
}

// lastError is the innermost error: what the system said.
func lastError(err error) error {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err
		}
		err = next
	}
}
