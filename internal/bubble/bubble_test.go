package bubble_test

import (
	"errors"
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
