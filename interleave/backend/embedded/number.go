package embedded

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

// parseInt reads a 64-bit integer as the server's string2ll does, which takes no sign +, no blank, no leading zero.
func parseInt(s string) (int64, bool) {
	digits := s
	if strings.HasPrefix(s, "-") {
		digits = s[1:]
	}
	if digits == "" || digits[0] == '+' || digits[0] == '-' || digits[0] == '0' && len(s) > 1 {
		return 0, false
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil
}

// parseDouble reads a double as strtod does for the server: all of it, not NaN. exotic is true for what C reads and
// Go doesn't, or otherwise; the caller refuses it.
func parseDouble(s string) (f float64, ok, exotic bool) {
	switch strings.ToLower(s) {
	case "inf", "+inf", "infinity", "+infinity":
		return math.Inf(1), true, false
	case "-inf", "-infinity":
		return math.Inf(-1), true, false
	case "":
		return 0, false, false
	}
	if strings.Contains(strings.ToLower(s), "0x") {
		return 0, false, true
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return 0, false, false
	}
	return f, true, false
}

// longDouble is the x87 extended precision in which the server adds for INCRBYFLOAT and HINCRBYFLOAT.
const longDouble = 64

// parseLongDouble reads what the server's string2ld reads. inf is set for an infinity, which has no big.Float sum.
func parseLongDouble(s string) (f *big.Float, ok, inf bool) {
	if v, valid, exotic := parseDouble(s); exotic || !valid {
		return nil, false, false
	} else if math.IsInf(v, 0) {
		return nil, true, true
	}
	f, _, err := big.ParseFloat(s, 10, longDouble, big.ToNearestEven)
	return f, err == nil, false
}

// formatLongDouble writes with 17 digits behind the point and without zeros at the end, as ld2string does.
func formatLongDouble(f *big.Float) string {
	s := f.Text('f', 17)
	s = strings.TrimRight(s, "0")
	s = strings.TrimSuffix(s, ".")
	if s == "-0" {
		return "0"
	}
	return s
}
