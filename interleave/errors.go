package interleave

import (
	"fmt"
	"strings"
	"time"

	"github.com/racebench/racebench/interleave/schedule"
)

// DivergedError says that a schedule does not fit the program: a step was asked for that could not happen.
type DivergedError struct {
	Step     int             // number that the step would have had
	Token    *schedule.Token // what asked for it; nil when it was no token
	Index    int             // place of Token in the schedule, from 1
	Expected string          // "B GET job:1"
	Found    string          // "B waits with HGET job:1 (start.go:41)"
	Waiting  []string        // everything else that waited

	compact bool // it was a token: Index counts its choices
}

func (e *DivergedError) Error() string {
	s := fmt.Sprintf("schedule diverged at step %d", e.Step)
	if e.Token != nil {
		word := "token"
		if e.compact {
			word = "choice"
		}
		s += fmt.Sprintf(" (%s %d, %s)", word, e.Index, e.Token)
	}
	s += fmt.Sprintf(": expected %s, found %s", e.Expected, e.Found)
	if len(e.Waiting) > 0 {
		s += "; waiting: " + strings.Join(e.Waiting, ", ")
	}
	return s
}

// LateSQLError says that a schedule wants a SQL statement to be late, which none can be. The schedule does not fit the
// program: it is a [DivergedError] too.
type LateSQLError struct{ Diverged *DivergedError }

func (e *LateSQLError) Error() string {
	return fmt.Sprintf("%s at step %d: a SQL statement can't be late, because a driver that gives up closes its connection, and a server does not execute what comes after; allowed are !lost (executed) and !unsent (not executed)",
		e.Diverged.Token, e.Diverged.Step)
}

func (e *LateSQLError) Unwrap() error { return e.Diverged }

// Waiting is an actor that can't go on.
type Waiting struct {
	Actor      string
	Operations []string // at the gate, blocked on the server
	Messages   bool     // it is subscribed

	held bool // by a constraint
}

func (w Waiting) String() string {
	switch {
	case len(w.Operations) > 0:
		return w.Actor + " waits in " + strings.Join(w.Operations, " and ")
	case w.Messages:
		return w.Actor + " waits for a message"
	}
	return w.Actor + " waits for something inside the process"
}

// DeadlockError is a definite deadlock: no operation is enabled, no timer is pending, and actors wait.
type DeadlockError struct {
	Waiting []Waiting
	Stacks  string // goroutines of the world, by actor
}

func (e *DeadlockError) Error() string {
	parts := make([]string, len(e.Waiting))
	for i, w := range e.Waiting {
		parts[i] = w.String()
	}
	return "definite deadlock: nothing can happen any more, but " + strings.Join(parts, ", ")
}

// SpinError says that nothing happens any more but commands that concern their own connection, such as PING: the data can't
// change by them, so whoever waits will wait for ever.
type SpinError struct {
	Passed  int           // such commands since the last step
	Command string        // the last of them, with its place in the subject
	Actor   string        // whose
	Step    int           // the last step
	At      time.Duration // virtual time since the world began
	Waiting []Waiting
}

func (e *SpinError) Error() string {
	return fmt.Sprintf("nothing happens any more after step %d: %d commands have passed that are no steps, at last %s %s, until %s of virtual time; %s",
		e.Step, e.Passed, e.Actor, e.Command, e.At, strings.Join(texts(e.Waiting), ", "))
}

// StuckError is a potential deadlock: nothing reached the gate for some real time. A mutex held across a command, a
// real network connection, or an endless loop does that.
type StuckError struct {
	After  time.Duration
	Stacks string // goroutines of the world, by actor
}

func (e *StuckError) Error() string {
	return fmt.Sprintf("potential deadlock: nothing reached the gate for %v of real time (a mutex held across a command, real network use, an endless loop, or a timer that never leads to a command?)\n%s", e.After, e.Stacks)
}

// PanicError says that an actor, or the world function or an invariant, has panicked.
type PanicError struct {
	Actor string // empty when it was not an actor
	Value string
	Stack string
}

func (e *PanicError) Error() string {
	who := "the world function or an invariant"
	if e.Actor != "" {
		who = "actor " + e.Actor
	}
	return fmt.Sprintf("%s panicked: %s\n%s", who, e.Value, e.Stack)
}

// ExitError says that an actor, or the world function or an invariant, ended by runtime.Goexit, which t.FailNow and
// testify's require do.
type ExitError struct{ Actor string }

func (e *ExitError) Error() string {
	who := "the world function or an invariant"
	if e.Actor != "" {
		who = "actor " + e.Actor
	}
	return who + " ended by runtime.Goexit (t.FailNow, require.…): return an error instead"
}

// LeakError says that goroutines were left behind: the world had ended, every context and connection with it, and they
// still waited.
type LeakError struct{ Stacks string }

func (e *LeakError) Error() string {
	return "goroutines left behind after the end of the world:\n" + e.Stacks
}

// NondeterminismError says that the same steps led to another state than before: the program, or the world function,
// depends on something that the world does not control.
type NondeterminismError struct {
	Step    int    // the first that is not the same
	Was, Is string // what could happen next, before and now; or what happened
	Source  string // the likely one, where it can be told
}

func (e *NondeterminismError) Error() string {
	if e.Source != "" {
		return fmt.Sprintf("step %d: the same order came to something else when it was run again: first %s, then %s; likely source: %s", e.Step, e.Was, e.Is, e.Source)
	}
	return fmt.Sprintf("step %d: the same steps led somewhere else: before, %s could happen next; now %s (a random number, the order of a map or of goroutines, or state shared between worlds?)", e.Step, e.Was, e.Is)
}
