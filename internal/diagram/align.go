package diagram

import (
	"slices"

	"github.com/racebench/racebench/internal/report"
)

// Align finds rows for two traces of one race, so that what the same actor does to the same keys stands at the same height in
// both pictures. It is the alignment of two sequences of Needleman and Wunsch (1970), of the first MaxSteps of each.
func Align(a, b []report.Step) (rowsA, rowsB []int) {
	a, b = a[:min(len(a), MaxSteps)], b[:min(len(b), MaxSteps)]
	best := make([][]int, len(a)+1) // the score of what is left of both
	for i := range best {
		best[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			best[i][j] = max(best[i+1][j], best[i][j+1])
			if s := alike(&a[i], &b[j]); s > 0 {
				best[i][j] = max(best[i][j], s+best[i+1][j+1])
			}
		}
	}
	row := 0
	for i, j := 0, 0; i < len(a) || j < len(b); row++ {
		switch {
		case i < len(a) && j < len(b) && alike(&a[i], &b[j]) > 0 && best[i][j] == alike(&a[i], &b[j])+best[i+1][j+1]:
			rowsA, rowsB = append(rowsA, row), append(rowsB, row)
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && best[i][j] == best[i+1][j]:
			rowsA = append(rowsA, row)
			i++
		default:
			rowsB = append(rowsB, row)
			j++
		}
	}
	return rowsA, rowsB
}

// alike says how much two steps are the same thing; 0 for not at all.
func alike(a, b *report.Step) int {
	if a.Actor != b.Actor || a.Server != b.Server || a.SQL != b.SQL {
		return 0
	}
	score := 1
	if a.Kind == b.Kind {
		score++
	}
	if len(a.Command) > 0 && len(b.Command) > 0 && a.Command[0] == b.Command[0] {
		score += 2
	}
	if slices.ContainsFunc(touched(*a), func(k string) bool { return slices.Contains(touched(*b), k) }) {
		score++
	}
	return score
}
