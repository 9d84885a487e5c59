package interleave

import (
	"errors"

	"github.com/racebench/racebench/interleave/backend"
)

// PartCause is a *backend.UnavailableError or a *backend.RefusedError in a file: who reads the part must still be able to tell
// a server that is not there from a program that went wrong.
type PartCause struct {
	Backend string `json:"backend"`           // its name
	Command string `json:"command,omitempty"` // what it refused; empty when it was not to be had
	Reason  string `json:"reason"`            // in words
	Hint    string `json:"hint,omitempty"`    // what may help
}

// gaveUp notes why the exploration of a part was given up.
func (p *Part) gaveUp(err error) {
	var (
		gone    *backend.UnavailableError
		refused *backend.RefusedError
	)
	p.Error = err.Error()
	switch {
	case errors.As(err, &gone):
		p.Cause = &PartCause{Backend: gone.Backend, Reason: gone.Err.Error(), Hint: gone.Hint}
	case errors.As(err, &refused):
		p.Cause = &PartCause{Backend: refused.Backend, Command: refused.Command, Reason: refused.Reason, Hint: refused.Hint}
	}
}

// err is why the exploration of a part was given up.
func (p *Part) err() error {
	e := &partError{text: p.Error}
	switch c := p.Cause; {
	case c == nil:
	case c.Command != "":
		e.cause = &backend.RefusedError{Backend: c.Backend, Command: c.Command, Reason: c.Reason, Hint: c.Hint}
	default:
		e.cause = &backend.UnavailableError{Backend: c.Backend, Err: errors.New(c.Reason), Hint: c.Hint}
	}
	return e
}

// partError is an error that was text in between.
type partError struct {
	text  string
	cause error // nil when only the text is known
}

func (e *partError) Error() string { return e.text }

func (e *partError) Unwrap() error { return e.cause }
