package embedded

// match reports whether s matches a glob pattern as KEYS and PSUBSCRIBE understand it: stringmatchlen of the server, for
// which an empty text doesn't match "*".
func match(p, s string) bool {
	for len(p) > 0 && len(s) > 0 {
		switch p[0] {
		case '*':
			for len(p) > 1 && p[1] == '*' {
				p = p[1:]
			}
			if len(p) == 1 {
				return true
			}
			for i := range len(s) {
				if match(p[1:], s[i:]) {
					return true
				}
			}
			return false
		case '?':
			s = s[1:]
		case '[':
			ok, rest := matchClass(p[1:], s[0])
			if !ok {
				return false
			}
			p, s = rest, s[1:]
			if len(p) == 0 {
				return len(s) == 0
			}
			continue
		case '\\':
			if len(p) >= 2 {
				p = p[1:]
			}
			fallthrough
		default:
			if p[0] != s[0] {
				return false
			}
			s = s[1:]
		}
		p = p[1:]
		for len(s) == 0 && len(p) > 0 && p[0] == '*' {
			p = p[1:]
		}
	}
	return len(p) == 0 && len(s) == 0
}

// matchClass matches c against the class that p continues, behind its '[', and returns what follows the class. A class
// without its ']' ends where the pattern ends.
func matchClass(p string, c byte) (ok bool, rest string) {
	not := len(p) > 0 && p[0] == '^'
	if not {
		p = p[1:]
	}
	found := false
	for len(p) > 0 && p[0] != ']' {
		switch {
		case p[0] == '\\' && len(p) >= 2:
			p = p[1:]
			found = found || p[0] == c
		case len(p) >= 3 && p[1] == '-':
			lo, hi := min(p[0], p[2]), max(p[0], p[2])
			p = p[2:]
			found = found || c >= lo && c <= hi
		default:
			found = found || p[0] == c
		}
		p = p[1:]
	}
	if len(p) > 0 {
		p = p[1:]
	}
	return found != not, p
}
