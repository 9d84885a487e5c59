package main

import (
	"fmt"
	"strings"

	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/interleave/schedule"
	"github.com/racebench/racebench/scenarios"
)

// ofToken is the world that a name in a token says.
func ofToken(name string) (*scenarios.Scenario, string, *scenarios.Variant, error) {
	s, impl, v, err := scenarios.Named(name)
	if err != nil {
		return nil, "", nil, usage("the token of a go test is for go test -run … -interleave.replay=TOKEN", "this token is of %s, which is no world of the catalogue: %v", name, err)
	}
	return s, impl, v, nil
}

// longSchedule is the length of a schedule from which on the command that replays it has the token instead.
const longSchedule = 200

// printAgain prints how to see an order again: its token, if there is one, and a command.
func (a *app) printAgain(s *scenarios.Scenario, impl string, v *scenarios.Variant, r redisFlags, res *interleave.Result, token string) {
	if token != "" {
		fmt.Fprintf(a.stdout, "token:   %s\n", token)
	}
	text := res.Trace.Schedule().String()
	if len(text) > longSchedule && token != "" {
		text = token
	}
	fmt.Fprintf(a.stdout, "replay:  %s\n", plain(replayCommand(s, impl, v, r, text)))
}

// replayToken is what to type to see the run of a token again.
func replayToken(r redisFlags, token string) string {
	return "racebench replay" + r.typed() + " " + strings.TrimSpace(token)
}

// agree refuses a token that is not of the world that the command line asks for.
func (f *replayFlags) agree(word string, c *schedule.Compact, s *scenarios.Scenario, impl string, v *scenarios.Variant) error {
	no := func(format string, args ...any) error {
		return usage("racebench replay TOKEN alone takes all of this from the token", "this token is of %s, not of %s", c.Name, fmt.Sprintf(format, args...))
	}
	if word != "" {
		asked, err := findOne(word)
		if err != nil {
			return err
		}
		if asked != s {
			return no("%s", asked.ID)
		}
	}
	actors := v.Actors
	if actors == 0 {
		actors = v.Sizes.Usual
	}
	switch {
	case f.given("impl") && f.impl != impl:
		return no("--impl %s", f.impl)
	case f.given("variant") && f.variant != v.Name:
		return no("--variant %s", shellQuote(f.variant))
	case f.given("actors") && f.actors.n != actors:
		return no("--actors %d", f.actors.n)
	}
	return nil
}
