package bubble_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/internal/bubble"
)

func TestRun(t *testing.T) {
	for name, host := range map[string]*testing.T{"lent": t, "hidden": nil} {
		var slept time.Duration
		require.NoError(t, bubble.Run(host, func() {
			start := time.Now()
			time.Sleep(time.Hour)
			slept = time.Since(start)
		}), name)
		require.Equal(t, time.Hour, slept, "the clock is virtual")

		err := bubble.Run(host, func() { go func() { select {} }() })
		var dead *bubble.DeadlockError
		require.ErrorAs(t, err, &dead, name)

		var inner error
		require.NoError(t, bubble.Run(host, func() { inner = bubble.Run(host, func() {}) }), name)
		require.ErrorContains(t, inner, "within a synctest bubble")
		require.False(t, errors.As(inner, &dead))
	}
}

// Timers of one bubble that are due at the same moment, met by many goroutines in a select: under the race detector this ended
// the process, sometimes, as long as several threads could run them.
func TestTimersDueTogether(t *testing.T) {
	for range 300 {
		require.NoError(t, bubble.Run(t, func() {
			var all sync.WaitGroup
			for range 8 {
				all.Go(func() {
					for range 10 {
						timer := time.NewTimer(0)
						select {
						case <-timer.C:
						case <-make(chan int):
						}
					}
				})
			}
			all.Wait()
		}))
	}
}
