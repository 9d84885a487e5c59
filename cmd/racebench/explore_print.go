package main

import (
	"fmt"
	"math/big"

	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/scenarios"
)

func (a *app) printExploration(f exploreFlags, s *scenarios.Scenario, v *scenarios.Variant, x *interleave.Exploration, tokens []string, second *confirmer) {
	fmt.Fprintf(a.stdout, "%s\n%d executions%s%s%s\n", plain(x.String()), x.Executions, f.drawn(), pruned(x), plainLine(f.begins()))
	if budget := f.budget.String(); budget != "" {
		fmt.Fprintf(a.stdout, "faults and moves of the clock: %s\n", budget)
	}
	if all := x.All(); all != nil {
		fmt.Fprintf(a.stdout, "%s of %s orders are inequivalent\n", thousands(big.NewInt(int64(x.Orders))), thousands(all))
	}
	a.printWindows(x)
	if x.Differs != nil {
		fmt.Fprintf(a.stdout, "differs: an order that goes wrong does not come again by itself: %s\n", plainLine(x.Differs.Error()))
	}
	a.printSerial(f, s, v, x)
	if x.Coverage != nil {
		fmt.Fprintf(a.stdout, "\n%s\n", plain(x.Coverage.String()))
	}
	for i, found := range x.Found {
		fmt.Fprintf(a.stdout, "\n%s in %d of %d orders; the first%s:\n", a.paint(red, fmt.Sprintf("violated: %q", found.What)), found.Orders, x.Orders, order(f, &found))
		if found.Shrunk == nil {
			res := found.First
			if i > 0 && res == x.Found[0].First {
				fmt.Fprintln(a.stdout, "the order shown above")
				continue
			}
			a.printWorld(res, nil)
			a.printConfirmed(second, i)
			a.printAgain(s, f.impl, v, f.redis, res, tokens[i])
			continue
		}
		a.printWorld(found.Shrunk, found.Decision)
		a.printStory(&found.Explanation, found.Shrunk)
		a.printConfirmed(second, i)
		a.printAgain(s, f.impl, v, f.redis, found.Shrunk, tokens[i])
	}
}

// drawn says what orders have been drawn with.
func (f exploreFlags) drawn() string {
	switch f.strategy {
	case exhaustive:
		return ""
	case depthFirst:
		return " with strategy " + depthFirst + ", which runs equivalent orders too"
	}
	return fmt.Sprintf(" with strategy %s and seed %d", f.strategy, f.seed)
}

// order says which order is shown.
func order(f exploreFlags, found *interleave.Finding) string {
	if found.Shrunk != nil {
		return ", made as short as it can be"
	}
	if f.strategy == exhaustive {
		return ", with the fewest preemptions"
	}
	return " found"
}

func pruned(x *interleave.Exploration) string {
	text := ""
	if x.Pruned > 0 {
		text = fmt.Sprintf(", %d of them cut short because their orders were explored already", x.Pruned)
	}
	if x.Met > 0 {
		text += fmt.Sprintf(", %d cut short in one of %d states that had been met before", x.Met, x.States)
	}
	if x.Repeated > 0 {
		text += fmt.Sprintf(", %d of them once more in units", x.Repeated)
	}
	return text
}

// thousands writes a number with commas: 17,153,136.
func thousands(n *big.Int) string {
	digits := n.String()
	text := ""
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			text += ","
		}
		text += string(d)
	}
	return text
}
