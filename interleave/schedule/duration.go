package schedule

import (
	"strings"
	"time"
)

// duration reads a duration to the end of the token; before is what introduced it.
func (s *scanner) duration(before string) (time.Duration, error) {
	start := s.off
	text := s.chunk()
	allowed := []string{"500ms", "30s", "10m", "1h30m"}
	if text == "" {
		return 0, s.fail(start, allowed, "%s needs a duration, not %s", before, s.met(start))
	}
	if !isDuration(text) {
		hint := ""
		if n := strings.TrimRight(text, "d"); n != text && isDuration(n+"h") {
			hint = "; a day is 24h"
		}
		return 0, s.fail(start, allowed, "%s needs a duration, and %q is none%s", before, shorten(text), hint)
	}
	d, err := time.ParseDuration(text)
	if err != nil || d > MaxClock {
		return 0, s.fail(start, allowed, "%s is too long: the clock moves by at most %s", shorten(text), formatDuration(MaxClock))
	}
	if d <= 0 {
		return 0, s.fail(start, allowed, "the clock moves forward: a duration is more than zero")
	}
	return d, nil
}

// isDuration reports whether text has the form of a Go duration without a sign, however large.
func isDuration(text string) bool {
	for text != "" {
		rest := strings.TrimLeft(text, "0123456789")
		digits := len(text) - len(rest)
		if strings.HasPrefix(rest, ".") {
			after := strings.TrimLeft(rest[1:], "0123456789")
			digits += len(rest) - 1 - len(after)
			rest = after
		}
		if digits == 0 {
			return false
		}
		unit := ""
		for _, u := range []string{"ns", "us", "µs", "μs", "ms", "s", "m", "h"} {
			if strings.HasPrefix(rest, u) {
				unit = u
				break
			}
		}
		if unit == "" {
			return false
		}
		text = rest[len(unit):]
	}
	return true
}

// formatDuration is Duration.String without zero units at the end, and in ASCII: 10m, not 10m0s.
func formatDuration(d time.Duration) string {
	s := strings.Replace(d.String(), "µ", "u", 1)
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
