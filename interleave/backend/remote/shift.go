package remote

import "time"

type shift struct{ s *Server }

func newShift(s *Server) *shift { return &shift{s} }

func (sh *shift) move(time.Time) error { return nil }
func (sh *shift) reset(time.Time)      {}

type shiftConn struct {
	*conn
	sh *shift
}
