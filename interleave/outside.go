package interleave

// outside runs functions on goroutines that belong to no bubble, for what must not be in one: a database driver keeps
// channels and timers, and a statement that waits for a lock would stall the world's clock. It is made outside of any
// bubble, its channels with it, so that goroutines of a bubble may wait on them: such a wait keeps the clock where it is.
type outside struct {
	ask chan func()
	got chan flight
}

// flight is a function that runs outside; it is closed when the function has returned.
type flight chan struct{}

func newOutside() *outside {
	o := &outside{ask: make(chan func()), got: make(chan flight)}
	go func() {
		for f := range o.ask {
			done := make(flight)
			go func() {
				defer close(done)
				f()
			}()
			o.got <- done
		}
	}()
	return o
}

// start runs f outside.
func (o *outside) start(f func()) flight {
	o.ask <- f
	return <-o.got
}

// do runs f outside and waits for it.
func (o *outside) do(f func()) { <-o.start(f) }

// landed reports whether f has returned.
func (x flight) landed() bool {
	select {
	case <-x:
		return true
	default:
		return false
	}
}

func (o *outside) close() { close(o.ask) }
