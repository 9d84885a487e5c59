package interleave

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// sqlResult is what a query has answered: one set of rows, or several.
type sqlResult struct{ sets []sqlSet }

type sqlSet struct {
	columns []string
	types   []sqlColumn
	rows    [][]driver.Value
}

// sqlColumn is what the driver says about a column.
type sqlColumn struct {
	name                string
	scan                reflect.Type
	nullable, nullKnown bool
	length              int64
	lengthKnown         bool
	precision, scale    int64
	precise             bool
}

// fill reads everything and closes rows.
func (r *sqlResult) fill(rows driver.Rows) (err error) {
	defer func() { err = errors.Join(err, rows.Close()) }()
	for {
		set := sqlSet{columns: append([]string(nil), rows.Columns()...)}
		for i := range set.columns {
			set.types = append(set.types, describeColumn(rows, i))
		}
		for {
			row := make([]driver.Value, len(set.columns))
			if err := rows.Next(row); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return err
			}
			for i, v := range row {
				if b, ok := v.([]byte); ok { // the driver's own memory
					row[i] = append([]byte{}, b...)
				}
			}
			set.rows = append(set.rows, row)
		}
		r.sets = append(r.sets, set)
		more, ok := rows.(driver.RowsNextResultSet)
		if !ok || !more.HasNextResultSet() {
			return nil
		}
		if err := more.NextResultSet(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

func describeColumn(rows driver.Rows, i int) sqlColumn {
	c := sqlColumn{scan: reflect.TypeFor[any]()}
	if x, ok := rows.(driver.RowsColumnTypeDatabaseTypeName); ok {
		c.name = x.ColumnTypeDatabaseTypeName(i)
	}
	if x, ok := rows.(driver.RowsColumnTypeScanType); ok {
		c.scan = x.ColumnTypeScanType(i)
	}
	if x, ok := rows.(driver.RowsColumnTypeNullable); ok {
		c.nullable, c.nullKnown = x.ColumnTypeNullable(i)
	}
	if x, ok := rows.(driver.RowsColumnTypeLength); ok {
		c.length, c.lengthKnown = x.ColumnTypeLength(i)
	}
	if x, ok := rows.(driver.RowsColumnTypePrecisionScale); ok {
		c.precision, c.scale, c.precise = x.ColumnTypePrecisionScale(i)
	}
	return c
}

// sqlRowsReader hands the rows to database/sql.
type sqlRowsReader struct {
	of      *sqlResult
	set, at int
}

func (r *sqlRowsReader) here() *sqlSet     { return &r.of.sets[r.set] }
func (r *sqlRowsReader) Columns() []string { return r.here().columns }
func (r *sqlRowsReader) Close() error      { return nil }

func (r *sqlRowsReader) Next(dest []driver.Value) error {
	if r.at >= len(r.here().rows) {
		return io.EOF
	}
	copy(dest, r.here().rows[r.at])
	r.at++
	return nil
}

func (r *sqlRowsReader) HasNextResultSet() bool { return r.set+1 < len(r.of.sets) }

func (r *sqlRowsReader) NextResultSet() error {
	if !r.HasNextResultSet() {
		return io.EOF
	}
	r.set, r.at = r.set+1, 0
	return nil
}

func (r *sqlRowsReader) ColumnTypeDatabaseTypeName(i int) string { return r.here().types[i].name }
func (r *sqlRowsReader) ColumnTypeScanType(i int) reflect.Type   { return r.here().types[i].scan }
func (r *sqlRowsReader) ColumnTypeNullable(i int) (is, known bool) {
	c := r.here().types[i]
	return c.nullable, c.nullKnown
}
func (r *sqlRowsReader) ColumnTypeLength(i int) (int64, bool) {
	c := r.here().types[i]
	return c.length, c.lengthKnown
}
func (r *sqlRowsReader) ColumnTypePrecisionScale(i int) (precision, scale int64, ok bool) {
	c := r.here().types[i]
	return c.precision, c.scale, c.precise
}

// maxRowsShown bounds the rows of a query that a step shows, maxReply the runes.
const maxRowsShown, maxReply = 10, 300

// reply is what came of a statement, for a reader of the trace.
func (s *sent) reply() string {
	switch {
	case s.err != nil:
		return "error: " + oneLine(s.err.Error())
	case s.rows != nil:
		set := s.rows.sets[0]
		parts := []string{counted(len(set.rows), "row")}
		if len(set.rows) > 0 {
			parts[0] += ":"
		}
		for i, row := range set.rows {
			if i == maxRowsShown {
				parts = append(parts, "…")
				break
			}
			values := make([]any, len(row))
			for j, v := range row {
				values[j] = v
			}
			parts = append(parts, rowText(values))
		}
		return clip(strings.Join(parts, " "), maxReply)
	case s.result != nil && s.mayWrite():
		if n, err := s.result.RowsAffected(); err == nil {
			return counted(int(n), "row") + " affected"
		}
	}
	return "OK"
}

func counted(n int, what string) string {
	switch n {
	case 0:
		return "no " + what + "s"
	case 1:
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// rowText is a row as SQL would write it: (1, 'RUNNING', NULL).
func rowText(values []any) string {
	parts := make([]string, len(values))
	for i, v := range values {
		parts[i] = sqlLiteral(v)
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

func sqlLiteral(v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case string:
		return "'" + strings.ReplaceAll(oneLineQuoted(v), "'", "''") + "'"
	case []byte:
		return sqlLiteral(string(v))
	}
	return plainValue(v)
}

// oneLineQuoted escapes what does not print.
func oneLineQuoted(s string) string {
	q := strconv.Quote(s)
	return strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`)
}

func plainValue(v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case string:
		return v
	case []byte:
		return string(v)
	case time.Time:
		return v.UTC().Format("2006-01-02 15:04:05.999999999")
	}
	return fmt.Sprint(v)
}

// argTexts are the arguments of a statement, for the trace.
func argTexts(args []driver.NamedValue) []string {
	out := make([]string, len(args))
	for i, a := range args {
		out[i] = sqlLiteral(a.Value)
		if a.Name != "" {
			out[i] = a.Name + "=" + out[i]
		}
	}
	return out
}
