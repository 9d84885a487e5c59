package interleave

import (
	"slices"
	"strings"
)

// sqlText is what can be told from the text of a statement without a server.
type sqlText struct {
	text   string // on one line, without comments
	verb   string // the word that names the step: SELECT, UPDATE, BEGIN
	reads  []string
	writes []string // tables, as they are written
	known  bool     // it touches these tables and nothing else
	part   bool     // it ends a part of a transaction only: ROLLBACK TO, RELEASE
	lock   string   // of a BEGIN: DEFERRED, IMMEDIATE, EXCLUSIVE
}

// tables are all tables that it names, each once.
func (q *sqlText) tables() []string {
	out := slices.Clone(q.writes)
	for _, t := range q.reads {
		if !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

// mayWrite reports whether it can change data.
func (q *sqlText) mayWrite() bool { return !q.known || len(q.writes) > 0 }

// sqlToken is a word, a quoted name, or one sign.
type sqlToken struct {
	text  string
	word  bool // a bare word, which may be a keyword
	name  bool // a word or a quoted name
	space bool // white space came before it
}

func (t sqlToken) is(words ...string) bool {
	return t.word && slices.ContainsFunc(words, func(w string) bool { return strings.EqualFold(w, t.text) })
}

// scanSQL splits a statement. Values in quotes are the token '.
func scanSQL(src string) (list []sqlToken, text string) {
	var out strings.Builder
	space := false
	for i := 0; i < len(src); {
		c := src[i]
		j := i + 1
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f':
			space, i = true, j
			continue
		case strings.HasPrefix(src[i:], "--") || c == '#':
			if j = strings.IndexByte(src[i:], '\n'); j < 0 {
				j = len(src) - i
			}
			space, i = true, i+j
			continue
		case strings.HasPrefix(src[i:], "/*") && !strings.HasPrefix(src[i:], "/*!"):
			if j = strings.Index(src[i+2:], "*/"); j < 0 {
				j = len(src) - i - 4
			}
			space, i = true, i+j+4
			continue
		}
		t := sqlToken{space: space}
		switch {
		case c == '\'' || c == '"' || c == '`':
			for j < len(src) {
				if src[j] == '\\' && c == '\'' && j+1 < len(src) {
					j++
				} else if src[j] == c {
					if j+1 == len(src) || src[j+1] != c {
						break
					}
					j++
				}
				j++
			}
			j = min(j+1, len(src))
			t.text, t.name = strings.Trim(src[i:j], string(c)), c != '\''
			if !t.name {
				t.text = "'"
			}
		case sqlWord(c):
			for j < len(src) && sqlWord(src[j]) {
				j++
			}
			t.text, t.word, t.name = src[i:j], true, c < '0' || c > '9'
		default:
			t.text = src[i:j]
		}
		if space && out.Len() > 0 {
			out.WriteByte(' ')
		}
		out.WriteString(src[i:j])
		list, space, i = append(list, t), false, j
	}
	return list, out.String()
}

func sqlWord(c byte) bool {
	return c == '_' || c == '$' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// notTables are words that can stand where a table would.
var notTables = []string{"SELECT", "VALUES", "SET", "IGNORE", "LOW_PRIORITY", "DELAYED", "HIGH_PRIORITY", "QUICK", "ONLY", "LATERAL", "OR", "ROLLBACK", "ABORT",
	"REPLACE", "FAIL", "INTO", "TABLE", "IF", "NOT", "EXISTS", "OUTFILE", "DUMPFILE", "DUAL"}

// endOfTables are words after which no more tables of a list come.
var endOfTables = []string{"SET", "WHERE", "GROUP", "ORDER", "HAVING", "LIMIT", "UNION", "EXCEPT", "INTERSECT", "WINDOW", "RETURNING", "VALUES", "FOR", "LOCK"}

// parseSQL tells what a statement touches, by its words. What it can't tell it does not know: the statement touches
// everything then.
func parseSQL(src string) *sqlText {
	tokens, text := scanSQL(src)
	for len(tokens) > 0 && tokens[len(tokens)-1].text == ";" {
		tokens = tokens[:len(tokens)-1]
	}
	q := &sqlText{text: strings.TrimRight(text, "; "), verb: "SQL"}
	if len(tokens) == 0 || !tokens[0].word {
		return q
	}
	q.verb = strings.ToUpper(tokens[0].text)
	second := func(words ...string) bool {
		return slices.ContainsFunc(tokens[1:], func(t sqlToken) bool { return t.is(words...) })
	}
	switch q.verb {
	case "BEGIN", "START":
		q.verb, q.known, q.lock = "BEGIN", true, "DEFERRED"
		for _, t := range tokens[1:] {
			if t.is("IMMEDIATE", "EXCLUSIVE") {
				q.lock = strings.ToUpper(t.text)
			}
		}
		return q
	case "COMMIT", "END":
		q.verb, q.known = "COMMIT", true
		return q
	case "ROLLBACK":
		q.known, q.part = true, second("TO")
		return q
	case "SAVEPOINT", "RELEASE":
		q.known, q.part = true, true
		return q
	case "WITH":
		q.verb = mainVerb(tokens)
	}
	switch q.verb {
	case "SELECT", "INSERT", "REPLACE", "UPDATE", "DELETE", "VALUES", "TRUNCATE":
		q.known = q.findTables(tokens)
	default: // CREATE, ALTER, CALL, PRAGMA and whatever there is
		q.findTables(tokens)
		q.known = false
	}
	return q
}

// mainVerb is the verb of a statement that begins with WITH.
func mainVerb(tokens []sqlToken) string {
	depth := 0
	for _, t := range tokens {
		switch {
		case t.text == "(":
			depth++
		case t.text == ")":
			depth--
		case depth == 0 && t.is("SELECT", "INSERT", "REPLACE", "UPDATE", "DELETE", "VALUES"):
			return strings.ToUpper(t.text)
		}
	}
	return "WITH"
}

// findTables fills in reads and writes, and reports whether that is all.
func (q *sqlText) findTables(tokens []sqlToken) (all bool) {
	all = true
	ddl := slices.Contains([]string{"CREATE", "ALTER", "DROP", "TRUNCATE"}, q.verb)
	var common []string // names of WITH
	for i := range tokens {
		if i+2 < len(tokens) && tokens[0].is("WITH") && tokens[i].name && tokens[i+1].is("AS") && tokens[i+2].text == "(" {
			common = append(common, strings.ToLower(tokens[i].text))
		}
	}
	type list struct{ writes, open, wants bool } // of tables, at one depth of parentheses
	stack := []list{{}}
	written := false // INTO or the verb has named what is written
	for i := 0; i < len(tokens); i++ {
		t, at := tokens[i], &stack[len(stack)-1]
		before := sqlToken{}
		if i > 0 {
			before = tokens[i-1]
		}
		top := len(stack) == 1
		switch {
		case t.text == "(":
			inner := list{open: at.wants, wants: at.wants}
			at.wants = false
			stack = append(stack, inner)
		case t.text == ")":
			if len(stack) == 1 {
				return false
			}
			stack = stack[:len(stack)-1]
		case t.text == ";":
			return false // a second statement
		case t.text == "," && at.open:
			at.wants = true
		case t.is("GET_LOCK", "RELEASE_LOCK", "RELEASE_ALL_LOCKS", "LOAD_FILE", "OUTFILE", "DUMPFILE"):
			all = false
		case t.is("FROM") && !before.is("DISTINCT"):
			*at = list{open: true, wants: true, writes: top && q.verb == "DELETE" && !written}
			written = written || at.writes
		case t.is("JOIN", "STRAIGHT_JOIN"):
			at.open, at.wants = true, true
		case t.is("INTO"):
			if q.verb == "SELECT" {
				all = false
			}
			*at = list{wants: true, writes: true}
			written = true
		case top && t.is("UPDATE") && !before.is("KEY", "DO", "FOR", "NO", "ON"):
			*at = list{open: true, wants: true, writes: true}
			written = true
		case top && !written && t.is("INSERT", "REPLACE") && q.verb == strings.ToUpper(t.text):
			*at = list{wants: true, writes: true}
			written = true
		case ddl && t.is("TABLE", "TRUNCATE", "ON"):
			*at = list{wants: true, writes: true, open: true}
		case at.wants && t.is(notTables...):
			if t.is("SELECT", "VALUES", "SET") {
				at.wants, at.open = false, false
			}
		case at.wants && t.name:
			name := t.text
			for i+2 < len(tokens) && tokens[i+1].text == "." && tokens[i+2].name {
				name += "." + tokens[i+2].text
				i += 2
			}
			at.wants = false
			if !slices.Contains(common, strings.ToLower(name)) {
				q.touch(name, at.writes)
			}
		case t.is("FOR") && i+1 < len(tokens) && tokens[i+1].is("UPDATE", "SHARE"), t.is("LOCK") && i+1 < len(tokens) && tokens[i+1].is("IN"):
			q.writes, q.reads = q.tables(), nil // it locks what it reads
			at.open = false
		case at.open && t.is(endOfTables...):
			at.open, at.wants = false, false
			if t.is("SET") {
				at.writes = false
			}
		}
	}
	if q.verb == "SELECT" && len(q.tables()) == 0 {
		// Of a table there is no word; a function may do anything.
		all = all && !slices.ContainsFunc(tokens, func(t sqlToken) bool { return t.text == "(" })
	} else if q.verb != "SELECT" && q.verb != "VALUES" && len(q.writes) == 0 {
		all = false
	}
	return all
}

func (q *sqlText) touch(name string, writes bool) {
	list := &q.reads
	if writes {
		list = &q.writes
	}
	if !slices.Contains(*list, name) {
		*list = append(*list, name)
	}
}

// tableKey is what a footprint calls a table, however it is spelled.
func tableKey(name string) string {
	return "table:" + strings.ToLower(name[strings.LastIndexByte(name, '.')+1:])
}
