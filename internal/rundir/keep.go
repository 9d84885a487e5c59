package rundir

import (
	"runtime"
	"sync"
)

// Linux ends a child when the *thread* that started it ends, so children are started by one goroutine that never gives
// its thread back. It also makes what is started from inside a testing/synctest bubble belong to none.
var keeper struct {
	once  sync.Once
	jobs  chan func()
	ended chan struct{}
	mu    sync.Mutex // one job at a time, so that one channel can tell its end
}

// Keep runs f on the keeper's thread and waits for it.
func Keep(f func()) {
	keeper.once.Do(func() {
		keeper.jobs, keeper.ended = make(chan func()), make(chan struct{})
		go func() {
			runtime.LockOSThread()
			for job := range keeper.jobs {
				job()
				keeper.ended <- struct{}{}
			}
		}()
	})
	keeper.mu.Lock()
	defer keeper.mu.Unlock()
	keeper.jobs <- f
	<-keeper.ended
}
