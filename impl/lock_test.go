package impl_test

import (
	"testing"
	"time"

	"github.com/racebench/racebench/impl"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestStatesAndTheirWords(t *testing.T) {
	for _, s := range []impl.State{impl.Waiting, impl.Processing, impl.Cancelling} {
		back, err := impl.ParseState(s.String())
		require.NoError(t, err)
		assert.Equal(t, s, back)
	}
	for _, word := range []string{"", "processing", "CANCELLED", "State(3)"} {
		_, err := impl.ParseState(word)
		assert.ErrorIs(t, err, impl.ErrCorrupt, word)
	}
	assert.Equal(t, "State(3)", impl.State(3).String())
}

func TestLockConfig(t *testing.T) {
	c, err := impl.LockConfig{}.Prepare()
	require.NoError(t, err)
	assert.Equal(t, []time.Duration{10 * time.Second, 5 * time.Second, 30 * time.Second}, []time.Duration{c.Lease, c.Wait, c.StateTTL})
	assert.NotEqual(t, c.NewToken(), c.NewToken())
	_, err = impl.LockConfig{Wait: time.Second + time.Microsecond}.Prepare()
	assert.EqualError(t, err, "invalid: Wait 1.000001s (want whole milliseconds, at least 1ms)")
}
