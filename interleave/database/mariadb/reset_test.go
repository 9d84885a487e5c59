package mariadb

import (
	"context"
	"database/sql/driver"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/interleave/database"
	need "github.com/racebench/racebench/internal/require"
)

// TestWorldsStartAlike: whatever a world has done, with rows, counters, tables, views, routines or the schema itself, the
// next one finds nothing of it and gets the same ids.
func TestWorldsStartAlike(t *testing.T) {
	need.Backend(t, "mariadb")
	s, err := Process(database.Config{})
	require.NoError(t, err)
	defer func() { assert.NoError(t, s.Close()) }()
	objects := func() string {
		var all [][]string
		for _, from := range []string{"table_name FROM information_schema.tables WHERE table_schema", "routine_name FROM information_schema.routines WHERE routine_schema",
			"trigger_name FROM information_schema.triggers WHERE trigger_schema", "event_name FROM information_schema.events WHERE event_schema"} {
			rows, err := s.query("SELECT " + from + " = '" + s.schema + "' ORDER BY 1")
			require.NoError(t, err)
			all = append(all, rows...)
		}
		rows, err := s.query("SELECT default_character_set_name FROM information_schema.schemata WHERE schema_name = '" + s.schema + "'")
		require.NoError(t, err)
		return fmt.Sprint(append(all, rows...))
	}
	var seen []string
	for range 3 {
		require.NoError(t, s.Reset())
		before := objects()
		c, err := s.Connect()
		require.NoError(t, err)
		for _, q := range []string{
			"CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, n INT)",
			"INSERT INTO t (n) VALUES (7), (8)",
			"INSERT INTO t (id, n) VALUES (1000, 9)",
			"DELETE FROM t WHERE id = 1000",
			"INSERT INTO t (n) VALUES (10)",
			"CREATE VIEW v AS SELECT n FROM t",
			"CREATE PROCEDURE p() SELECT 1",
			"CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW SET NEW.n = NEW.n + 1",
			"CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO SELECT 1",
			"ALTER TABLE t ADD COLUMN more INT, ADD INDEX by_n (n)",
			"ALTER DATABASE CHARACTER SET latin2",
			"BEGIN",
			"INSERT INTO t (n) VALUES (11)", // and never ended
		} {
			_, err := c.(driver.ExecerContext).ExecContext(context.Background(), q, nil)
			require.NoError(t, err, q)
		}
		rows, err := query(c, "SELECT id, n FROM t ORDER BY id")
		require.NoError(t, err)
		seen = append(seen, before+fmt.Sprint(rows))
		require.NotEqual(t, before, objects())
	}
	assert.Contains(t, seen[0], "[[1 7] [2 8] [1001 10] [1002 12]]")
	assert.Equal(t, seen[0], seen[1])
	assert.Equal(t, seen[0], seen[2])
}
