package interleave

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestParseSQL(t *testing.T) {
	for _, c := range []struct{ sql, verb, reads, writes string }{
		{"select * from tasks where id = ?", "SELECT", "tasks", ""},
		{"SELECT a.x FROM a, b AS c JOIN `d e` USING (x), main.f WHERE x IN (SELECT y FROM g, h)", "SELECT", "a b d e main.f g h", ""},
		{"SELECT * FROM (SELECT 1 FROM x) AS s, y", "SELECT", "x y", ""},
		{"SELECT 'from z' FROM a -- from b\n/* from c */ WHERE x = \"from d\"", "SELECT", "a", ""},
		{"SELECT * FROM a JOIN b ON a.x = b.x FOR UPDATE", "SELECT", "", "a b"},
		{"SELECT * FROM a LOCK IN SHARE MODE", "SELECT", "", "a"},
		{"SELECT 1", "SELECT", "", ""},
		{"SELECT GET_LOCK('a', 1)", "SELECT", "?", ""},
		{"SELECT f(x) FROM a", "SELECT", "a", ""},
		{"SELECT x INTO OUTFILE 'f' FROM a", "SELECT", "?", ""},
		{"INSERT INTO a (x, y) VALUES (?, ?) ON CONFLICT (x) DO UPDATE SET y = 1", "INSERT", "", "a"},
		{"INSERT IGNORE a VALUES (1) ON DUPLICATE KEY UPDATE x = 1", "INSERT", "", "a"},
		{"INSERT OR REPLACE INTO a SELECT * FROM b", "INSERT", "b", "a"},
		{"REPLACE INTO a VALUES (1)", "REPLACE", "", "a"},
		{"UPDATE a SET x = (SELECT max(y) FROM b) WHERE z = 1", "UPDATE", "b", "a"},
		{"UPDATE OR IGNORE a SET x = 1", "UPDATE", "", "a"},
		{"UPDATE a, b SET a.x = b.x", "UPDATE", "", "a b"},
		{"UPDATE a SET x = 1 FROM b WHERE a.y = b.y", "UPDATE", "b", "a"},
		{"DELETE FROM a WHERE x IN (SELECT y FROM b)", "DELETE", "b", "a"},
		{"WITH c AS (SELECT * FROM a) UPDATE b SET x = (SELECT x FROM c)", "UPDATE", "a", "b"},
		{"DELETE", "DELETE", "?", ""},
		{"UPDATE a SET x = 1; DELETE FROM b", "UPDATE", "?", ""},
		{"CREATE TABLE a (x)", "CREATE", "?", ""},
		{"CALL p()", "CALL", "?", ""},
		{"PRAGMA user_version = 1", "PRAGMA", "?", ""},
		{" begin  immediate ;", "BEGIN", "", ""},
		{"START TRANSACTION", "BEGIN", "", ""},
		{"END", "COMMIT", "", ""},
		{"ROLLBACK TO x", "ROLLBACK", "", ""},
		{"", "SQL", "?", ""},
	} {
		q := parseSQL(c.sql)
		reads := strings.Join(q.reads, " ")
		if !q.known {
			reads, q.writes = "?", nil
		}
		assert.Equal(t, c, struct{ sql, verb, reads, writes string }{c.sql, q.verb, reads, strings.Join(q.writes, " ")})
	}
	q := parseSQL("UPDATE  a -- x\n SET\tx = 'two  spaces' ;")
	assert.Equal(t, "UPDATE a SET x = 'two  spaces'", q.text)
	assert.True(t, parseSQL("ROLLBACK TO x").part)
	assert.Equal(t, "IMMEDIATE", parseSQL("BEGIN IMMEDIATE").lock)
}
