package schedule_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/interleave/schedule"
)

// Every example of the table is what it says: it parses, to one token, and prints as itself.
func TestGrammarExamplesRoundTrip(t *testing.T) {
	require.NotEmpty(t, schedule.Grammar)
	seen := map[any]bool{}
	for _, r := range schedule.Grammar {
		s, err := schedule.Parse(r.Example)
		require.NoError(t, err, r.Example)
		require.Len(t, s, 1, r.Example)
		assert.Equal(t, r.Example, s.String())
		assert.NoError(t, s.Validate(), r.Example)
		seen[s[0].Kind], seen[s[0].Fault] = true, true
	}
	for k := schedule.Op; k <= schedule.Evict; k++ {
		assert.True(t, seen[k], "no rule for kind %s", k)
	}
	for f := schedule.NoFault; f <= schedule.Drop; f++ {
		assert.True(t, seen[f], "no rule for fault %d (%s)", f, f)
	}
}

func TestConstraintGrammarExamplesRoundTrip(t *testing.T) {
	require.NotEmpty(t, schedule.ConstraintGrammar)
	for _, r := range schedule.ConstraintGrammar {
		cs, err := schedule.ParseConstraints(r.Example)
		require.NoError(t, err, r.Example)
		require.NotEmpty(t, cs, r.Example)
		assert.Equal(t, r.Example, schedule.FormatConstraints(cs))
	}
}
