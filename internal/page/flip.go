package page

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/racebench/racebench/internal/report"
)

// flip is the order with the deciding pair the other way round: what the actor of the second step did from the first one
// on comes before it. It ends with that pair, since what follows may be different then. Empty unless two actors decide.
func flip(steps []report.Step, pair []int) string {
	if len(pair) != 2 {
		return ""
	}
	first := slices.IndexFunc(steps, func(s report.Step) bool { return s.N == pair[0] })
	second := slices.IndexFunc(steps, func(s report.Step) bool { return s.N == pair[1] })
	if first < 0 || second < first || steps[first].Actor == "" || steps[second].Actor == "" || steps[first].Actor == steps[second].Actor {
		return ""
	}
	var order []string
	for _, s := range steps[:first] {
		order = append(order, s.Token)
	}
	for _, s := range steps[first : second+1] {
		if s.Actor != steps[first].Actor {
			order = append(order, s.Token)
		}
	}
	return strings.Join(append(order, steps[first].Token), " ")
}

func (d *data) size() int {
	text, err := json.Marshal(d)
	if err != nil {
		return MaxBytes // it does not fit, and the template says why
	}
	return len(text)
}

// Width is the share of the orders that violate, in percent.
func (m *model) Width(w *report.Orders) int {
	if w.Orders == 0 {
		return 0
	}
	return (100*w.Violating + w.Orders - 1) / w.Orders
}
