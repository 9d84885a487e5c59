package interleave

import "time"

// Now is the actor's own clock: the world's time, as time.Now gives it, moved by what Skew has set.
func (a *Actor) Now() time.Time { return time.Now().Add(time.Duration(a.skew.Load())) }

// Skew sets the actor's own clock ahead of the world's, or behind it when by is negative, and returns that clock: for code
// that takes its clock as a function, and for races of two machines that do not agree on the time. It may be called again,
// as when a clock is put right while the process runs; clocks that it has returned before follow. Timers and time.Now are
// not moved, nor is the server's clock: a skewed clock tells another time and runs as fast. The trace says what was set.
func (a *Actor) Skew(by time.Duration) (now func() time.Time) {
	text := a.name + " has a clock that is right"
	switch {
	case by > 0:
		text = a.name + " has a clock that is " + by.String() + " ahead"
	case by < 0:
		text = a.name + " has a clock that is " + by.Abs().String() + " behind"
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.life.Load() == alive {
		a.skew.Store(int64(by))
		a.remarks = append(a.remarks, text)
	}
	return a.Now
}
