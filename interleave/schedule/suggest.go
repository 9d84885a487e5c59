package schedule

import (
	"strings"
	"unicode/utf8"
)

// didYouMean is ` (did you mean "lost"?)` for the word nearest to met, or "" when none is near.
func didYouMean(met, prefix string, words []string) string {
	best, bestAt := "", 3
	for _, w := range words {
		if d := distance(strings.ToLower(met), w); d < bestAt && d*2 <= len(w) {
			best, bestAt = w, d
		}
	}
	if best == "" {
		return ""
	}
	return " (did you mean " + prefix + best + "?)"
}

// distance counts the letters to insert, remove, replace, or swap with the next one.
func distance(a, b string) int {
	if len(a) > len(b)+3 {
		return len(a) // too far to matter, and met words have no bound
	}
	prev, cur := make([]int, len(b)+1), make([]int, len(b)+1)
	var beforePrev []int
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], beforePrev[j-2]+1)
			}
		}
		beforePrev, prev, cur = prev, cur, make([]int, len(b)+1)
	}
	return prev[len(b)]
}

// shorten keeps a word that the reader typed from filling the message.
func shorten(s string) string {
	const most = 40
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most]) + "…"
}
