package bubble

import (
	"runtime"
	"sync"
)

// worlds counts the bubbles that run, while processors is what GOMAXPROCS was before the first of them.
var (
	mu         sync.Mutex
	worlds     int
	processors int
)

// oneProcessor lets only one thread run Go code until the returned function is called. Under the race detector, Go 1.26 keeps
// one context for all timers of a bubble (timers.raceCtx in runtime/time.go) and does not guard it: two threads that find
// timers of one bubble due at the same moment, as in a select, write into it together, and the process ends with a segmentation
// fault in TraceSwitchPart.
func oneProcessor() (done func()) {
	mu.Lock()
	defer mu.Unlock()
	if worlds++; worlds == 1 {
		processors = runtime.GOMAXPROCS(1)
	}
	return func() {
		mu.Lock()
		defer mu.Unlock()
		if worlds--; worlds == 0 {
			runtime.GOMAXPROCS(processors)
		}
	}
}
