package scenarios

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/racebench/racebench/interleave"
)

// Name is what a world of the catalogue is called in a token, which is then enough to have it again: A1.naive; A6.naive.2 for
// the second variant; X1.naive.a3 for three actors where another number is usual.
func Name(s *Scenario, impl string, v *Variant) string {
	name := s.ID + "." + impl
	c, _ := s.Case(impl)
	if i := slices.IndexFunc(c.Variants, func(x Variant) bool { return x.Name == v.Name }); i > 0 {
		name += "." + strconv.Itoa(i+1)
	}
	if v.Actors != 0 {
		name += ".a" + strconv.Itoa(v.Actors)
	}
	return name
}

// Named is the world of a name like those that Name gives.
func Named(name string) (*Scenario, string, *Variant, error) {
	none := func(format string, args ...any) (*Scenario, string, *Variant, error) {
		return nil, "", nil, fmt.Errorf(format, args...)
	}
	parts := strings.Split(name, ".")
	if len(parts) < 2 {
		return none("it names no implementation")
	}
	s, impl, rest := byID(parts[0]), parts[1], parts[2:]
	if s == nil {
		return none("there is no race %s", parts[0])
	}
	c, ok := s.Case(impl)
	if !ok {
		return none("%s says nothing about the implementation %q", s.ID, impl)
	}
	v := &c.Variants[0]
	if len(rest) > 0 && !strings.HasPrefix(rest[0], "a") {
		n, err := strconv.Atoi(rest[0])
		if err != nil || n < 1 || n > len(c.Variants) {
			return none("%s on %s has %d variants, and no %q", s.ID, impl, len(c.Variants), rest[0])
		}
		v, rest = &c.Variants[n-1], rest[1:]
	}
	if len(rest) > 0 {
		n, err := strconv.Atoi(strings.TrimPrefix(rest[0], "a"))
		if err != nil || len(rest) > 1 {
			return none("%q is no number of actors", strings.Join(rest, "."))
		}
		if v, err = v.With(n); err != nil {
			return none("%d actors: %v", n, err)
		}
	}
	return s, impl, v, nil
}

// World is the world of a name like A1.naive, for a test that keeps an order of it. It panics when there is none of that
// name, which says why.
func World(name string) func(*interleave.World) {
	_, _, v, err := Named(name)
	if err != nil {
		panic(fmt.Sprintf("scenarios: %s is no world of the catalogue: %v", name, err))
	}
	return func(w *interleave.World) { v.World(w, Target) }
}

// byID is the race of an id, written exactly so; nil when there is none.
func byID(id string) *Scenario {
	for _, s := range All() {
		if s.ID == id {
			return s
		}
	}
	return nil
}
