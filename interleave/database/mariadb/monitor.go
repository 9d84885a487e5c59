package mariadb

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

var (
	// thread is how the monitor of InnoDB names the connection of a transaction.
	thread = regexp.MustCompile(`(?m)^(?:MySQL|MariaDB) thread id (\d+),`)
	// under is how it says that a transaction has begun and not ended.
	under = regexp.MustCompile(`^ \d+, ACTIVE`)
)

// monitor reads, of the text of SHOW ENGINE INNODB STATUS, which connections wait for a lock, and which have an open
// transaction.
func monitor(text string) (waiting, active []int64) {
	_, text, _ = strings.Cut(text, "LIST OF TRANSACTIONS FOR EACH SESSION:")
	text, _, _ = strings.Cut(text, "\n--------\nFILE I/O")
	for _, block := range strings.Split(text, "---TRANSACTION") {
		m := thread.FindStringSubmatch(block)
		if m == nil || !under.MatchString(block) {
			continue
		}
		id := number(m[1])
		active = append(active, id)
		if strings.Contains(block, "\nLOCK WAIT ") {
			waiting = append(waiting, id)
		}
	}
	return waiting, active
}

func number(s string) int64 {
	n, _ := strconv.ParseInt(s, 10, 64)
	return n
}

func (s *Server) exec(q string) error {
	x, ok := s.side.(driver.ExecerContext)
	if !ok {
		return errors.New("the driver can't execute")
	}
	_, err := x.ExecContext(context.Background(), q, nil)
	return err
}

func (s *Server) query(q string) ([][]string, error) { return query(s.side, q) }

// query reads all rows as text.
func query(c driver.Conn, q string) ([][]string, error) {
	x, ok := c.(driver.QueryerContext)
	if !ok {
		return nil, errors.New("the driver can't query")
	}
	rows, err := x.QueryContext(context.Background(), q, nil)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out [][]string
	row := make([]driver.Value, len(rows.Columns()))
	for {
		if err := rows.Next(row); err == io.EOF {
			return out, nil
		} else if err != nil {
			return nil, err
		}
		texts := make([]string, len(row))
		for i, v := range row {
			if b, ok := v.([]byte); ok {
				texts[i] = string(b)
			} else {
				texts[i] = fmt.Sprint(v)
			}
		}
		out = append(out, texts)
	}
}
