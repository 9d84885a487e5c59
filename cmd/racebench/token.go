package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/interleave/schedule"
	"github.com/racebench/racebench/scenarios"
)

// tokenName is the name of a world in a token, which is then enough to have it again: A1.naive; A6.naive.2 for the second
// variant of the catalogue; X1.naive.a3 for three actors where another number is usual.
func tokenName(s *scenarios.Scenario, impl string, v *scenarios.Variant) string {
	name := s.ID + "." + impl
	c, _ := s.Case(impl)
	if i := slices.IndexFunc(c.Variants, func(x scenarios.Variant) bool { return x.Name == v.Name }); i > 0 {
		name += "." + strconv.Itoa(i+1)
	}
	if v.Actors != 0 {
		name += ".a" + strconv.Itoa(v.Actors)
	}
	return name
}

// ofToken is the world that a name in a token says.
func ofToken(name string) (*scenarios.Scenario, string, *scenarios.Variant, error) {
	unknown := func(why string) error {
		return usage("the token of a go test is for go test -run … -interleave.replay=TOKEN", "this token is of %s, which is no world of the catalogue: %s", name, why)
	}
	parts := strings.Split(name, ".")
	if len(parts) < 2 {
		return nil, "", nil, unknown("it names no implementation")
	}
	s, impl, rest := byID(parts[0]), parts[1], parts[2:]
	if s == nil {
		return nil, "", nil, unknown(fmt.Sprintf("there is no race %s", parts[0]))
	}
	c, ok := s.Case(impl)
	if !ok {
		return nil, "", nil, unknown(fmt.Sprintf("%s says nothing about the implementation %q", s.ID, impl))
	}
	v := &c.Variants[0]
	if len(rest) > 0 && !strings.HasPrefix(rest[0], "a") {
		n, err := strconv.Atoi(rest[0])
		if err != nil || n < 1 || n > len(c.Variants) {
			return nil, "", nil, unknown(fmt.Sprintf("%s on %s has %d variants, and no %q", s.ID, impl, len(c.Variants), rest[0]))
		}
		v, rest = &c.Variants[n-1], rest[1:]
	}
	if len(rest) > 0 {
		n, err := strconv.Atoi(strings.TrimPrefix(rest[0], "a"))
		if err != nil || len(rest) > 1 {
			return nil, "", nil, unknown(fmt.Sprintf("%q is no number of actors", strings.Join(rest, ".")))
		}
		if v, err = v.With(n); err != nil {
			return nil, "", nil, unknown(fmt.Sprintf("%d actors: %v", n, err))
		}
	}
	return s, impl, v, nil
}

// byID is the race of an id, written exactly so; nil when there is none.
func byID(id string) *scenarios.Scenario {
	for _, s := range scenarios.All() {
		if s.ID == id {
			return s
		}
	}
	return nil
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
