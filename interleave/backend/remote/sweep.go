package remote

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/racebench/racebench/interleave/wire"
)

// sweep removes the keys that came due when the clock moved. The server hides a due key from most commands, but DBSIZE
// still counts it and its notification is still to come. SCAN removes each due key that it meets.
func (s *Server) sweep() error {
	s.moved = false
	if s.shift != nil {
		return s.shift.sweep()
	}
	if !s.mayExpire {
		return nil
	}
	raw, err := s.control("INFO", "keyspace")
	if err != nil {
		return err
	}
	for _, db := range volatile(raw) {
		if err := s.scanDB(db, func(string) {}); err != nil {
			return err
		}
	}
	return nil
}

// volatile reads which databases hold keys with a deadline out of a reply to INFO.
func volatile(info []byte) []int {
	var dbs []int
	for line := range bytes.Lines(info) {
		var db, keys, expires int
		if n, _ := fmt.Sscanf(string(line), "db%d:keys=%d,expires=%d", &db, &keys, &expires); n == 3 && expires > 0 {
			dbs = append(dbs, db)
		}
	}
	return dbs
}

// useDB moves the control connection to a database.
func (s *Server) useDB(db int) error {
	if s.ctl.have.db == db {
		return nil
	}
	if _, err := s.control("SELECT", strconv.Itoa(db)); err != nil {
		return err
	}
	s.ctl.have.db = db
	return nil
}

// scanDB calls f with each key of a database.
func (s *Server) scanDB(db int, f func(key string)) error {
	if err := s.useDB(db); err != nil {
		return err
	}
	for cursor := "0"; ; {
		raw, err := s.control("SCAN", cursor, "COUNT", "1000")
		if err != nil {
			return err
		}
		v, _, err := wire.Parse(raw)
		if err != nil {
			return s.gone(err)
		}
		if v.Kind != wire.Array || len(v.Elems) != 2 {
			return s.gone(fmt.Errorf("SCAN answered %s", v))
		}
		for _, k := range v.Elems[1].Elems {
			f(k.Str)
		}
		if cursor = v.Elems[0].Str; cursor == "0" {
			return nil
		}
	}
}
