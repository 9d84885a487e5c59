package mariadb

import (
	"fmt"
	"testing"

	"github.com/racebench/racebench/interleave/database"
	need "github.com/racebench/racebench/internal/require"
)

// BenchmarkReset compares the ways to empty a schema of a few tables: to make it anew, or to empty the tables.
func BenchmarkReset(b *testing.B) {
	need.Backend(b, "mariadb")
	s, err := Process(database.Config{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	for _, tables := range []int{1, 3} {
		each := func(b *testing.B, query string) {
			for i := range tables {
				if err := s.exec(fmt.Sprintf(query, s.schema, i)); err != nil {
					b.Fatal(err)
				}
			}
		}
		const create, insert = "CREATE TABLE `%s`.t%d (id INT PRIMARY KEY, n INT)", "INSERT INTO `%s`.t%d VALUES (1, 1)"
		b.Run(fmt.Sprintf("schema/%d", tables), func(b *testing.B) {
			for b.Loop() {
				if err := s.Reset(); err != nil {
					b.Fatal(err)
				}
				each(b, create)
				each(b, insert)
			}
		})
		for _, empty := range []string{"TRUNCATE `%s`.t%d", "DELETE FROM `%s`.t%d"} {
			b.Run(fmt.Sprintf("%.8s/%d", empty, tables), func(b *testing.B) {
				if err := s.Reset(); err != nil {
					b.Fatal(err)
				}
				each(b, create)
				for b.Loop() {
					each(b, empty)
					each(b, insert)
				}
			})
		}
	}
}
