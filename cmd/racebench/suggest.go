package main

import "strings"

// suggest is the hint for a word that is none of the known ones: the nearest of them, or the other hint.
func suggest(word string, known []string, otherwise string) string {
	best, at := "", 1+max(len(word)/3, 1)
	for _, k := range known {
		if d := distance(strings.ToLower(word), strings.ToLower(k)); d < at {
			best, at = k, d
		}
	}
	if best == "" {
		return otherwise
	}
	return "did you mean " + best + "?"
}

// distance counts the letters to insert, remove, replace, or swap with the next one.
func distance(a, b string) int {
	const longest = 64 // a word that is longer is no slip of the finger
	if len(a) > longest || len(b) > longest {
		return longest
	}
	var older, prev []int
	cur := make([]int, len(b)+1)
	for j := range cur {
		cur[j] = j
	}
	for i := range len(a) {
		older, prev, cur = prev, cur, make([]int, len(b)+1)
		cur[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			cur[j+1] = min(prev[j]+cost, prev[j+1]+1, cur[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				cur[j+1] = min(cur[j+1], older[j-1]+1)
			}
		}
	}
	return cur[len(b)]
}
