package interleave_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/racebench/racebench/interleave"
)

func TestNewState(t *testing.T) {
	trace := &interleave.Trace{Notes: []interleave.Note{{Actor: "A", Key: "seen", Value: "1"}, {Actor: "A", Key: "done"}}}
	entry := &interleave.Entry{Type: "string", Items: []string{"v"}, Expires: -1}
	s := interleave.NewState(trace, []interleave.KeyState{{Key: "k:1", Value: entry}, {Key: "other/1", Value: entry}}, time.Minute, true)

	assert.Same(t, trace, s.Trace())
	assert.Equal(t, []string{"k:1"}, s.Keys("k:*"))
	assert.Equal(t, []string{"k:1", "other/1"}, s.Keys("*"), "a slash is a character like any other")
	assert.Equal(t, []string{"other/1"}, s.Keys("o*/[0-9]"))
	assert.Same(t, entry, s.Entry("k:1"))
	assert.Nil(t, s.Entry("k:2"))
	assert.Equal(t, time.Minute, s.Now())
	assert.True(t, s.Final)
	assert.Equal(t, []interleave.Note{{Actor: "A", Key: "seen", Value: "1"}}, s.Notes("seen"))
	assert.Nil(t, s.Redis())
	assert.False(t, s.Crashed("A"))
}
